/** What pages list is what the code has; their examples are taken; and what is generated is fresh. */
import { expect, it } from 'vitest';
import { formatApiErrorsPage } from '../../scripts/api-errors-page.ts';
import { formatFlagsPage } from '../../scripts/flags-page.ts';
import { formatHashFormsPage } from '../../scripts/hash-forms-page.ts';
import { formatReasonsPage } from '../../scripts/reasons-page.ts';
import { parseConfig } from '../../src/cli/config/read.ts';
import { eachVerb, sharedFlags, verbsWithSettings } from '../../src/cli/shape.ts';
import { ExitCode } from '../../src/errors.ts';
import { readActionsFile } from '../../src/flows/actions/plan.ts';
import { mostWaiting } from '../../src/flows/import-users/send-users.ts';
import { decodeLine } from '../../src/journal/lines.ts';
import { reasons } from '../../src/records/reasons.ts';
import { createReferenceServer } from '../../src/server/index.ts';
import { faultSchema } from '../../src/server/limits/faults.ts';
import { webhookProblems, defaultMaxBytes } from '../../src/webhooks/handler.ts';
import { verifySignature } from '../../src/webhooks/index.ts';
import { longestTimeout } from '../../src/wire/actions.ts';
import { decodeEvent } from '../support/workspace.ts';
import { docsPages, filesBelow, readProject as read } from '../support/folder.ts';
import { blocksIn } from '../support/page.ts';
import { shapeOfProgram } from '../support/tree.ts';

/** Returns the text from these words on, up to the next `end`. */
function section(page: string, start: string, end = '\n\n') {
  const text = read(page);
  const from = text.indexOf(start);
  expect(from).not.toBe(-1);
  return text.slice(from).split(end)[0]!;
}

/** Returns every match in a text, repeated ones too. */
const named = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name]) => name!);
const firstColumn = (text: string) =>
  named(text, /^\| (`.*?`) \|/gm).flatMap((cell) => cell.replaceAll('`', '').split(', '));
/** Returns every match in modules and folders, each once. */
const inSource = (paths: readonly string[], pattern: RegExp) => {
  const files = paths.flatMap((path) => (path.endsWith('.ts') ? [path] : filesBelow(path)));
  const texts = files.filter((name) => name.endsWith('.ts')).map(read);
  return [...new Set(named(texts.join(''), pattern))];
};

it.each([
  ['api-errors', formatApiErrorsPage()],
  ['flags', formatFlagsPage()],
  ['hash-forms', formatHashFormsPage()],
  ['reasons', formatReasonsPage()],
])('docs/%s.md matches its table (else: npm run docs)', (name, text) => {
  expect(read(`docs/${name}.md`)).toBe(text);
});

const program = shapeOfProgram();
const calls = createReferenceServer({ tellProfile: true })
  .app.routes.filter(({ path, method }) => path.startsWith('/_idport/') && method !== 'ALL')
  .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);

it.each([
  [
    'every type of event',
    named(read('docs/events.md'), /^\| `([a-z:]+)` \|/gm),
    named(read('src/events.ts').split('export type IdportEvent =')[1]!, /type: '([a-z:]+)'/g),
  ],
  [
    'every exit code',
    named(read('docs/exit-codes.md'), /^\| (\d+) \|/gm),
    Object.values(ExitCode).map(String),
  ],
  [
    'every code of reading and writing bytes',
    named(read('docs/inputs.md'), /^\| `((?:input|output):[a-z0-9-]+)` \|/gm),
    inSource(['src/lib', 'src/json', 'src/storage', 'src/errors.ts'], /'((?:input|output):[a-z0-9-]+)'/g),
  ],
  [
    'every call of the control interface',
    [...new Set(firstColumn(section('docs/server-control.md', '## The control interface', '\n## ')))],
    [...new Set(calls)],
  ],
  [
    'every field of a fault',
    [...firstColumn(section('docs/server-control.md', '## Faults', '\n## ')), 'body', 'headers'],
    Object.keys(faultSchema.shape),
  ],
  [
    'every reason for which a call is refused',
    named(section('docs/webhook-receiver.md', '| Reason |', 'All others get a 500'), /^\| `([\w-]+)` \|/gm),
    Object.keys(webhookProblems),
  ],
])('the pages list exactly %s', (_, listed, actual) => {
  expect(actual.length).toBeGreaterThan(3);
  expect(listed.toSorted()).toEqual(actual.toSorted());
});

/** Codes that other pages explain, or words that are no codes. */
const explained = new Set(
  'node:path input:syntax input:live input:element-too-large input:empty input:no-users'.split(' '),
);

