/** The reports of a cutover against the reference server, as pages and in the other forms. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reportFormats } from '../../src/wire/reports.ts';
import { createGithub } from '../../src/terminal/github.ts';
import { noPaint } from '../../src/terminal/paint.ts';
import type { IdportEvent } from '../../src/events.ts';
import { createFakeClock } from '../support/clock.ts';
import { createTestFolder } from '../support/folder.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Ran, runProgram } from '../support/program.ts';
import { wordsOf } from '../support/reports.ts';

const realm = fileURLToPath(new URL('../../fixtures/keycloak/typical/realm.json', import.meta.url));
let cwd: string;
let instance: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  instance = await startInstance(cwd, 'target', { orgId: '100' });
  writeFileSync(join(cwd, 'logins.csv'), 'user,password\nada,harbour-lights-1\nada,wrong-1\n');
});
afterEach(() => instance.close());

const run = (...argv: string[]): Promise<Ran> => runProgram(argv, { cwd });
const read = (name: string): string => readFileSync(join(cwd, name), 'utf8');
const sha256 = (name: string): string => createHash('sha256').update(read(name)).digest('hex');

const migrate = ['migrate', 'keycloak', '--org=100', `--realm=${realm}`, '--target-profile=hosted'];

/** Checked against the published shape. */
function readJson(name: string): Record<string, Record<string, unknown>> {
  const value = JSON.parse(read(name)) as { format: keyof typeof reportFormats };
  return reportFormats[value.format].file.parse(value) as unknown as Record<string, Record<string, unknown>>;
}

function stepSummary(events: readonly IdportEvent[]): string {
  let text = '';
  const output = {
    print: () => {},
    summarize: (part: string) => void (text += part),
    width: 100,
    paint: noPaint,
  };
  const emit = createGithub(output, createFakeClock());
  for (const event of events) emit(event);
  return text.replaceAll(/ +/g, ' ');
}

const pageText = (name: string): string => wordsOf(read(name));

it('makes a page of a whole cutover, of reports in the published shape', { timeout: 180_000 }, async () => {
  const { flags } = instance;
  expect((await run(...migrate, '--report=migrate.html')).exitCode).toBe(0);
  await run('check', 'importBody.json', ...flags, '--max-emails=unlimited', '--report=check.html');
  const users = ['import-users', 'importBody.json', '--org=100', '--max-emails=unlimited'];
  expect((await run(...users, ...flags, '--report=import.html')).exitCode).toBe(0);
  const verify = ['verify', 'importBody.json', '--login-sample=logins.csv'];
  expect((await run(...verify, ...flags, '--report=verify.html')).exitCode).toBe(4);
  const undo = ['undo', '--journal=importBody.json.users.journal'];
  expect((await run(...undo, '--yes=7', ...flags, '--report=undo.html')).exitCode).toBe(0);

  const steps = ['migrate', 'check', 'import', 'verify', 'undo'];
  for (const step of steps) {
    expect(read(`${step}.html`)).toMatch(/^<!doctype html>/);
    const { run: facts } = readJson(`${step}.html.json`);
    expect(facts).toMatchObject({ version: '0.0.0', node: process.versions.node });
    expect(facts!['command']).toContain(`--report ${step}.html`);
    expect(Number(facts!['requests']) > 0).toBe(step !== 'migrate');
  }
  expect(readJson('migrate.html.json')['run']).toMatchObject({
    profile: 'hosted',
    organizations: ['100'],
    inputs: [{ name: realm, sha256: createHash('sha256').update(readFileSync(realm)).digest('hex') }],
    outputs: [{ name: './importBody.json', sha256: sha256('importBody.json') }],
  });
  expect(readJson('undo.html.json')).toMatchObject({ dryRun: false, summary: { created: 7, deleted: 7 } });

  const reports = steps.map((step) => `${step}.html.json`);
  const { exitCode, events } = await run('report', ...reports, '--output=cutover.html');
  expect(exitCode).toBe(0);
  expect(events).toContainEqual(expect.objectContaining({ type: 'file:written', path: 'cutover.html' }));
  const text = pageText('cutover.html');
  for (const words of [
    'migrate keycloak: 8 users read = 7 written + 0 rejected + 1 skipped.',
    'import-users: 7 users read = 7 written + 0 rejected + 0 skipped.',
    'verify: 7 same, 0 missing at the target, 0 different, 0 only at the target, 0 unknown.',
    'logins: 1 of 2 test users signed in.',
    'undo: 7 of 7 users deleted.',
    'TOTP, migrated 1',
    'argon2id 2 0',
    sha256('importBody.json'),
  ]) {
    expect(text).toContain(words);
  }
  expect(text).not.toContain('not run');
});

it('says in the summary of a step what was run, with which files, and no secret', async () => {
  const { events } = await runProgram([...migrate, '--output=body.json'], {
    cwd,
    env: { GITHUB_STEP_SUMMARY: 'summary.md' },
  });
  const step = stepSummary(events);
  expect(step).toContain('| target profile | hosted |');
  expect(step).toContain(`SHA-256 ${createHash('sha256').update(readFileSync(realm)).digest('hex')}`);
  expect(step).toContain('--output body.json');
  expect((await run(...migrate)).events.filter(({ type }) => type === 'run:facts')).toEqual([]);
});

