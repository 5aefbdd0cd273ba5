/** `undo` in a folder with journals of several runs. */
import { beforeEach, expect, test } from 'vitest';
import type { Dialog } from '../../src/lib/dialog.ts';
import { type Workspace, openWorkspace, succeeded } from '../support/workspace.ts';
import { called } from '../support/users-run.ts';

const names = ['ann', 'bob', 'cyd', 'dan'];
let workspace: Workspace;

beforeEach(async () => {
  workspace = await openWorkspace({ orgId: '100' });
  workspace.writeBody('first.json', names);
});

const importUsers = (line: string) => workspace.run(`import-users ${line} --org=100`);
const secondPass = () => {
  const changed = ['ann', 'bob'].map((name) => called(name, 'New'));
  workspace.writeBody('second.json', [...changed, 'cyd', 'dan', 'eve']);
  return importUsers('second.json --since-journal=first.json.users.journal');
};

test('undo without --journal asks at a terminal, and is refused in a script', async () => {
  expect(await workspace.run('undo')).toMatchObject({ exitCode: 2, problem: { message: /no journal/ } });
  await importUsers('first.json');
  // The service says the time in seconds: two runs within one could come in either order.
  const journal = 'first.json.users.journal';
  workspace.write(journal, workspace.read(journal).replace(/"startedAt":\d+/, '"startedAt":1'));
  await secondPass();
  const told = await workspace.run('undo --yes=4');
  expect(told).toMatchObject({ exitCode: 2, problem: { message: /--journal is missing/ } });
  for (const name of ['first', 'second']) expect(told.problem?.hint).toContain(`${name}.json.users.journal`);
  const label = 'second.json.users.journal (import-users, finished, 1 user created)';
  const choose: Dialog['choose'] = async (_, runs) => runs.find((run) => run.label === label)!.value;
  const undone = await workspace.run('undo', { dialog: { choose, text: async () => '1' } });
  expect([undone.exitCode, workspace.humans()]).toEqual([0, names]);
});

test.each(['', '--yes=1'])('undo %s ends with exit code 5 while the list may lack a user', async (flags) => {
  workspace = await openWorkspace({ orgId: '100', lag: 600_000 });
  workspace.writeBody('body.json', ['ann', 'bob']);
  await succeeded(importUsers('body.json --api=v1 --concurrency=1 --max-emails=9 --wait=0s'));
  const lines = workspace.read('body.json.users.journal').replaceAll('bob', 'cyd').split('\n');
  workspace.write('cut.journal', lines.filter((line) => !/^\{"(?:outcome":2|end)/.test(line)).join('\n'));
  expect((await workspace.run(`undo --journal=cut.journal --wait=0s ${flags}`)).exitCode).toBe(5);
});
