/** One import in several processes: each takes its users, and their files together are those of one run. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { reportFile } from '../../src/wire/report.ts';
import { createTestFolder } from '../support/folder.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Ran, runProgram } from '../support/program.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

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
  const numbers = Array.from({ length: users }, (_, at) => at);
  return bodyOf(
    '100',
    numbers.map((at) => sampleUser(`user-${at}`, at % 10 === 3 ? { userName: '' } : {})),
    {
      userMetadata: numbers
        .filter((at) => at % 5 === 0)
        .map((at) => ({ id: `old-user-${at}`, key: 'team', value: 'Ymx1ZQ==' })),
    },
  );
}

const run = (...argv: string[]): Promise<Ran> =>
  runProgram([...argv, ...(argv[0] === 'merge' ? [] : instance.flags)], { cwd });
const read = (name: string): string => readFileSync(join(cwd, name), 'utf8');
const importShard = (shard: string, ...more: string[]): Promise<Ran> =>
  run('import-users', 'body.json', '--org=100', `--shard=${shard}`, '--report=report.json', ...more);
const shards = ['1/3', '2/3', '3/3'];
const noticesOf = ({ events }: Ran): string =>
  events.flatMap((event) => (event.type === 'notice' ? event.text : [])).join('\n');

it('imports each user once, and counts each in one report', async () => {
  const before = instance.server.state.store.users.size;
  for (const shard of shards) expect((await importShard(shard)).problem).toBeUndefined();
  expect(instance.server.state.store.users.size - before).toBe(54);

  const reports = [1, 2, 3].map((shard) => reportFile.parse(JSON.parse(read(`report.${shard}-of-3.json`))));
  for (const { summary } of reports) expect(summary.addsUp && summary.read > 0).toBe(true);
  expect((await run('merge', 'report.json')).exitCode).toBe(0);
  const { summary, run: facts, users: listed } = reportFile.parse(JSON.parse(read('report.json')));
  expect(summary).toMatchObject({ read: users, rejected: 6, skipped: 0, addsUp: true });
  expect(summary.written + summary.withNotes).toBe(54);
  expect(listed).toHaveLength(reports.reduce((sum, report) => sum + report.users.length, 0));
  expect(facts).toMatchObject({
    requests: reports.reduce((sum, report) => sum + (report.run?.requests ?? 0), 0),
  });
});

it('joins to files of one run, which verifies, has nothing left to resume, and is rolled back', async () => {
  for (const shard of shards) await importShard(shard);
  const journal = 'body.json.users.journal';
  expect((await run('merge', journal, 'body.json.ids.csv')).problem).toBeUndefined();

  const ids = read('body.json.ids.csv').trim().split('\n');
  expect(ids).toHaveLength(1 + 54);
  expect(new Set(ids.map((line) => line.split(',')[0])).size).toBe(55);
  const verified = await run('verify', 'body.json', '--id-map=body.json.ids.csv');
  expect(verified.events).toContainEqual(
    expect.objectContaining({
      type: 'verify:end',
      users: expect.objectContaining({ same: 54, missing: 0, extra: 0 }),
    }),
  );
  const again = await run('import-users', 'body.json', '--org=100', '--resume');
  expect(again.problem).toBeUndefined();
  expect(instance.server.state.store.users.size).toBeGreaterThan(54);
  const undone = await run('undo', `--journal=${journal}`, '--yes=54');
  expect(undone.exitCode).toBe(0);
  expect(noticesOf(undone)).toContain('54 users deleted.');
});

it('joined journals are rolled back with the project of the shard that began first, whichever that was', async () => {
  const { state } = instance.server;
  const projects = [{ projectId: '4711', project: { name: 'Harbour' } }];
  const projectRoles = [{ projectId: '4711', roleKey: 'reader', displayName: 'Reader' }];
  const few = Array.from({ length: 12 }, (_, at) => sampleUser(`user-${at}`));
  writeFileSync(join(cwd, 'body.json'), bodyOf('100', few, { projects, projectRoles }));
  for (const shard of ['2/3', '1/3', '3/3']) expect((await importShard(shard)).problem).toBeUndefined();
  const names = (): string[] => [...state.store.projects.values()].map(({ project }) => project.name);
  expect(names()).toContain('Harbour');
  expect((await run('merge', 'body.json.users.journal')).problem).toBeUndefined();
  const undone = await run('undo', '--journal=body.json.users.journal', '--yes=12');
  expect(undone.exitCode).toBe(0);
  expect(names()).not.toContain('Harbour');
});

it('resumes as one run where a shard did not finish', async () => {
  await importShard('1/3');
  await importShard('2/3', '--budget=8');
  await importShard('3/3');
  const merged = await run('merge', 'body.json.users.journal');
  expect(noticesOf(merged)).toContain('Not all shards have finished');
  const before = instance.server.state.store.users.size;
  const resumed = await run('import-users', 'body.json', '--org=100', '--resume', '--report=whole.json');
  expect(resumed.exitCode).toBe(3);
  expect(reportFile.parse(JSON.parse(read('whole.json'))).summary).toMatchObject({
    read: users,
    rejected: 6,
  });
  expect(instance.server.state.store.users.size).toBeGreaterThan(before);
  const undone = await run('undo', '--journal=body.json.users.journal', '--yes=54');
  expect(noticesOf(undone)).toContain('54 users deleted.');
});

it('verifies and rolls back a shard alone: users of the others are not extra, and stay', async () => {
  const before = instance.server.state.store.users.size;
  for (const shard of shards) await importShard(shard);
  await run(
    'import-users',
    'body.json',
    '--org=100',
    '--user=user-1',
    '--journal=other',
    '--id-map=other.csv',
  );
  let same = 0;
  for (const shard of shards) {
    const { events } = await run(
      'verify',
      'body.json',
      `--shard=${shard}`,
      '--id-map=body.json.ids.csv',
      '--report=v.json',
    );
    const [end] = events.flatMap((event) => (event.type === 'verify:end' ? event.users : []));
    expect(end).toMatchObject({ missing: 0, differs: 0, extra: 0 });
    same += end?.same ?? 0;
  }
  expect(same).toBe(54);
  expect((await run('merge', 'v.json')).exitCode).toBe(0);
  expect(JSON.parse(read('v.json')).summary).toMatchObject({ same: 54, extra: 0 });

  const quoted = await run('undo', '--shard=2/3', '--journal=body.json.users.journal');
  const [, count = ''] = /give --yes (\d+)/.exec(noticesOf(quoted)) ?? [];
  await run('undo', '--shard=2/3', '--journal=body.json.users.journal', `--yes=${count}`);
  expect(instance.server.state.store.users.size).toBe(before + 54 - Number(count));
});

it('goes on by itself in a pod that is started again', async () => {
  const env = { JOB_COMPLETION_INDEX: '1' };
  const start = (...more: string[]): Promise<Ran> =>
    runProgram(['import-users', 'body.json', '--org=100', '--shard=auto/3', ...instance.flags, ...more], {
      cwd,
      env,
    });
  expect((await start('--budget=8')).problem?.code).toBe('api:budget');
  expect((await start()).problem).toBeUndefined();
  expect(existsSync(join(cwd, 'body.json.users.2-of-3.journal'))).toBe(true);
  const missing = await runProgram(
    ['import-users', 'body.json', '--org=100', '--shard=auto/3', ...instance.flags],
    { cwd },
  );
  expect(missing.problem?.message).toContain(
    '--shard auto needs the number of the pod in JOB_COMPLETION_INDEX',
  );
});

it('divides the rate among shards that have no store', async () => {
  const { events } = await importShard('1/3', '--rate=30', '--dry-run');
  expect(events).toContainEqual(
    expect.objectContaining({ code: 'import:quote', text: expect.stringMatching(/at 10\/s, shard 1 of 3/) }),
  );
});

it.each([
  ['import-users', ['--org=100', '--shard=0/4'], 'there is no such shard'],
  ['import-users', ['--org=100', '--shard=5/4'], 'there is no such shard'],
  ['import-users', ['--org=100', '--shard=1'], 'there is no such shard'],
  ['import-users', ['--org=100', '--shard=1/4', '--since-journal=x'], 'do not go together'],
  [
    'import-users',
    ['--org=100', '--rate-store=http://x', '--rate=5'],
    'this is no address of a Redis or Valkey',
  ],
] as const)('refuses %s %j', async (verb, flags, text) => {
  const { exitCode, problem } = await run(verb, 'body.json', ...flags);
  expect(exitCode).toBe(2);
  expect(problem?.message).toContain(text);
});

it('joins no shards that are not all there, nor those of another run', async () => {
  for (const shard of shards) await importShard(shard);
  const journal = read('body.json.users.2-of-3.journal');
  writeFileSync(join(cwd, 'few.1-of-3.journal'), journal);
  writeFileSync(join(cwd, 'few.3-of-3.journal'), journal);
  expect((await run('merge', 'few.journal')).problem?.message).toContain(
    'of the 3 shards of few.journal, 2 is missing',
  );
  writeFileSync(join(cwd, 'few.2-of-3.journal'), journal);
  expect((await run('merge', 'few.journal')).problem?.message).toContain('it is of shard 2/3, not 1/3');
  expect((await run('merge', 'none.csv')).problem?.message).toContain('there are no shards of none.csv');
  expect((await run('merge', 'page.html')).problem?.message).toContain('pages are not joined');
  writeFileSync(join(cwd, 'body.json.users.journal'), journal);
  expect((await run('merge', 'body.json.users.journal')).problem?.message).toContain(
    'there is a journal already',
  );
  expect(read('body.json.users.journal')).toBe(journal);
});