it('replaces a report by that of a run that was refused, and no other file', async () => {
  const refused = ['migrate', 'keycloak', '--org=100', '--realm=nowhere.json'];
  for (const [name, text] of [
    ['notes.md', '# idport migrate\n\nOur notes.\n'],
    ['ours.html', '<!doctype html>\n<title>idport and we</title>\n'],
  ] as const) {
    writeFileSync(join(cwd, name), text);
    expect((await run(...refused, `--report=${name}`)).exitCode).not.toBe(0);
    expect(read(name)).toBe(text);
  }
  for (const name of ['r.md', 'r.html', 'r.json']) {
    await run(...migrate, `--report=${name}`);
    const before = read(name);
    await run(...refused, `--report=${name}`);
    expect(read(name)).not.toBe(before);
    await run(...refused, `--report=${name}`);
    expect(read(name)).toContain('nowhere.json');
  }
});

describe('undo --report', () => {
  it('names who is not deleted, and says that a dry run has deleted no user', async () => {
    await run(...migrate);
    await run('import-users', 'importBody.json', '--org=100', '--max-emails=unlimited', ...instance.flags);
    const undo = ['undo', '--journal=importBody.json.users.journal', ...instance.flags];
    await run(...undo, '--report=dry.json');
    expect(readJson('dry.json')).toMatchObject({ dryRun: true, summary: { created: 7, deleted: 0 } });
    await run(...undo, '--report=dry.md');
    expect(read('dry.md')).toContain('Nothing was deleted');
  });
});

describe('a run that ends before it has anything to report', () => {
  const body = (orgId: string): string =>
    JSON.stringify({
      dataOrgs: {
        orgs: [
          {
            orgId,
            ...(orgId === '100' ? { org: { name: 'Acme' } } : {}),
            humanUsers: [
              {
                userId: 'u1',
                user: {
                  userName: 'ann',
                  profile: { firstName: 'Ann', lastName: 'A' },
                  email: { email: 'ann@example.com' },
                },
              },
            ],
          },
        ],
      },
      timeout: '1m',
    });
  beforeEach(() => {
    writeFileSync(join(cwd, 'body.json'), body('100'));
    writeFileSync(join(cwd, 'other-org.json'), body('999'));
    writeFileSync(join(cwd, 'wrong.token'), 'not-a-token', { mode: 0o600 });
  });
  const withWrongToken = (): string[] => [`--url=${instance.url}`, '--token-file=wrong.token'];

  it.each([
    [
      'import, organization missing',
      2,
      () => ['import', 'other-org.json', '--max-emails=unlimited', ...instance.flags],
    ],
    ['import, too many emails', 4, () => ['import', 'body.json', '--max-emails=0', ...instance.flags]],
    [
      'import, a dry run',
      0,
      () => ['import', 'body.json', '--dry-run', '--max-emails=unlimited', ...instance.flags],
    ],
    [
      'import-users, too many emails',
      4,
      () => ['import-users', 'body.json', '--org=100', '--send-verification', ...instance.flags],
    ],
    [
      'import-users, token refused',
      1,
      () => ['import-users', 'body.json', '--org=100', '--max-emails=unlimited', ...withWrongToken()],
    ],
    ['check, token refused', 1, () => ['check', 'body.json', ...withWrongToken()]],
    ['verify, token refused', 1, () => ['verify', 'body.json', ...withWrongToken()]],
    ['undo, no journal', 1, () => ['undo', '--journal=none.journal', ...instance.flags]],
    ['migrate, no export', 1, () => ['migrate', 'keycloak', '--org=100', '--realm=none.json']],
  ] as const)('%s: its report says why, in each form', async (title, code, argv) => {
    for (const form of ['json', 'md', 'html']) {
      const { exitCode, events, problem } = await run(...argv(), `--report=r.${form}`);
      expect({ title, exitCode }).toEqual({ title, exitCode: code });
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'file:written', path: `r.${form}`, what: 'report' }),
      );
      const told = form === 'json' ? readJson('r.json') : undefined;
      const problems = told === undefined || problem === undefined ? [] : [[told, problem] as const];
      for (const [{ stopped, hint }, { message, hint: advice }] of problems)
        expect({ stopped, hint }).toEqual({ stopped: message, hint: advice });
    }
    expect(readJson('r.json')['stopped']).toMatch(/./);
    expect(read('r.md')).toContain('**The run ended before its report was complete.**');
    expect(pageText('r.html')).toContain('stopped before its end');
    expect(readJson('r.html.json')).toMatchObject({ format: 'idport-stopped-report', exitCode: code });
  });

  it.skipIf(process.platform === 'win32')(
    'does not read a pipe to see what it is (needs Linux or macOS)',
    async () => {
      const path = join(cwd, 'pipe.json');
      execFileSync('mkfifo', [path]);
      const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
      try {
        const mine = '{"format":"idport-report"';
        writeSync(pipe, mine);
        const ran = await run('verify', 'body.json', ...withWrongToken(), '--report=pipe.json');
        expect(ran.exitCode).toBeGreaterThan(0);
        const bytes = Buffer.alloc(64 * 1024);
        expect(bytes.toString('utf8', 0, readSync(pipe, bytes))).toBe(mine);
      } finally {
        closeSync(pipe);
      }
    },
  );
});

describe('refuses', () => {
  it.each([
    [['report', 'a.json', '--output=page.txt'], 'must end in .html'],
    [['report', 'missing.json', '--output=page.html'], 'missing.json'],
    [['report', 'other.json', '--output=page.html'], 'it is not a report of idport'],
    [['report', 'other.json', '--output=other.json'], 'must end in .html'],
    [['report', 'run.html', '--output=page.html'], 'run.html is a page'],
    [['report', '--output=page.html'], 'missing required argument'],
  ])('%j', async (argv, problem) => {
    writeFileSync(join(cwd, 'other.json'), '{"users":[]}');
    const ran = await run(...argv);
    expect(ran.exitCode).toBeGreaterThan(0);
    expect(ran.problem?.message).toContain(problem);
    expect(() => read('page.html')).toThrow('ENOENT');
  });
});
