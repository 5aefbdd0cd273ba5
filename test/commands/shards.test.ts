/** One import in several processes: each takes its users, and their files together are those of one run. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { reportFile } from '../../src/wire/reports.ts';
import { eventOf, textsOf } from '../support/events.ts';
import { createTestFolder } from '../support/folder.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Ran, runProgram } from '../support/program.ts';
import { bodyOf, sampleUser, userNames } from '../support/users-run.ts';

const users = 60;
let cwd: string;
let instance: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  instance = await startInstance(cwd, 'target', { orgId: '100' });
  writeFileSync(join(cwd, 'body.json'), body());
});
afterEach(() => instance.close());

/** Every tenth user cannot be read, every fifth has metadata in a list of its own. */
function body(): string {
  const names = userNames(users);
  const userMetadata = names
    .filter((_, at) => at % 5 === 0)
    .map((name) => ({ id: `old-${name}`, key: 'team', value: 'Ymx1ZQ==' }));
  const all = names.map((name, at) => sampleUser(name, at % 10 === 3 ? { userName: '' } : {}));
  return bodyOf('100', all, { userMetadata });
}

const run = (...argv: string[]): Promise<Ran> =>
  runProgram([...argv, ...(argv[0] === 'merge' ? [] : instance.flags)], { cwd });
const read = (name: string): string => readFileSync(join(cwd, name), 'utf8');
const importShard = (shard: string, ...more: string[]): Promise<Ran> =>
  run('import-users', 'body.json', '--org=100', `--shard=${shard}`, '--report=report.json', ...more);
const shards = ['1/3', '2/3', '3/3'];
const noticesOf = (ran: Ran): string => textsOf(ran).join('\n');
const journal = 'body.json.users.journal';
const undo = (count: string | number, ...more: string[]): Promise<Ran> =>
  run('undo', `--journal=${journal}`, `--yes=${count}`, ...more);
const reportOf = (name: string) => reportFile.parse(JSON.parse(read(name)));

it('imports each user once, and counts each in one report', async () => {
  const before = instance.server.state.store.users.size;
  for (const shard of shards) expect((await importShard(shard)).problem).toBeUndefined();
  expect(instance.server.state.store.users.size - before).toBe(54);

  const reports = [1, 2, 3].map((shard) => reportOf(`report.${shard}-of-3.json`));
  for (const { summary } of reports) expect(summary.addsUp && summary.read > 0).toBe(true);
  expect((await run('merge', 'report.json')).exitCode).toBe(0);
  const { summary, run: facts, users: listed } = reportOf('report.json');
  expect(summary).toMatchObject({ read: users, rejected: 6, skipped: 0, addsUp: true });
  expect(summary.written + summary.withNotes).toBe(54);
  expect(listed).toHaveLength(reports.reduce((sum, report) => sum + report.users.length, 0));
  expect(facts).toMatchObject({
    requests: reports.reduce((sum, report) => sum + (report.run?.requests ?? 0), 0),
  });
});

it('joins to files of one run, which verifies, has nothing left to resume, and is rolled back', async () => {
  for (const shard of shards) await importShard(shard);
  expect((await run('merge', journal, 'body.json.ids.csv')).problem).toBeUndefined();

  const ids = read('body.json.ids.csv').trim().split('\n');
  expect(ids).toHaveLength(1 + 54);
  expect(new Set(ids.map((line) => line.split(',')[0])).size).toBe(55);
  const verified = await run('verify', 'body.json', '--id-map=body.json.ids.csv');
  expect(eventOf(verified, 'verify:end').users).toMatchObject({ same: 54, missing: 0, extra: 0 });
  const again = await run('import-users', 'body.json', '--org=100', '--resume');
  expect(again.problem).toBeUndefined();
  expect(instance.server.state.store.users.size).toBeGreaterThan(54);
  const undone = await undo(54);
  expect(undone.exitCode).toBe(0);
  expect(noticesOf(undone)).toContain('54 users deleted.');
});

it('joined journals are rolled back with the project of the shard that began first, whichever that was', async () => {
  const { state } = instance.server;
  const projects = [{ projectId: '4711', project: { name: 'Harbour' } }];
  const projectRoles = [{ projectId: '4711', roleKey: 'reader', displayName: 'Reader' }];
  writeFileSync(join(cwd, 'body.json'), bodyOf('100', userNames(12), { projects, projectRoles }));
  for (const shard of ['2/3', '1/3', '3/3']) expect((await importShard(shard)).problem).toBeUndefined();
  const names = (): string[] => [...state.store.projects.values()].map(({ project }) => project.name);
  expect(names()).toContain('Harbour');
  expect((await run('merge', journal)).problem).toBeUndefined();
  expect((await undo(12)).exitCode).toBe(0);
  expect(names()).not.toContain('Harbour');
});

