/** The reports of a cutover against the reference server, as pages and in the other forms. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { reportFormats } from '../../src/wire/reports.ts';
import { until } from '../support/clock.ts';
import { noticesOf, textsOf, type Workspace, openWorkspace, succeeded } from '../support/workspace.ts';
import { elsewhere, typicalRealm as realm, writeLock } from '../support/folder.ts';
import { githubOf } from '../support/page.ts';
import { wordsOf } from '../support/reports.ts';
import { bodyOf, sampleUser, userNames } from '../support/users-run.ts';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await openWorkspace({ orgId: '100' });
  workspace.write('logins.csv', 'user,password\nada,harbour-lights-1\nada,wrong-1\n');
});

const run = (line: string) => workspace.run(line);
const read = (name: string) => workspace.read(name);
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

const migrate = `migrate keycloak --org=100 --realm=${realm} --target-profile=hosted`;

/** Checked against the published shape. */
function readJson(name: string) {
  const value = JSON.parse(read(name)) as { format: keyof typeof reportFormats };
  return reportFormats[value.format].file.parse(value) as unknown as Record<string, Record<string, unknown>>;
}

const pageText = (name: string) => wordsOf(read(name));

it('report makes one page of all steps, from reports of published shape', { timeout: 180_000 }, async () => {
  const importing = 'import-users importBody.json --org=100 --max-emails=unlimited';
  for (const [line, exitCode] of [
    [`${migrate} --report=migrate.html`, 0],
    ['check importBody.json --max-emails=unlimited --report=check.html', 4],
    [`${importing} --report=import.html`, 0],
    ['verify importBody.json --login-sample=logins.csv --report=verify.html', 4],
    ['undo --journal=importBody.json.users.journal --yes=7 --report=undo.html', 0],
  ] as const)
    expect([line, (await run(line)).exitCode]).toEqual([line, exitCode]);

  const steps = ['migrate', 'check', 'import', 'verify', 'undo'];
  for (const step of steps) {
    expect(read(`${step}.html`)).toMatch(/^<!doctype html>/);
    const { run: facts } = readJson(`${step}.html.json`);
    expect(facts).toMatchObject({ version: '0.0.0', node: process.versions.node });
    expect(facts!['command']).toContain(`--report=${step}.html`);
    expect(Number(facts!['requests']) > 0).toBe(step !== 'migrate');
  }
  expect(readJson('migrate.html.json')['run']).toMatchObject({
    profile: 'hosted',
    organizations: ['100'],
    inputs: [{ name: realm, sha256: sha256(readFileSync(realm)) }],
    outputs: [{ name: './importBody.json', sha256: sha256(read('importBody.json')) }],
  });
  expect(readJson('undo.html.json')).toMatchObject({ dryRun: false, summary: { created: 7, deleted: 7 } });

  const reports = steps.map((step) => `${step}.html.json`);
  const { events } = await succeeded(run(`report ${reports.join(' ')} --output=cutover.html`));
  expect(events).toContainEqual(expect.objectContaining({ type: 'file:written', path: 'cutover.html' }));
  const text = pageText('cutover.html');
  for (const words of [
    'migrate keycloak: 8 users read = 7 written + 0 rejected + 1 skipped.',
    'import-users: 7 users read = 7 written + 0 rejected + 0 skipped.',
    'verify, before the rollback: 7 same, 0 missing at the target, 0 different, 0 only at the target, 0 unknown.',
    'logins: 1 of 2 test users signed in.',
    'undo: 7 of 7 users deleted.',
    'TOTP, migrated 1',
    'argon2id 2 0',
    sha256(read('importBody.json')),
  ]) {
    expect(text).toContain(words);
  }
  expect(text).toMatch(/Test logins ada: could not log in.* ada: logged in/);
  expect(text).not.toContain('not run');
});

it('the step summary of GitHub names the command and its files, and no secret', async () => {
  const env = { GITHUB_STEP_SUMMARY: 'summary.md' };
  const { events } = await workspace.run(`${migrate} --output=body.json`, { env });
  const step = githubOf(events, 100).summary.replaceAll(/ +/g, ' ');
  expect(step).toContain('| target profile | hosted |');
  expect(step).toContain(`SHA-256 ${sha256(readFileSync(realm))}`);
  expect(step).toContain('--output=body.json');
  expect((await run(migrate)).events.filter(({ type }) => type === 'run:facts')).toEqual([]);
});

it('--report of a refused run keeps a complete report as .1, and replaces no foreign file', async () => {
  const refused = 'migrate keycloak --org=100 --realm=nowhere.json';
  for (const [name, text] of [
    ['notes.md', '# idport migrate\n\nOur notes.\n'],
    ['ours.html', '<!doctype html>\n<title>idport and we</title>\n'],
  ] as const) {
    workspace.write(name, text);
    expect((await run(`${refused} --report=${name}`)).exitCode).not.toBe(0);
    expect(read(name)).toBe(text);
  }
  for (const name of ['r.md', 'r.html', 'r.json']) {
    await run(`${migrate} --report=${name}`);
    const before = read(name);
    const first = await run(`${refused} --report=${name}`);
    expect(read(name)).not.toBe(before);
    expect(textsOf(first, 'report:kept').join()).toContain(`${name}.1`);
    await run(`${refused} --report=${name}`);
    expect([read(name), read(`${name}.1`)]).toEqual([expect.stringContaining('nowhere.json'), before]);
    expect(workspace.has(`${name}.2`)).toBe(false);
  }
});

