// Runs every check in turn, which prints only failures, and the tests. `--suite slow` runs the slow tests
// (`*.slow.test.ts`) and tries the packed package instead, `--suite all` does both. `--tests` runs only tests,
// `--coverage` measures which lines they run and fails below scripts/coverage-floor.json, `--label <word>` is printed
// before the closing line.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: flags } = parseArgs({
  options: {
    suite: { type: 'string', default: 'default' },
    tests: { type: 'boolean', default: false },
    coverage: { type: 'boolean', default: false },
    label: { type: 'string', default: '' },
  },
});

/**
 * Tests that type the commands of pages. The proof of the package runs them too, so they are left out unless lines are
 * counted.
 */
const ofPackage = 'test/docs/{pages,library}.slow.test.ts';

/** Arguments that select the projects of vitest.config.ts for each suite. */
const suites = { default: ['--project=!slow'], slow: ['--project=slow'], all: [] };
const projects = suites[flags.suite];
if (projects === undefined) {
  console.error(`--suite ${flags.suite}: expected ${Object.keys(suites).join(', ')}`);
  process.exit(2);
}

const checks = [
  ['format', 'oxfmt', ['--check']],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['types', 'tsc', ['-p', 'tsconfig.json']],
  ['types of the page', 'tsc', ['-p', 'src/page']],
  // Before Node 20.19, the parser of knip needs the flag.
  [
    'unused code',
    process.execPath,
    ['--experimental-require-module', join('node_modules', 'knip', 'bin', 'knip.js')],
  ],
  ['words', process.execPath, [join('scripts', 'words.js')]],
];

const failed = [];
if (!flags.tests) {
  if (flags.suite !== 'slow') for (const check of checks) report(await run(...check));
  report(await run('build', process.execPath, [join('scripts', 'build.js')]));
}
// Runs in parallel with the tests, which sometimes wait for other programs.
const proof =
  flags.tests || flags.suite === 'default'
    ? undefined
    : run('package', process.execPath, [join('scripts', 'smoke.js')]);
const counts = await runTests();
if (proof) report(await proof);

if (failed.length > 0) console.log(`\nNot good: ${failed.join(', ')}.`);
if (counts) {
  const { passed, failures, skipped } = counts;
  const label = flags.label === '' ? '' : `${flags.label}: `;
  const tail = skipped > 0 ? `, ${skipped} skipped` : '';
  for (const [need, places] of skippedBy(counts.tests)) console.log(`skipped  needs ${need}: ${places}`);
  console.log(`${label}${passed} passed, ${failures} failed${tail}`);
}
process.exitCode = failed.length > 0 ? 1 : 0;

async function run(name, command, args) {
  const begin = performance.now();
  const child = spawn(binary(command), args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, FORCE_COLOR: '0' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const [status] = await once(child, 'close').catch((error) => [String(error)]);
  return { name, output, status, seconds: ((performance.now() - begin) / 1000).toFixed(1) };
}

/** Prints the result of a step, with its output only if it has failed. */
function report({ name, output, status, seconds }) {
  if (status === 0) {
    console.log(`ok       ${name} (${seconds} s)`);
    return;
  }
  failed.push(name);
  console.log(`FAILED   ${name} (${seconds} s): ${status}\n${output}`);
}

/** Runs the tests with their own output, and counts them in the report of the test runner. */
async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'idport-test-'));
  const counts = join(folder, 'counts.json');
  try {
    const child = spawn(
      process.execPath,
      [
        join('node_modules', 'vitest', 'vitest.mjs'),
        'run',
        ...projects,
        ...(proof && !flags.coverage ? ['--exclude', ofPackage] : []),
        '--reporter=dot',
        '--reporter=json',
        `--outputFile.json=${counts}`,
        ...(flags.coverage ? ['--coverage', ...floors()] : []),
      ],
      {
        cwd: root,
        stdio: ['ignore', 'inherit', 'inherit'],
        env: process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1' },
      },
    );
    const [status] = await once(child, 'close');
    if (status !== 0) failed.push('tests');
    const counted = JSON.parse(readFileSync(counts, 'utf8'));
    return {
      passed: counted.numPassedTests,
      failures: counted.numFailedTests,
      skipped: counted.numPendingTests + counted.numTodoTests,
      tests: counted.testResults.flatMap(({ name, assertionResults }) =>
        assertionResults.map(({ status, fullName }) => ({ file: relative(root, name), status, fullName })),
      ),
    };
  } catch (error) {
    console.log(`FAILED   tests: no report of the test runner (${error.message})`);
    if (!failed.includes('tests')) failed.push('tests');
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns what was absent, and how many tests in which files needed it. The title of a test says what it needs. */
function skippedBy(tests) {
  const byNeed = new Map();
  for (const { file, status, fullName } of tests) {
    if (status !== 'skipped' && status !== 'pending') continue;
    const need = /\(needs ([^)]+)\)/.exec(fullName)?.[1] ?? `what "${fullName}" does not say`;
    const files = byNeed.get(need) ?? new Map();
    byNeed.set(need, files.set(file, (files.get(file) ?? 0) + 1));
  }
  return [...byNeed].map(([need, files]) => [
    need,
    [...files].map(([file, count]) => `${count} in ${file}`).join(', '),
  ]);
}

/**
 * Returns the coverage that both suites together must reach. A part of the tests is measured without it: `npx vitest run
 * <files> --coverage`.
 */
function floors() {
  const floor = JSON.parse(readFileSync(join(root, 'scripts', 'coverage-floor.json'), 'utf8'));
  return Object.entries(floor).map(([what, percent]) => `--coverage.thresholds.${what}=${percent}`);
}

function binary(command) {
  return command === process.execPath ? command : join(root, 'node_modules', '.bin', command);
}