it('resumes as one run where a shard did not finish', async () => {
  await importShard('1/3');
  await importShard('2/3', '--budget=8');
  await importShard('3/3');
  const merged = await run('merge', journal);
  expect(noticesOf(merged)).toContain('Not all shards have finished');
  const before = instance.server.state.store.users.size;
  const resumed = await run('import-users', 'body.json', '--org=100', '--resume', '--report=whole.json');
  expect(resumed.exitCode).toBe(3);
  expect(reportOf('whole.json').summary).toMatchObject({
    read: users,
    rejected: 6,
  });
  expect(instance.server.state.store.users.size).toBeGreaterThan(before);
  expect(noticesOf(await undo(54))).toContain('54 users deleted.');
});

it('verifies and rolls back a shard alone: users of the others are not extra, and stay', async () => {
  const before = instance.server.state.store.users.size;
  for (const shard of shards) await importShard(shard);
  const other = ['--user=user-1', '--journal=other', '--id-map=other.csv'];
  await run('import-users', 'body.json', '--org=100', ...other);
  let same = 0;
  for (const shard of shards) {
    const flags = [`--shard=${shard}`, '--id-map=body.json.ids.csv', '--report=v.json'];
    const end = eventOf(await run('verify', 'body.json', ...flags), 'verify:end').users;
    expect(end).toMatchObject({ missing: 0, differs: 0, extra: 0 });
    same += end.same;
  }
  expect(same).toBe(54);
  expect((await run('merge', 'v.json')).exitCode).toBe(0);
  expect(JSON.parse(read('v.json')).summary).toMatchObject({ same: 54, extra: 0 });

  const quoted = await run('undo', '--shard=2/3', `--journal=${journal}`);
  const [, count = ''] = /give --yes (\d+)/.exec(noticesOf(quoted)) ?? [];
  await undo(count, '--shard=2/3');
  expect(instance.server.state.store.users.size).toBe(before + 54 - Number(count));
});

it('goes on by itself in a pod that is started again', async () => {
  const argv = ['import-users', 'body.json', '--org=100', '--shard=auto/3', ...instance.flags];
  const env = { JOB_COMPLETION_INDEX: '1' };
  expect((await runProgram([...argv, '--budget=8'], { cwd, env })).problem?.code).toBe('api:budget');
  expect((await runProgram(argv, { cwd, env })).problem).toBeUndefined();
  expect(existsSync(join(cwd, 'body.json.users.2-of-3.journal'))).toBe(true);
  const missing = await runProgram(argv, { cwd });
  expect(missing.problem?.message).toContain(
    '--shard auto needs the number of the pod in JOB_COMPLETION_INDEX',
  );
});

it('divides the rate among shards that have no store', async () => {
  const ran = await importShard('1/3', '--rate=30', '--dry-run');
  expect(textsOf(ran, 'import:quote')[0]).toMatch(/at 10\/s, shard 1 of 3/);
});

it.each([
  [['--shard=0/4'], 'there is no such shard'],
  [['--shard=5/4'], 'there is no such shard'],
  [['--shard=1'], 'there is no such shard'],
  [['--shard=1/4', '--since-journal=x'], 'do not go together'],
  [['--rate-store=http://x', '--rate=5'], 'not an address of a Redis or Valkey'],
])('refuses %j', async (flags, text) => {
  const { exitCode, problem } = await run('import-users', 'body.json', '--org=100', ...flags);
  expect([exitCode, problem?.message]).toEqual([2, expect.stringContaining(text)]);
});

it('joins no shards that are not all there, nor those of another run', async () => {
  for (const shard of shards) await importShard(shard);
  const whole = read('body.json.users.2-of-3.journal');
  const refused = async (name: string): Promise<string> => (await run('merge', name)).problem?.message ?? '';
  const put = (name: string): void => writeFileSync(join(cwd, name), whole);
  put('few.1-of-3.journal');
  put('few.3-of-3.journal');
  expect(await refused('few.journal')).toContain('of the 3 shards of few.journal, 2 is missing');
  put('few.2-of-3.journal');
  expect(await refused('few.journal')).toContain('it is of shard 2/3, not 1/3');
  expect(await refused('none.csv')).toContain('there are no shards of none.csv');
  expect(await refused('page.html')).toContain('pages are not joined');
  put(journal);
  expect(await refused(journal)).toContain('there is a journal already');
  expect(read(journal)).toBe(whole);
});
