/** import-users, verify and undo as they are typed, against the reference server on a socket. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createReferenceServer, type InspectableServer } from '../../src/server/index.ts';
import type { Listening } from '../../src/server/options.ts';
import { reportFile } from '../../src/wire/report.ts';
import { createTestFolder } from '../support/folder.ts';
import { runProgram, type Ran } from '../support/program.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

const canary = '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.';
let server: InspectableServer;
let listening: Listening;

beforeEach(async () => {
  server = createReferenceServer({ profile: 'all-verifiers', rate: null });
  listening = await server.listen();
});
afterEach(() => server.close());

const textsOf = (ran: Ran): string =>
  ran.stdout + JSON.stringify(ran.events) + JSON.stringify(ran.problem ?? {});
const notice = (ran: Ran, code: string): string =>
  ran.events.flatMap((event) => (event.type === 'notice' && event.code === code ? [event.text] : [])).join();

test('users come over, are proven, and are rolled back', async () => {
  const cwd = createTestFolder();
  const sampleUsers = ['ann', 'bob', 'cyd'].map((name) => sampleUser(name));
  writeFileSync(join(cwd, 'body.json'), bodyOf(server.orgId, sampleUsers));
  writeFileSync(join(cwd, 'token'), server.tokens.iamOwner, { mode: 0o600 });
  const connection = [`--url=${listening.url}`, '--token-file=token'];
  const run = (...argv: string[]): Promise<Ran> => runProgram([...argv, ...connection], { cwd });

  const missing = await run('verify', 'body.json');
  expect(missing.exitCode).toBe(4);
  expect(missing.stdout).toBe('- old-ann ann\n- old-bob bob\n- old-cyd cyd\n');

  const rehearsed = await run('import-users', 'body.json', `--org=${server.orgId}`, '--dry-run');
  expect(rehearsed.exitCode).toBe(0);
  expect(notice(rehearsed, 'import:quote')).toContain('3 users of 3');

  const imported = await run('import-users', 'body.json', `--org=${server.orgId}`, '--report=report.json');
  expect(imported.problem).toBeUndefined();
  expect(imported.exitCode).toBe(0);

  const proven = await run('verify', 'body.json', '--all', '--id-map=body.json.ids.csv');
  expect(proven.problem).toBeUndefined();
  expect(proven).toMatchObject({ exitCode: 0, stdout: '= old-ann ann\n= old-bob bob\n= old-cyd cyd\n' });

  const dry = await run('undo', '--journal=body.json.users.journal');
  expect(dry.exitCode).toBe(0);
  expect(dry.stdout.trim().split('\n')).toHaveLength(3);
  const wrong = await run('undo', '--journal=body.json.users.journal', '--yes=2');
  expect(wrong.exitCode).toBe(2);
  expect(wrong.problem?.message).toBe('3 users would be deleted, not 2');
  const undone = await run('undo', '--journal=body.json.users.journal', '--yes=3');
  expect(undone.problem).toBeUndefined();
  expect(undone.exitCode).toBe(0);
  const humans = [...server.state.store.users.values()].filter(({ kind }) => kind === 'human');
  expect(humans).toEqual([]);

  for (const ran of [missing, rehearsed, imported, proven, dry, wrong, undone]) {
    expect(textsOf(ran)).not.toContain(canary);
    expect(textsOf(ran)).not.toContain(server.tokens.iamOwner);
  }
  for (const file of [
    'report.json',
    'body.json.users.journal',
    'body.json.ids.csv',
    'body.json.users.journal.undo',
  ]) {
    expect(readFileSync(join(cwd, file), 'utf8')).not.toContain(canary);
  }
});

test('the same again loses nothing of the first run: journal and id map are kept', async () => {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'body.json'), bodyOf(server.orgId, [sampleUser('twice')]));
  const env = { IDPORT_URL: listening.url, IDPORT_TOKEN: server.tokens.iamOwner };
  const run = (...argv: string[]): Promise<Ran> => runProgram(argv, { cwd, env });
  const importing = ['import-users', 'body.json', `--org=${server.orgId}`];

  await run(...importing);
  const again = await run(...importing);
  expect(again.problem).toBeUndefined();
  expect(notice(again, 'journal:kept')).toContain('body.json.users.journal.1');
  expect(notice(again, 'id-map:kept')).toContain('body.json.ids.csv.1');
  expect(readFileSync(join(cwd, 'body.json.ids.csv.1'), 'utf8')).toMatch(/^old-twice,old-twice,created$/m);
  expect(readFileSync(join(cwd, 'body.json.ids.csv'), 'utf8')).toMatch(/^old-twice,old-twice,existed$/m);

  const both = await run('undo', '--journal=body.json.users.journal');
  expect(notice(both, 'undo:quote')).toMatch(/^The 2 runs .* created 1 user; 1 of them would be deleted\./);
  const undone = await run('undo', '--journal=body.json.users.journal.1', '--yes=1');
  expect(undone.exitCode).toBe(0);
  expect(notice(undone, 'undo:quote')).toBe('The run created 1 user; 1 of them would be deleted.');
  const twice = await run('undo', '--journal=body.json.users.journal.1', '--yes=1');
  expect(twice.problem?.hint).toBe(
    'No user of this run is left to be deleted; idport runs lists the others of a folder.',
  );
});

test('a journal of a previous pass that is not there is said to be missing', async () => {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'body.json'), bodyOf(server.orgId, [sampleUser('late')]));
  const env = { IDPORT_URL: listening.url, IDPORT_TOKEN: server.tokens.iamOwner };
  const argv = ['import-users', 'body.json', `--org=${server.orgId}`, '--since-journal=first.journal'];
  const { problem, exitCode } = await runProgram(argv, { cwd, env });
  expect(exitCode).toBe(2);
  expect(problem?.message).toMatch(/first\.journal: there is no such file$/);
});

test('a run that ends before it begins does not speak of the journal that an earlier one left', async () => {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'body.json'), bodyOf(server.orgId, [sampleUser('early')]));
  const env = { IDPORT_URL: listening.url, IDPORT_TOKEN: server.tokens.iamOwner };
  const argv = ['import-users', 'body.json', `--org=${server.orgId}`];
  expect((await runProgram(argv, { cwd, env })).exitCode).toBe(0);
  const { problem } = await runProgram(argv, { cwd, env: { ...env, IDPORT_TOKEN: 'another' } });
  expect(problem?.message).toContain('401');
  expect(problem?.hint).not.toContain('--resume');

  const resumed = await runProgram([...argv, '--resume'], { cwd, env });
  expect(notice(resumed, 'import:quote')).toContain('less those that the journal has as done');
  const undone = await runProgram(['undo', '--journal=body.json.users.journal', '--yes=1'], { cwd, env });
  expect(undone.exitCode).toBe(0);
});

test('a run that gives up leaves a report, the rejects and the id map of those who had come so far', async () => {
  const cwd = createTestFolder();
  const env = { IDPORT_URL: listening.url, IDPORT_TOKEN: server.tokens.iamOwner };
  const idps = (name: string) => [{ configId: 'nowhere', externalUserId: name }];
  const names = Array.from({ length: 12 }, (_, at) => `limit-${at}`);
  const sampleUsers = names.map((name, at) => sampleUser(name, at % 2 === 1 ? { idps: idps(name) } : {}));
  writeFileSync(join(cwd, 'body.json'), bodyOf(server.orgId, sampleUsers));
  const read = (name: string): string => readFileSync(join(cwd, name), 'utf8');
  const importing = ['import-users', 'body.json', `--org=${server.orgId}`, '--concurrency=1'];
  const files = ['--report=report.json', '--rejects=rejects.ndjson'];

  const { exitCode, problem, events } = await runProgram([...importing, '--max-errors=2', ...files], {
    cwd,
    env,
  });
  expect(exitCode).toBe(1);
  expect(problem).toMatchObject({ code: 'import:too-many-errors' });
  expect(problem?.hint).toMatch(/The users until there are in report\.json and rejects\.ndjson\. .*--resume/);
  const written = events.flatMap((event) => (event.type === 'file:written' ? [event.what] : []));
  expect(written).toEqual(['rejects', 'report']);

  const report = reportFile.parse(JSON.parse(read('report.json')));
  expect(report.stopped).toContain('3 users were refused');
  expect(report.summary).toMatchObject({ rejected: 3, addsUp: true });
  const rejected = report.users.filter(({ outcome }) => outcome === 'rejected').map(({ id }) => id);
  expect(rejected).toEqual(['old-limit-1', 'old-limit-3', 'old-limit-5']);
  expect(read('rejects.ndjson').trim().split('\n')).toHaveLength(3);
  const { written: imported, withNotes } = report.summary;
  expect(read('body.json.ids.csv').match(/,created$/gm)).toHaveLength(imported + withNotes);
  expect(read('body.json.ids.csv').match(/,failed$/gm)).toHaveLength(3);

  const page = ['--report=report.md', '--max-errors=0', '--resume'];
  expect((await runProgram([...importing, ...page], { cwd, env })).exitCode).toBe(1);
  expect(read('report.md')).toMatch(
    /stopped after .*\n\n\*\*The run ended before its report was complete\.\*\* 1 user was refused/,
  );

  const resumed = await runProgram([...importing, '--resume', ...files], { cwd, env });
  expect(resumed.exitCode).toBe(3);
  const whole = reportFile.parse(JSON.parse(read('report.json')));
  expect(whole.stopped).toBeUndefined();
  expect(whole.summary).toMatchObject({ read: 12, rejected: 6 });
});

test('a run that was rolled back is not resumed, and the next run imports all users again', async () => {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'body.json'), bodyOf(server.orgId, [sampleUser('back')]));
  const env = { IDPORT_URL: listening.url, IDPORT_TOKEN: server.tokens.iamOwner };
  const run = (...argv: string[]): Promise<Ran> => runProgram(argv, { cwd, env });
  const importing = ['import-users', 'body.json', `--org=${server.orgId}`];
  await run(...importing);
  expect((await run('undo', '--journal=body.json.users.journal', '--yes=1')).exitCode).toBe(0);

  const { exitCode, problem } = await run(...importing, '--resume');
  expect(exitCode).toBe(2);
  expect(problem?.message).toContain('rolled back: idport undo deleted 1 user');
  const since = ['--since-journal=body.json.users.journal', '--journal=second.journal'];
  const second = await run(...importing, ...since);
  expect(second.problem).toBeUndefined();
  expect(notice(second, 'import:quote')).toContain('1 user of 1');
  const undone = await run('undo', '--journal=second.journal', '--yes=1');
  expect(undone.exitCode).toBe(0);
  expect((await run(...importing)).exitCode).toBe(0);
  const again = await run('undo', '--journal=body.json.users.journal', '--yes=1');
  expect(again.exitCode).toBe(0);
});

test.each([
  ['auto', 'inactive'],
  // Has not answered the initialization email, and cannot be deactivated.
  ['v1', 'locked'],
])('with --api=%s a disabled user is %s', async (api, status) => {
  const cwd = createTestFolder();
  const own = createReferenceServer({ profile: 'all-verifiers', rate: null });
  const { url } = await own.listen();
  const env = { IDPORT_URL: url, IDPORT_TOKEN: own.tokens.iamOwner };
  const user = { id: 'off', username: 'off', enabled: false, firstName: 'Off', lastName: 'Off' };
  const realm = { realm: 'r', users: [{ ...user, email: 'off@example.com' }] };
  writeFileSync(join(cwd, 'realm.json'), JSON.stringify(realm));
  const source = ['--from=keycloak', '--realm=realm.json', `--org=${own.orgId}`];
  const flags = [`--api=${api}`, '--max-emails=unlimited', '--report=report.json'];
  const ran = await runProgram(['import-users', ...source, ...flags], { cwd, env });
  expect(ran.problem).toBeUndefined();
  const report = reportFile.parse(JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')));
  const codes = report.users.flatMap(({ reasons }) => reasons.map(({ code }) => code));
  expect(codes.filter((code) => /state/.test(code))).toEqual([]);
  expect([...own.state.store.users.values()].find(({ userName }) => userName === 'off')).toMatchObject({
    status,
  });
  await own.close();
});
