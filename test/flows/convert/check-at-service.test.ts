/** `check` asks the service what only the service can say: the reference server over a socket. */
import { beforeEach, expect, it } from 'vitest';
import { type Desk, openDesk, codesOf, type Ran, succeeded } from '../../support/desk.ts';
import { oidcIdps, sampleUser, userNames } from '../../support/users-run.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});

/** Input, place and code of each record that is not written. */
const rejected = ({ events }: Ran) =>
  events.flatMap((event) =>
    event.type === 'record:rejected' ? [[event.place.input, event.place.index, event.code]] : [],
  );

it('check names the call that import-users would use, forecasts it, and writes nothing', async () => {
  const { server } = desk;
  const before = server.state.store.users.size;
  desk.writeBody('body.json', [sampleUser('ada', { email: { email: 'ada@example.org' } })]);
  expect(codesOf(await succeeded(desk.run('check body.json')))).toContain('target:create-user');
  await server.app.request('/_idport/faults', {
    method: 'POST',
    headers: { authorization: `Bearer ${server.controlToken}` },
    body: JSON.stringify({ path: '/v2/users/new', status: 404 }),
  });
  const older = await desk.run('check body.json');
  expect(codesOf(older)).not.toContain('target:create-user');
  expect(codesOf(older)).toEqual(expect.arrayContaining(['import:v1', 'emails:over']));
  expect(older.exitCode).toBe(4);
  expect(server.state.store.users.size).toBe(before);
});

it('check reads the user list by pages', async () => {
  desk.writeBody('there.json', userNames(2500));
  await succeeded(desk.run('import there.json'));
  desk.writeBody('body.json', ['user-2499', 'new']);
  expect(rejected(await desk.run('check body.json'))).toEqual([['body.json', 0, 'target:user-exists']]);
});

it('check rejects entries of other lists that the service would refuse or crash on', async () => {
  desk.writeBody('body.json', ['ada'], {
    oidcIdps,
    projects: [{ projectId: 'p' }, { projectId: 'q', project: { name: 'Q' } }],
    userMetadata: [{ id: 'old-ada', key: 'a\0', value: 'QQ==' }],
    userLinks: [
      { userId: 'old-ada', idpId: 'idp', providedUserId: '1', providedUserName: 'a' },
      { userId: 'old-ada', idpId: 'idp-2', providedUserId: '1', providedUserName: 'a' },
    ],
  });
  const always = [
    ['body.json userMetadata', 0, 'import:field-rule'],
    ['body.json projects', 0, 'import:field-rule'],
  ];
  const link = ['body.json userLinks', 1, 'target:identity-provider'];
  for (const [ran, found] of [
    [await desk.run('check body.json'), [...always, link]],
    [await desk.runAlone('check body.json --report=check.html --rejects=rejects.ndjson'), always],
  ] as const) {
    expect([ran.problem, ran.exitCode]).toEqual([undefined, 4]);
    expect(new Set(rejected(ran))).toEqual(new Set(found));
  }
  const { summary, users } = desk.json('check.html.json');
  expect(summary.others).toContainEqual({ list: 'projects', read: 2, written: 1, rejected: 1, skipped: 0 });
  expect(users).toHaveLength(2);
  expect(summary.rejections).toMatchObject([
    { remedy: expect.stringContaining(' (after `check`: in the body) ') },
  ]);
  const page = desk.read('check.html');
  expect(page).toContain('<b>Check</b> rejected besides users: 1 project, 1 metadata entry.');
  expect(page).toContain('projects: 1 written, 1 rejected');
  expect(desk.read('rejects.ndjson')).toBe('');
  const piped = await desk.runAlone('check -', { stdin: desk.read('body.json') });
  expect([piped.exitCode, codesOf(piped)]).toEqual([0, expect.arrayContaining(['check:users-only'])]);
});
