/** `undo` in a folder with journals of several runs. */
import { beforeEach, expect, test } from 'vitest';
import type { Dialog } from '../../src/lib/dialog.ts';
import { type Desk, noticesOf, openDesk, succeeded } from '../support/desk.ts';
import { called } from '../support/users-run.ts';

const names = ['ann', 'bob', 'cyd', 'dan'];
let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
  desk.writeBody('first.json', names);
});

const importUsers = (line: string) => desk.run(`import-users ${line} --org=${desk.server.orgId}`);
const secondPass = () => {
  const changed = ['ann', 'bob'].map((name) => called(name, 'New'));
  desk.writeBody('second.json', [...changed, 'cyd', 'dan', 'eve']);
  return importUsers('second.json --since-journal=first.json.users.journal');
};
const undoFirst = 'undo first.json.users.journal';

test('undo without --journal asks at a terminal, and is refused in a script', async () => {
  const none = await desk.run('undo');
  expect([none.exitCode, none.problem?.message]).toEqual([2, expect.stringContaining('no journal')]);
  await importUsers('first.json');
  // The service says the time in seconds: two runs within one could come in either order.
  const journal = 'first.json.users.journal';
  desk.write(journal, desk.read(journal).replace(/"startedAt":\d+/, '"startedAt":1'));
  await secondPass();
  const told = await desk.run('undo --yes=4');
  expect([told.exitCode, told.problem?.message]).toEqual([
    2,
    expect.stringContaining('--journal is missing'),
  ]);
  for (const name of ['first', 'second']) expect(told.problem?.hint).toContain(`${name}.json.users.journal`);
  const label = 'second.json.users.journal (import-users, finished, 1 user created)';
  const choose: Dialog['choose'] = async (_, runs) => runs.find((run) => run.label === label)!.value;
  const undone = await desk.run('undo', { dialog: { choose, text: async () => '1' } });
  expect([undone.exitCode, desk.humans()]).toEqual([0, names]);
});

test('undo of a rolled back run names the other runs of the folder, whose undo deletes users changed in place', async () => {
  await importUsers('first.json');
  await secondPass();
  const undoSecond = 'undo --journal=second.json.users.journal';
  await succeeded(desk.run(`${undoSecond} --yes=1`));
  expect(noticesOf(await desk.run(undoSecond), 'undo:quote')).toMatch(
    'No user of this run is left to delete. Other runs of this folder created users: idport undo --journal=first.json.users.journal.',
  );
  await succeeded(desk.run(`${undoFirst} --yes=4`));
  expect(desk.humans()).toEqual([]);
});

test('verify reports first that the missing users were rolled back', async () => {
  await importUsers('first.json');
  const before = await desk.run('verify first.json');
  expect([before.exitCode, noticesOf(before, 'verify:rolled-back')]).toEqual([0, '']);
  await desk.run(`${undoFirst} --yes=4`);
  const after = await desk.run('verify first.json');
  expect([after.exitCode, noticesOf(after, 'verify:rolled-back')]).toEqual([
    4,
    'The last import of these users was rolled back (first.json.users.journal.undo): it had created 4 users.',
  ]);
  await importUsers('first.json --fresh');
  await succeeded(desk.run('verify first.json'));
});

test('undo --resume after a new import also deletes the new users', async () => {
  await importUsers('first.json');
  const undo = `${undoFirst} --concurrency=1`;
  const none = await desk.run(`${undo} --yes=4 --budget=3`);
  expect(none.problem?.hint).toMatch(/^Nothing was deleted\..*larger --budget/);
  const { problem } = await desk.run(`${undo} --yes=4 --budget=8 --report=undo.json`);
  expect(problem?.code).toBe('api:budget');
  const left = desk.humans().length;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(4);
  const deleted = 4 - left;
  expect(JSON.parse(desk.read('undo.json'))).toMatchObject({
    stopped: problem?.message,
    summary: { deleted },
  });
  await succeeded(importUsers('first.json'));
  expect(desk.humans()).toHaveLength(4);
  expect(noticesOf(await desk.run(undo), 'undo:quote')).toContain('--resume --yes=4');
  await succeeded(desk.run(`${undo} --resume --yes=4`));
  expect(desk.humans()).toEqual([]);
});

test('undo of a finished rollback succeeds again, with and without --resume', async () => {
  await importUsers('first.json');
  for (const flag of ['', '--resume', '', '']) await succeeded(desk.run(`${undoFirst} --yes=4 ${flag}`));
  expect(desk.humans()).toEqual([]);
});

test.each(['', '--yes=1'])('undo %s ends with exit code 5 while the list may lack a user', async (flags) => {
  desk = await openDesk({ lag: 600_000 });
  desk.writeBody('body.json', ['ann', 'bob']);
  const ran = `import-users body.json --org=${desk.server.orgId} --api=v1 --concurrency=1 --max-emails=9`;
  await succeeded(desk.run(`${ran} --wait=0s`));
  const lines = desk.read('body.json.users.journal').replaceAll('bob', 'cyd').split('\n');
  desk.write('cut.journal', lines.filter((line) => !/^\{"(?:outcome":2|end)/.test(line)).join('\n'));
  expect((await desk.run(`undo --journal=cut.journal --wait=0s ${flags}`.trim())).exitCode).toBe(5);
});
