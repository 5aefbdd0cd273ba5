/** `check` asks the service what only the service can say: the reference server over a socket. */
import { beforeEach, expect, it } from 'vitest';
import { control } from '../../support/instance.ts';
import { type Workspace, openWorkspace, codesOf, type Ran, succeeded } from '../../support/workspace.ts';
import { sampleUser, userNames } from '../../support/users-run.ts';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await openWorkspace();
});

/** Input, place and code of each record that is not written. */
const rejected = ({ events }: Ran) =>
  events.flatMap((event) =>
    event.type === 'record:rejected' ? [[event.place.input, event.place.index, event.code]] : [],
  );

it('check names the call that import-users would use, forecasts it, and writes nothing', async () => {
  const { server } = workspace;
  const before = server.state.store.users.size;
  workspace.writeBody('body.json', [sampleUser('ada', { email: { email: 'ada@example.org' } })]);
  expect(codesOf(await succeeded(workspace.run('check body.json')))).toContain('target:create-user');
  await control(workspace, 'POST faults', { path: '/v2/users/new', status: 404 });
  const older = await workspace.run('check body.json');
  expect(codesOf(older)).not.toContain('target:create-user');
  expect(codesOf(older)).toEqual(expect.arrayContaining(['import:v1', 'emails:over']));
  expect(older.exitCode).toBe(4);
  expect(server.state.store.users.size).toBe(before);
});

it('check reads the user list by pages', async () => {
  workspace.writeBody('there.json', userNames(2500));
  await succeeded(workspace.run('import there.json'));
  workspace.writeBody('body.json', ['user-2499', 'new']);
  expect(rejected(await workspace.run('check body.json'))).toEqual([['body.json', 0, 'target:user-exists']]);
});

it('check of a piped body leaves out other lists and says so', async () => {
  workspace.writeBody('body.json', ['ada'], { projects: [{ projectId: 'p' }] });
  const piped = await workspace.runAlone('check -', { stdin: workspace.read('body.json') });
  expect([piped.exitCode, codesOf(piped)]).toEqual([0, expect.arrayContaining(['check:users-only'])]);
});