it.each([
  ['docs/config.md', [...sharedFlags(program).keys()]],
  [
    'docs/config.md',
    verbsWithSettings(program).flatMap(({ flags }) => flags.flatMap(({ variable }) => variable ?? [])),
  ],
  [
    'docs/providers/auth0.md',
    inSource(['src/sources/auth0'], /'((?:input|password|mfa):[a-z-]+)'/g).filter(
      (code) => !explained.has(code) && !(code in reasons),
    ),
  ],
  [
    'docs/providers/keycloak.md',
    inSource(['src/sources/keycloak', 'src/flows/read/open-export.ts'], /'((?:[a-z]+-?)+:[a-z-]+)'/g).filter(
      (code) => !explained.has(code) && code !== 'idp:missing-id',
    ),
  ],
])('%s names %j', (page, names) => {
  const text = read(page) + (page.includes('keycloak') ? read('docs/providers/keycloak-fields.md') : '');
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

it.each([
  ['docs/providers/auth0.md', /\[`((?:password|record)[a-z:-]+)`\]/g],
  ['docs/providers/keycloak.md', /`((?!input:)[a-z-]+:[a-z-]+)`/g],
  ['docs/providers/keycloak-fields.md', /`((?!input:)[a-z-]+:[a-z-]+)`/g],
])('%s names only existing reasons', (page, pattern) => {
  const codes = named(read(page), pattern);
  expect(codes).not.toEqual([]);
  expect(codes.filter((code) => !(code in reasons))).toEqual([]);
});

it.each([
  ['import-users', `up to ${mostWaiting.toLocaleString('en')} users wait at a time`],
  ['webhooks', `up to ${longestTimeout}s`],
  ['webhook-receiver', `largest body; ${defaultMaxBytes / 1024 / 1024} MiB by default`],
])('docs/%s.md says: %s', (page, words) => {
  expect(read(`docs/${page}.md`).replaceAll(/\s+/g, ' ')).toContain(words);
});

const example = (page: string, language = 'json') => blocksIn(read(page), language)[0] ?? '';
const linesOf = (page: string) => example(page).trimEnd().split('\n');

it('the program accepts the example files of the pages', async () => {
  expect(parseConfig(example('docs/config.md'), 'docs', program)).toHaveProperty('shared.url');
  const events = linesOf('docs/events.md').map((line) => decodeEvent(line).event.type);
  expect(events).toEqual(['record:rejected', 'file:written']);
  const journal = linesOf('docs/resume.md').map((line) => decodeLine(line)?.kind);
  expect(journal).toEqual(['header', 'intent', 'outcome', 'end']);
  expect(faultSchema.safeParse(JSON.parse(example('docs/server-control.md'))).success).toBe(true);
  const actions = await readActionsFile('actions.yaml', example('docs/webhooks.md', 'yaml'));
  expect([actions.targets.length, actions.executions.length]).toEqual([1, 3]);
  const page = read('docs/webhook-receiver.md');
  const header = /^ZITADEL-Signature: (.*)$/m.exec(page)?.[1];
  const [, key = '', body = ''] = /for the key `(\w+)` and the\s+body `([^`]+)`/.exec(page) ?? [];
  expect(verifySignature({ body, header, key, now: 1_700_000_000_000 })).toMatchObject({ ok: true });
});

/** Flags of other programs, or made up as an example. */
const others = new Set(
  '--help --x --data-binary --dir --file --users-per-file --accounts --complete-insert --data-only'.split(
    ' ',
  ),
);
/** Pages that are also about npm, docker, the bench and the export commands of other systems. */
const aboutOthers = /^docs\/(?:performance\.md|testing\.md|sources\.md|sources\/)/;
/** `--no-x` counts as `--x`; `--version` is of no verb. */
const known = new Set(eachVerb(program).flatMap(({ flags }) => flags.map(({ name }) => `--${name}`)));
known.add('--version');
const flagsIn = (text: string) =>
  named(text, /(?<![\w-])(--[a-z][a-z0-9-]*)/g).map((flag) => flag.replace(/^--no-/, '--'));

it.each(docsPages.filter((name) => !aboutOthers.test(name)))('%s names only existing flags', (name) => {
  const text = read(name).replace(/\b(?:npm|npx|docker|brew) [^`\n]*|NODE_OPTIONS=[^`\n]*/g, '');
  expect(flagsIn(text).filter((flag) => !known.has(flag) && !others.has(flag))).toEqual([]);
});
