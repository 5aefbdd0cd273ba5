// `npm run quick`: runs types, lint, words, and the tests that import a file changed since the last commit (slow ones
// only if they changed themselves), all at once. `npm run quick -- main` compares with that commit instead.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [since = 'HEAD'] = process.argv.slice(2);

const changed = new Set([
  ...git('diff', '--name-only', '--diff-filter=d', since),
  ...git('ls-files', '--others', '--exclude-standard'),
]);
const tests = git('ls-files', '--cached', '--others', '--exclude-standard', '--', 'test').filter(
  (file) =>
    file.endsWith('.test.ts') &&
    (changed.has(file) ||
      (!file.endsWith('.slow.test.ts') && importsOf(file).some((path) => changed.has(path)))),
);

const begin = performance.now();
const steps = [
  // Checks only what has changed since the last time.
  [
    'types',
    'tsc',
    ['-p', 'tsconfig.json', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/quick.tsbuildinfo'],
  ],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['format', 'oxfmt', ['--check']],
  ['words', process.execPath, ['scripts/words.js']],
  ...(tests.length === 0 ? [] : [['tests', 'vitest', ['run', '--reporter=dot', ...tests]]]),
];
const results = await Promise.all(steps.map(run));
const seconds = ((performance.now() - begin) / 1000).toFixed(1);
const failed = results.filter(({ status }) => status !== 0);
for (const { name, output } of failed) console.log(`FAILED   ${name}\n${output}`);
console.log(`${failed.length === 0 ? 'ok' : 'Not good'}: ${tests.length} test files, ${seconds} s`);
process.exitCode = failed.length === 0 ? 0 : 1;

function run([name, command, args]) {
  const file = command === process.execPath ? command : join(root, 'node_modules', '.bin', command);
  const child = spawn(file, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  return new Promise((done) => {
    child.on('close', (status) => done({ name, status, output }));
  });
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
}

function importsOf(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const imports = text.matchAll(/from '(\.[^']+)'/g);
  return Array.from(imports, ([, path]) => relative(root, resolve(root, dirname(file), path)));
}
