// Fails if a file uses a word that only this project would understand, and prints a better one. Names are read too:
// `mailCount` is two words. `npm run words -- src/api` checks one place.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * A pattern of lower-case words, what to write instead, and the folder for which it holds. Without a folder, it holds for
 * all.
 */
const words = [
  ['people|persons?', 'users, user'],
  ['whoever|whomever', 'who exactly: the caller, the reader'],
  ['(some|every|any)body|nobody', 'users, a user, no user; or what exactly'],
  ['mails?|mailed|mailing', 'email, emails, to send an email'],
  ['mend(s|ed|ing)?', 'fix'],
  ['tak(e|es|en|ing) (it |them |this run )?back', 'roll back'],
  ['the night', 'the cutover'],
  ['stencils?|outlines?|lessons?', 'template, sample; or nothing, the mechanism is gone'],
  ['crews?', 'worker pool'],
  ['dut(y|ies)', 'job'],
  ['leaps?', 'part'],
  ['stretch(es)?', 'part'],
  ['givens|aside', 'joined values'],
  ['belongings', 'related records'],
  ['shel(f|ves)|spools?', 'spill file, write buffer'],
  ['foresee(s|n)?', 'prefetch, preview'],
  ['roster|ledger', 'user index; or what it holds'],
  ['survey(s|ed)?', 'scan, first pass'],
  ['riddles?|strangers?', 'what it is: a reader, an unknown key'],
  ['wanted', 'requested, expected', 'src/'],
  ['gather(s|ed|ing)?', 'collect'],
  ['detached', 'background, flatten'],
  ['spellings?', 'encoding, form, notation'],
  ['famil(y|ies) of|hash famil(y|ies)', 'algorithm'],
  ['earlier (run|pass|journal)s?|the run before', 'previous run'],
].map(([pattern, better, only = '']) => ({ pattern: new RegExp(`\\b(?:${pattern})\\b`, 'g'), better, only }));

/** Words of others: formats, protocols, and contents of users' files. */
const foreign = [
  /inetOrgPerson/g,
  /organizationalPerson/g,
  /MAIL FROM/g,
  /[Mm]ail[- ]?[Ll]ist/g,
  /net\/mail\b/g,
  /detached: true/g,
  /mail: (?:missing|expected|no angle)/g,
  /'Person added'/g,
  // The role of the reference server's standard callers.
  /[.'`]nobody\b|\bnobody:/g,
  // Users of the fixtures.
  /person-\d+/g,
  // What Google calls a user.
  /people\/\d+/g,
  /'Odd', 'Person'/g,
  /^ *mail: 'ada@/g,
  /'e?-?mail'/g,
  /(?:surname|last),mail,/g,
  /email: mail/g,
  /\be[-_]mail/gi,
  /userPrincipalName mail givenName/g,
];

/** Files that are not checked: this table, and files with names from other systems, like those of fixtures. */
const excluded = new Set([
  'scripts/words.js',
  'package-lock.json',
  'test/support/harbour.ts',
  'src/sources/table/built-in.json',
  'test/commands/map.test.ts',
  'test/sources/table/forms.test.ts',
  'test/sources/table/other-exports.test.ts',
  'test/flows/jit/verifiers.test.ts',
]);

const place = process.argv[2] ?? '.';
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', place], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (file) =>
      /\.(ts|js|md|json|yml|sh)$/.test(file) &&
      !excluded.has(file) &&
      !/^(?:fixtures|test\/contract\/recorded)\//.test(file) &&
      existsSync(`${root}/${file}`),
  );

let found = 0;
for (const file of files) {
  check(file, file, '');
  for (const [at, line] of readFileSync(`${root}/${file}`, 'utf8').split('\n').entries())
    check(file, line, `:${at + 1}`);
}
if (found > 0) console.log(`${found} words to replace; the table is in scripts/words.js`);
process.exitCode = found > 0 ? 1 : 0;

function check(file, line, where) {
  // Code in these pages contains names of other systems.
  const isProse = file === 'CHANGELOG.md' || file.startsWith('docs/sources');
  const unquoted = isProse ? line.replaceAll(/`[^`]*`/g, '') : line;
  const plain = foreign.reduce((text, word) => text.replaceAll(word, ''), unquoted);
  const separate = plain
    .replaceAll(/([a-z\d])(?=[A-Z])/g, '$1 ')
    .replaceAll(/[_/.-]/g, ' ')
    .toLowerCase();
  for (const { pattern, better, only } of words) {
    if (!file.startsWith(only)) continue;
    for (const [word] of separate.matchAll(pattern)) {
      found++;
      console.log(`${file}${where}: ${word} -> ${better}`);
    }
  }
}