it('a run without the journal leaves report and rejects file to the run that has it', async () => {
  workspace.writeBody('body.json', userNames(12));
  const line = 'import-users body.json --org=100 --max-emails=unlimited --report=r.json --rejects=r.jsonl';
  await succeeded(run(line));
  const files = () =>
    workspace
      .list()
      .filter((name) => name.includes('r.json'))
      .map((name) => [name, read(name)]);
  const before = files();
  const lock = 'body.json.users.journal.lock';
  const lockElsewhere = () => writeLock(join(workspace.cwd, lock), elsewhere);
  lockElsewhere();
  const held = await run(line);
  expect([held.exitCode, held.problem?.code, files()]).toEqual([2, 'journal:held', before]);
  workspace.remove(lock);
  workspace.writeBody('body.json', userNames(30));
  const running = run(`${line} --rate=20/s`);
  await until(() => workspace.has(lock));
  workspace.remove(lock);
  lockElsewhere();
  const stopped = await running;
  expect([stopped.problem?.code, files()]).toEqual(['journal:lock-lost', before]);
});

it('undo --report of a dry run reports that no user was deleted', async () => {
  await run(migrate);
  await run('import-users importBody.json --org=100 --max-emails=unlimited');
  const undo = 'undo --journal=importBody.json.users.journal';
  for (const report of ['dry.json', 'dry.md']) await run(`${undo} --report=${report}`);
  expect(readJson('dry.json')).toMatchObject({ dryRun: true, summary: { created: 7, deleted: 0 } });
  expect(read('dry.md')).toContain('Nothing was deleted');
});

describe('a run that stops before its report is complete', () => {
  const ann = sampleUser('ann', { hashedPassword: undefined, email: { email: 'ann@example.com' } });
  beforeEach(() => {
    workspace.write('body.json', bodyOf('100', [ann], { org: { name: 'Acme' } }));
    workspace.write('other-org.json', bodyOf('999', [ann]));
    workspace.write('wrong.token', 'not-a-token');
  });

  it.each([
    ['organization missing', 2, 'import other-org.json --max-emails=unlimited'],
    ['too many emails', 4, 'import body.json --max-emails=0'],
    ['a dry run', 0, 'import body.json --dry-run --max-emails=unlimited'],
    ['too many emails', 4, 'import-users body.json --org=100 --send-verification'],
    ['token refused', 1, 'import-users body.json --org=100 --max-emails=unlimited --token-file=wrong.token'],
    ['token refused', 1, 'check body.json --token-file=wrong.token'],
    ['token refused', 1, 'verify body.json --token-file=wrong.token'],
    ['no journal', 1, 'undo --journal=none.journal'],
    ['no export', 1, 'migrate keycloak --org=100 --realm=none.json'],
  ])('%s (%i): %s writes the reason to the report in each format', async (_, code, line) => {
    const problemOf = async (report: string) => {
      const { exitCode, events, problem } = await run(`${line} --report=${report}`);
      const written = expect.objectContaining({ type: 'file:written', path: report, what: 'report' });
      expect([exitCode, events]).toEqual([code, expect.arrayContaining([written])]);
      return problem;
    };
    await problemOf('r.md');
    expect(read('r.md')).toContain('**The run ended before its report was complete.**');
    await problemOf('r.html');
    expect(pageText('r.html')).toContain('stopped before its end');
    expect(readJson('r.html.json')).toMatchObject({ format: 'idport-stopped-report', exitCode: code });
    const problem = await problemOf('r.json');
    const { stopped, hint } = readJson('r.json');
    expect([stopped, hint]).toEqual([problem?.message ?? /./, problem?.hint]);
  });

  it.skipIf(process.platform === 'win32')(
    'does not read a pipe of --report (needs Linux or macOS)',
    async () => {
      const path = join(workspace.cwd, 'pipe.json');
      execFileSync('mkfifo', [path]);
      const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
      try {
        const mine = '{"format":"idport-report"';
        writeSync(pipe, mine);
        const ran = await run('verify body.json --token-file=wrong.token --report=pipe.json');
        expect(ran.exitCode).toBeGreaterThan(0);
        const bytes = Buffer.alloc(64 * 1024);
        expect(bytes.toString('utf8', 0, readSync(pipe, bytes))).toBe(mine);
      } finally {
        closeSync(pipe);
      }
    },
  );
});

it('every verb names organizations that the export lacks, and report does not call the import ready', async () => {
  const humanUsers = [sampleUser('ann')];
  workspace.write('export.json', { orgs: [{ orgId: '100', humanUsers }], lost: '200, 300' });
  const send = (verb: string) => `${verb} --max-emails=unlimited --report=import.json`;
  const lacks =
    'export.json lacks organizations that its source could not export: 200, 300. Their users are neither imported nor compared.';
  for (const [line, exitCode, text] of [
    ['check export.json --max-emails=unlimited', 0, lacks],
    ['import export.json --dry-run', 3, lacks],
    [send('import export.json'), 3, lacks],
    ['undo --journal=export.json.journal --yes=1', 0, ''],
    ['import-users export.json --org=body --dry-run', 3, lacks],
    [send('import-users export.json --org=body'), 3, lacks],
    ['verify export.json --report=verify.json', 0, lacks],
  ] as const) {
    const ran = await run(line);
    expect([line, ran.exitCode, noticesOf(ran, 'copy:lost')]).toEqual([line, exitCode, text]);
  }
  await run('report import.json verify.json --output=page.html');
  expect(pageText('page.html')).toContain('Not ready: export.json lacks organizations');
});
