/** `undo` in a folder with journals of several runs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { runProgram, type Ran, type RunOptions } from '../support/program.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

const names = ['ann', 'bob', 'cyd', 'dan'];
let cwd: string;
let instance: Instance;

beforeEach(async () => {
  cwd = createTestFolder();
  instance = await startInstance(createTestFolder(), 'folder');
  onTestFinished(() => instance.close());
  write(
    'first.json',
    names.map((name) => sampleUser(name)),
  );
});

const write = (file: string, users: readonly unknown[]): void =>
  writeFileSync(join(cwd, file), bodyOf(instance.server.orgId, users));
const run = (argv: readonly string[], options: Partial<RunOptions> = {}): Promise<Ran> =>
  runProgram([...argv, ...instance.flags], { cwd, ...options });
const importUsers = (file: string, ...more: string[]): Promise<Ran> =>
  run(['import-users', file, `--org=${instance.server.orgId}`, ...more]);
const humans = (): string[] =>
  [...instance.server.state.store.users.values()].flatMap(({ kind, userName }) =>
    kind === 'human' ? [userName] : [],
  );
const notice = ({ events }: Ran, code: string): string =>
  events.flatMap((event) => (event.type === 'notice' && event.code === code ? [event.text] : [])).join('\n');

const changed = ['ann', 'bob'].map((name) =>
  sampleUser(name, { profile: { firstName: 'New', lastName: name } }),
);
const secondPass = (): Promise<Ran> => {
  write('second.json', [...changed, sampleUser('cyd'), sampleUser('dan'), sampleUser('eve')]);
  return importUsers('second.json', '--since-journal=first.json.users.journal');
};

test('without --journal a terminal asks which run is meant, and a script is told', async () => {
  const none = await run(['undo']);
  expect([none.exitCode, none.problem?.message]).toEqual([2, expect.stringContaining('no journal')]);
  await importUsers('first.json');
  await secondPass();
  const told = await run(['undo', '--yes=4']);
  expect([told.exitCode, told.problem?.message]).toEqual([
    2,
    expect.stringContaining('--journal is missing'),
  ]);
  for (const name of ['first', 'second']) expect(told.problem?.hint).toContain(`${name}.json.users.journal`);
  const answers = ['2', '1'];
  const askLine = async (): Promise<string> => answers.shift() ?? '';
  const undone = await run(['undo'], { askLine });
  expect(notice(undone, 'undo:run')).toContain(
    '2  second.json.users.journal (import-users, finished, 1 user created)',
  );
  expect([undone.exitCode, humans()]).toEqual([0, names]);
});

test('a run whose users are gone names the others, which are rolled back with what was changed in place', async () => {
  await importUsers('first.json');
  await secondPass();
  expect((await run(['undo', '--journal=second.json.users.journal', '--yes=1'])).exitCode).toBe(0);
  const again = await run(['undo', '--journal=second.json.users.journal']);
  expect(notice(again, 'undo:quote')).toMatch(
    /No user of this run is left to delete\. Other runs of this folder created users: idport undo --journal=first\.json\.users\.journal\./,
  );
  expect((await run(['undo', '--journal=first.json.users.journal', '--yes=4'])).exitCode).toBe(0);
  expect(humans()).toEqual([]);
});

test('a run that was imported twice is rolled back with the one before it', async () => {
  await importUsers('first.json');
  await importUsers('first.json');
  expect((await run(['undo', '--journal=first.json.users.journal', '--yes=4'])).exitCode).toBe(0);
  expect(humans()).toEqual([]);
});

test('a rollback that stopped goes on after a new import, with those that came with it', async () => {
  await importUsers('first.json');
  const undo = ['undo', '--journal=first.json.users.journal', '--concurrency=1'];
  const stopped = await run([...undo, '--yes=4', '--budget=8']);
  expect(stopped.problem?.code).toBe('api:budget');
  const left = humans().length;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(4);
  expect((await importUsers('first.json')).exitCode).toBe(0);
  expect(humans()).toHaveLength(4);
  const quoted = await run(undo);
  expect(notice(quoted, 'undo:quote')).toContain('--resume --yes 4');
  expect((await run([...undo, '--resume', '--yes=4'])).problem).toBeUndefined();
  expect(humans()).toEqual([]);
});
