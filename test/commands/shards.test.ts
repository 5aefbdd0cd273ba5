/** One import in several processes: each takes its users, and their files together are those of one run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { reportFile } from '../../src/wire/reports.ts';
import { type Workspace, noticesOf, openWorkspace, succeeded, eventOf } from '../support/workspace.ts';
import { typicalRealm } from '../support/folder.ts';
import { projectLists, sampleUser, userNames } from '../support/users-run.ts';

const users = 60;
let workspace: Workspace;
/** Every tenth user cannot be read, every fifth has metadata in a separate list. */
beforeEach(async () => {
  workspace = await openWorkspace({ orgId: '100' });
  const names = userNames(users);
  const userMetadata = names
    .filter((_, at) => at % 5 === 0)
    .map((name) => ({ id: `old-${name}`, key: 'team', value: 'Ymx1ZQ==' }));
  const all = names.map((name, at) => sampleUser(name, at % 10 === 3 ? { userName: '' } : {}));
  workspace.writeBody('body.json', all, { userMetadata });
});

const userCount = () => workspace.server.state.store.users.size;
const importUsers = (flags: string, env = {}) =>
  workspace.run(`import-users body.json --org=100 ${flags}`, { env });
const importShard = (shard: string, more = '') => importUsers(`--shard=${shard} --report=report.json${more}`);
const shards = ['1/3', '2/3', '3/3'];
const importShards = async () => {
  for (const shard of shards) await importShard(shard);
};
const journal = 'body.json.users.journal';
const undo = (count: string | number, more = '') =>
  workspace.run(`undo --journal=${journal} --yes=${count}${more}`);
const reportOf = (name: string) => reportFile.parse(workspace.json(name));

it('shards import each user once, and their merged files verify, resume and undo as one run', async () => {
  const before = userCount();
  for (const shard of shards)
    expect((await importShard(shard, ' --rejects=rejects.ndjson')).problem).toBeUndefined();
  expect(userCount() - before).toBe(54);

  const reports = [1, 2, 3].map((shard) => reportOf(`report.${shard}-of-3.json`));
  for (const { summary } of reports) expect(summary.addsUp).toBe(true);
  await succeeded(workspace.run('merge report.json'));
  const { summary, run: facts, users: listed } = reportOf('report.json');
  expect(summary).toMatchObject({ read: users, rejected: 6, skipped: 0, addsUp: true });
  expect(summary.written + summary.withNotes).toBe(54);
  expect(listed).toHaveLength(reports.reduce((sum, report) => sum + report.users.length, 0));
  expect(facts).toMatchObject({
    rejects: 'rejects.ndjson',
    requests: reports.reduce((sum, report) => sum + (report.run?.requests ?? 0), 0),
  });

  await succeeded(workspace.run(`merge ${journal} body.json.ids.csv`));

  const ids = workspace.lines('body.json.ids.csv');
  expect(ids).toHaveLength(1 + 54);
  expect(new Set(ids.map((line) => line.split(',')[0])).size).toBe(55);
  const verified = await workspace.run('verify body.json --id-map=body.json.ids.csv');
  expect(eventOf(verified, 'verify:end').users).toMatchObject({ same: 54, missing: 0, extra: 0 });
  expect((await importUsers('--resume')).problem).toBeUndefined();
  const undone = await succeeded(undo(54));
  expect(noticesOf(undone)).toContain('54 users deleted.');
});

it('undo of merged journals deletes the project of the shard that began first', async () => {
  const { state } = workspace.server;
  workspace.writeBody('body.json', userNames(12), projectLists('4711', 'reader'));
  for (const shard of ['2/3', '1/3', '3/3']) await succeeded(importShard(shard));
  const names = () => [...state.store.projects.values()].map(({ project }) => project.name);
  expect(names()).toContain('Harbour');
  await succeeded(workspace.run(`merge ${journal}`));
  await succeeded(undo(12));
  expect(names()).not.toContain('Harbour');
});

it('shards write their own jit lists, which merge joins', async () => {
  workspace.write('realm.json', readFileSync(typicalRealm));
  const line =
    'import-users --from=keycloak --realm=realm.json --org=100 --target-profile=hosted --jit-list=jit.ndjson --limit=1';
  await succeeded(workspace.run(`${line} --journal=whole`));
  const sorted = () => workspace.lines('jit.ndjson').toSorted();
  const whole = sorted();
  for (const shard of shards) await succeeded(workspace.run(`${line} --shard=${shard} --journal=run.ndjson`));
  workspace.write('jit.ndjson', '');
  await succeeded(workspace.run('merge jit.ndjson run.ndjson'));
  expect(workspace.read('run.ndjson').match(/"format"/g)).toHaveLength(1);
  expect(sorted()).toEqual(whole);
});

it('merged journals resume as one run if a shard did not finish', async () => {
  await importShard('1/3');
  await importShard('2/3', ' --budget=8');
  await importShard('3/3');
  const merged = await workspace.run(`merge ${journal}`);
  expect(noticesOf(merged)).toContain('Not all shards have finished');
  const { stdout } = await workspace.run('runs');
  expect(stdout.match(/merged: into body\.json\.users\.journal$/gm)).toHaveLength(3);
  expect(stdout.match(/^  (?:resume|verify|undo)/gm)).toHaveLength(3);
  const before = userCount();
  expect((await importUsers('--resume --report=whole.json')).exitCode).toBe(3);
  expect(reportOf('whole.json').summary).toMatchObject({ read: users, rejected: 6 });
  expect(userCount()).toBeGreaterThan(before);
});

