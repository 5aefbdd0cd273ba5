/** The one-by-one import against the reference server, in one process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestFolder } from '../../support/folder.ts';
import { faultAt } from '../../support/service.ts';
import {
  bodyOf,
  createTarget,
  namesAt,
  runUsers,
  sampleUser,
  userNames,
  userAt,
  usersAt,
  type RunUsersOptions,
  type Target,
} from '../../support/users-run.ts';

const otp = { otpCode: 'JBSWY3DPEHPK3PXP' };
const inactive = { state: 'USER_STATE_INACTIVE' };

const run = (
  target: Target,
  users: readonly unknown[],
  { lists, ...more }: RunUsersOptions & { readonly lists?: object } = {},
) => runUsers(target, bodyOf(target.org, users, lists), more);
const reasonsOf = async (ended: ReturnType<typeof run>) => Object.fromEntries((await ended).tally.reasons);

test('import-users creates each user completely in one call with the old id and sends no message', async () => {
  const target = createTarget();
  const phone = { phone: { phone: '+41791234567' } };
  const users = [
    sampleUser('ann', {}, inactive),
    sampleUser('bob', {}, { state: 'USER_STATE_LOCKED' }),
    sampleUser('cyd', { email: { email: 'cyd@example.com' }, ...phone, ...otp }),
  ];
  const userMetadata = [
    { id: 'old-cyd', key: 'k', value: 'dg==' },
    { id: 'old-cyd', key: 'l', value: '//79' },
  ];
  const { tally, isComplete } = await run(target, users, { lists: { userMetadata } });
  const there = usersAt(target);
  expect([...there].map(([name, { id, status }]) => [name, id, status])).toEqual([
    ['ann', 'old-ann', 'inactive'],
    ['bob', 'old-bob', 'locked'],
    ['cyd', 'old-cyd', 'active'],
  ]);
  expect(there.get('cyd')).toMatchObject({ emailVerified: false, otpSecret: otp.otpCode });
  const { body } = await target.server.call('POST /v2/users/old-cyd/metadata/search', {});
  expect(body.metadata).toMatchObject(userMetadata.map(({ key, value }) => ({ key, value })));
  expect(target.server.state.recent.notifications.list()).toEqual([]);
  expect([isComplete, [...tally.reasons], tally.otp]).toEqual([true, [], 1]);
  const writes = target.requests.filter((line) => /users\/(?:new|[^/]+\/_(?:de|lo))/.test(line));
  expect(writes).toHaveLength(3 + 2);
});

test('import-users by version 1 creates users without second factors, and notes both', async () => {
  const user = sampleUser('ann', { ...otp, recoveryCodes: [{ raw: 'code' }] });
  const reasons = await reasonsOf(run(createTarget(), [user], { route: 'import' }));
  expect(reasons).toEqual({ 'single:new-id': 1, 'single:otp': 1, 'mfa:recovery-codes': 1 });
});

test('import-users leaves a user incomplete whose state is refused, also when the run is resumed', async () => {
  const refusal = { status: 400, body: {} };
  const target = createTarget({ fault: ({ url }) => (url.endsWith('_deactivate') ? refusal : undefined) });
  const folder = createTestFolder();
  for (const resume of [false, true]) {
    const end = await run(target, [sampleUser('ann', {}, inactive)], { folder, resume });
    expect([end.isComplete, [...end.tally.reasons]]).toEqual([false, [['single:state', 1]]]);
  }
});

test.each([
  ['plain numbers with a prefix', { keep: true, prefix: 'wp-' }, { userId: '17' }, /^wp-17$/],
  ['--ids=new', { keep: false, prefix: '' }, {}, /^[0-9a-f]{24}$/],
])('import-users chooses ids: %s', async (_, idRule, entry, id) => {
  const target = createTarget();
  const folder = createTestFolder();
  const { tally } = await run(target, [sampleUser('ann', {}, entry)], { folder, idRule });
  const ann = userAt(target, 'ann');
  expect(ann.id).toMatch(id);
  expect(tally.reasons.get('single:new-id')).toBe(1);
  expect(readFileSync(join(folder, 'ids.csv'), 'utf8')).toContain(`,${ann.id},created`);
});

test('import-users stops after the first user if the service ignores a part of it', async () => {
  const user = { userId: 'old-a', username: 'a', state: 'USER_STATE_INITIAL' };
  const target = createTarget({ fault: faultAt('/v2/users/old-a', { status: 200, body: { user } }) });
  await expect(run(target, ['a', 'b', 'c'])).rejects.toThrow('without the active state, the password hash');
  expect(namesAt(target)).toEqual(['a']);
});

test('import-users stops at the first user with a part that the service ignores', async () => {
  const target = createTarget({
    fault: (request) => {
      const body = String(request.body).replace(/"totpSecret":"\w+"/, '"totp":""');
      if (request.url.endsWith('/v2/users/new')) Object.assign(request, { body });
      return undefined;
    },
  });
  await expect(run(target, ['a', 'b', sampleUser('c', otp), sampleUser('d', otp)])).rejects.toThrow(
    'the service created user old-c without the TOTP secret',
  );
  expect(namesAt(target)).toEqual(['a', 'b', 'c']);
});

test('import-users reads the user or repeats the call after a lost answer, and reads no list', async () => {
  let sent = 0;
  const target = createTarget({
    fault: ({ url }) =>
      url.endsWith('/v2/users/new') ? (['lost', undefined, 'reset'] as const)[sent++ % 3] : undefined,
  });
  const machineUsers = userNames(6).map((name) => {
    const userId = `robot-${name}`;
    return { userId, user: { userId, userName: userId, name } };
  });
  const { tally } = await run(target, userNames(12), { lists: { machineUsers } });
  expect(tally).toMatchObject({ read: 18, written: 18, machines: 6 });
  expect(usersAt(target).size).toBe(12);
  // A third again, and a third of these.
  expect(sent).toBe(18 + 6 + 2);
  expect(target.requests.filter((line) => line.endsWith('_search')).length).toBeLessThan(4);
});

test('import-users backs off between retries and finally gives the user up', async () => {
  const target = createTarget({
    fault: ({ body }) => (String(body).includes('"ann"') ? { status: 500 } : undefined),
  });
  expect(await reasonsOf(run(target, ['ann', 'bob']))).toEqual({ 'import:unconfirmed': 1 });
  expect(target.clock.monotonic()).toBeGreaterThan(60_000);
});