it('merge reports a shard as unfinished if its journal lacks an outcome', async () => {
  await importShards();
  const name = 'body.json.users.2-of-3.journal';
  const lines = workspace.read(name).split('\n');
  const at = lines.findLastIndex((line) => line.includes('"outcome"'));
  workspace.write(name, lines.toSpliced(at, 1).join('\n'));
  expect(noticesOf(await workspace.run(`merge ${journal}`))).toContain('Not all shards have finished');
  await importUsers('--resume');
  expect(noticesOf(await undo(54))).toContain('54 users deleted.');
});

it('verify and undo of one shard ignore and keep the users of other shards', async () => {
  const before = userCount();
  await importShards();
  await importUsers('--user=user-1 --journal=other --id-map=other.csv');
  let same = 0;
  for (const shard of shards) {
    const ran = await workspace.run(
      `verify body.json --shard=${shard} --id-map=body.json.ids.csv --report=v.json`,
    );
    const end = eventOf(ran, 'verify:end').users;
    expect(end).toMatchObject({ missing: 0, differs: 0, extra: 0 });
    same += end.same;
  }
  expect(same).toBe(54);
  await succeeded(workspace.run('merge v.json'));
  expect(workspace.json('v.json').summary).toMatchObject({ same: 54, extra: 0 });

  const quoted = await workspace.run(`undo --shard=2/3 --journal=${journal}`);
  const [, count = ''] = /pass --yes=(\d+)/.exec(noticesOf(quoted)) ?? [];
  await undo(count, ' --shard=2/3');
  expect(userCount()).toBe(before + 54 - Number(count));
});

it('--shard=auto resumes by itself in a restarted pod', async () => {
  const line = '--shard=auto/3';
  const env = { JOB_COMPLETION_INDEX: '1' };
  expect((await importUsers(`${line} --budget=8`, env)).problem?.code).toBe('api:budget');
  await succeeded(importUsers(line, env));
  expect(workspace.has('body.json.users.2-of-3.journal')).toBe(true);
  expect((await importUsers(line)).problem?.message).toContain(
    '--shard=auto needs the number of the pod in JOB_COMPLETION_INDEX',
  );
});

it('shards without a rate store divide the rate, and count the grants of their users', async () => {
  const names = userNames(12);
  workspace.writeBody('body.json', names, projectLists('4711', 'reader', ...names));
  const ran = await importShard('1/3', ' --rate=30 --dry-run');
  expect(noticesOf(ran, 'import:quote')).toMatch(
    /(\d) of 12 users .*, 10 requests, .* at 10\/s, shard 1 of 3/,
  );
});

it.each([
  ['--shard=0/4', 'there is no such shard'],
  ['--shard=5/4', 'there is no such shard'],
  ['--shard=1', 'there is no such shard'],
  ['--shard=1/4 --since-journal=x', 'do not go together'],
])('import-users refuses %s', async (flags, text) => {
  const problem = { message: expect.stringContaining(text) };
  expect(await importUsers(flags)).toMatchObject({ exitCode: 2, problem });
});

it('an invalid IDPORT_RATE_STORE is reported by name without its value', async () => {
  const env = { IDPORT_RATE_STORE: 'http://:hunter2@x' };
  const message = 'IDPORT_RATE_STORE: not an address of a Redis or Valkey';
  const ran = await importUsers('--rate=5', env);
  expect(ran).toMatchObject({ exitCode: 2, problem: { message } });
});

it('merge refuses incomplete shards and shards of another run', async () => {
  await importShards();
  const whole = workspace.read('body.json.users.2-of-3.journal');
  const refused = async (name: string) => (await workspace.run(`merge ${name}`)).problem?.message ?? '';
  const put = (name: string) => workspace.write(name, whole);
  for (const shard of [1, 3]) put(`few.${shard}-of-3.journal`);
  expect(await refused('few.journal')).toContain('of the 3 shards of few.journal, 2 is missing');
  workspace.write('few.2-of-3.journal', '');
  for (const line of ['merge few.journal', 'undo --journal=few.2-of-3.journal']) {
    const message = `${join(workspace.cwd, 'few.2-of-3.journal')} is empty, or cut off in its first line`;
    expect(await workspace.run(line)).toMatchObject({ exitCode: 1, problem: { message } });
  }
  put('few.2-of-3.journal');
  expect(await refused('few.journal')).toContain('few.1-of-3.journal is of shard 2/3, not of shard 1/3');
  for (const name of ['none.1-of-0.csv', 'none.1-of-99999999999.csv']) workspace.write(name, '');
  expect(await refused('none.csv')).toContain('there are no shards of none.csv');
  expect(await refused('page.html')).toContain('pages are not joined');
  workspace.write('r.1-of-1.json', '{}');
  expect(await refused(`${journal} r.json`)).toContain('it is not a report of idport');
  expect(() => workspace.read(journal)).toThrow('ENOENT');
  await importUsers('--journal=few.3-of-3.journal --report=report.2-of-3.json');
  workspace.write('few.1-of-3.journal', workspace.read('body.json.users.1-of-3.journal'));
  expect(await refused('few.journal')).toContain('few.3-of-3.journal is of a whole run, not of shard 3/3');
  expect(await refused('report.json')).toContain('report.2-of-3.json is of a whole run, not of shard 2/3');
  const ids = workspace.read('body.json.ids.1-of-3.csv');
  workspace.write('body.json.ids.1-of-3.csv', workspace.read('body.json.ids.3-of-3.csv'));
  const other = /body.json.ids.1-of-3.csv has a user who is not in shard 1\/3 \(old-user-\d+\)/;
  expect(await refused('body.json.ids.csv')).toMatch(other);
  workspace.write('body.json.ids.1-of-3.csv', ids.slice(0, -3));
  expect(await refused('body.json.ids.csv')).toContain('its last line is cut off');
  put(journal);
  expect(await refused(journal)).toContain('there is a journal already');
  expect(workspace.read(journal)).toBe(whole);
});
