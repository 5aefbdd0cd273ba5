/** The second pass on cutover night: only who is new or has changed, and a word about who is gone. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { remedyOf } from '../../../src/records/summary.ts';
import { codesOf, textsOf } from '../../support/workspace.ts';
import { createTestFolder } from '../../support/folder.ts';
import {
  bodyOf,
  beginPasses,
  createLagging,
  createPasses,
  createTarget,
  userAt,
  usersAt,
  userNames,
  sampleUser,
  runUsers,
  type Target,
  allUsers,
  fieldAt,
  called,
  oidcIdps,
  projectLists,
} from '../../support/users-run.ts';

/** For who gets a new password, about which the service sends an email. */
const limits = { emails: 2, sms: 0 };
const value = '$2a$10$KBCwKxOzLha2MUDgW0PjXe7l2JFBFiki3/lRtaMs9yJ5OiKFNCT6C';
const newHash = { hashedPassword: { value } };
const idsAt = (target: Target) => fieldAt(target, 'id');
/** Names and emails that users are to have. */
const expectedOf = (users: readonly ReturnType<typeof sampleUser>[]) =>
  Object.fromEntries(users.map(({ user }) => [user.userName, user.email.email]));
const metadataOf = (target: Target, name: string) => Object.keys(userAt(target, name).metadata ?? {});

test.each([0, 5000, 120_000])(
  'an incremental run creates new users, updates changed ones, keeps the rest, and names vanished ones, lists %i ms behind',
  async (lag) => {
    const { target, previous, next } = await beginPasses(['ann', 'bob', 'cyd'], {}, createLagging(lag));
    const before = idsAt(target);
    expect(codesOf(target)).not.toContain('list:behind');
    expect((await previous(['first'], 'second'))?.users).toBe(3);

    const users = ['ann', called('bob', 'Robert'), 'dan'];
    const { tally } = await next(users);
    expect(codesOf(target).includes('list:behind')).toBe(lag > 0);
    expect(tally).toMatchObject({ read: 3, written: 2, skipped: 1, rejected: 0 });
    expect(Object.fromEntries(tally.reasons)).toEqual({ 'user-skipped:unchanged': 1, 'single:changed': 1 });
    expect(idsAt(target)).toEqual({ ...before, dan: 'old-dan' });
    expect(userAt(target, 'bob')).toMatchObject({ firstName: 'Robert' });
    expect(textsOf(target, 'delta:vanished')).toEqual([expect.stringContaining('old-cyd')]);

    expect((await next(users)).tally).toMatchObject({ read: 3, written: 0, skipped: 3 });
  },
);

test('an incremental run sends one write per changed user and few list requests', async () => {
  const { target, next } = await beginPasses(userNames(300));
  const { length } = target.requests;
  const { tally } = await next(userNames(300).map((name) => called(name, 'New')));
  expect(tally).toMatchObject({ read: 300, written: 300, withNotes: 0 });
  const requests = target.requests.slice(length);
  const writes = requests.filter((line) => line.startsWith('PATCH'));
  expect(writes).toHaveLength(300);
  // What is asked before the run, and a list for those who are sent at the same time.
  expect(requests.length - writes.length).toBeLessThan(10 + 300 / 4);
});

test('an incremental run renames users to old names of others in any order', async () => {
  const names = ['ann', 'bob', 'cyd', 'dan', 'eve'];
  // Ann takes Bob's name, Bob Cyd's, ... and Eve a new one.
  const renamed = names.map((name, at) => sampleUser(name, { userName: names[at + 1] ?? 'zoe' }));
  // The name that Ann gives up is taken by a new user.
  const users = [sampleUser('new', { userName: 'ann' }), ...renamed];
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(users, { minLength: 6 }),
      fc.integer({ min: 1, max: 4 }),
      async (order, concurrency) => {
        const { target, next } = await beginPasses(names);
        const { tally } = await next(order, { concurrency });
        expect(tally).toMatchObject({ read: 6, written: 6, skipped: 0, rejected: 0 });
        expect(fieldAt(target, 'email')).toEqual(expectedOf(order));
      },
    ),
    { numRuns: 40 },
  );
});

test('an incremental run retries each user of a chain of renames once', async () => {
  const { target, next } = await beginPasses(userNames(100));
  const renamed = userNames(101)
    .slice(1)
    .map((userName, at) => sampleUser(`user-${at}`, { userName }));
  const { length } = target.requests;
  await next(renamed, { concurrency: 1 });
  const writes = target.requests.slice(length).filter((line) => line.startsWith('PATCH'));
  // Each but the last one waits once.
  expect(writes).toHaveLength(2 * 100 - 1);
});

test('an incremental run does not repeat a creation whose answer was lost, nor its email or password', async () => {
  const { target, path, next } = createPasses();
  const entry = { otpCode: 'JBSWY3DPEHPK3PXP', state: 'USER_STATE_INACTIVE' };
  await next(['ann', sampleUser('bob', {}, entry)]);
  const lines = readFileSync(path('first'), 'utf8').split('\n');
  // As a kill leaves it, before the answers are written down.
  writeFileSync(path('first'), lines.filter((line) => !/^{"(?:outcome|end)"/.test(line)).join('\n'));
  await target.server.call('POST /v2/users/old-bob/reactivate', {});
  await target.server.clock.advance(60_000);
  const { tally } = await next(['ann', sampleUser('bob', {}, entry)]);
  expect(Object.fromEntries(tally.reasons)).toEqual({ 'user-skipped:unchanged': 1, 'single:changed': 1 });
  expect(textsOf(target, 'import:quote')[1]).toContain('2 of them failed before, or got no answer');
  expect(userAt(target, 'bob')).toMatchObject({ status: 'inactive' });
  for (const { passwordChanged } of usersAt(target).values()) expect(passwordChanged).toBeUndefined();
});

test('an incremental run looks up a password change whose answer was lost, and sends one email for each', async () => {
  const ends = ['lost', 'reset'] as const;
  let sent = 0;
  const target = createTarget({ fault: ({ method }) => (method === 'PATCH' ? ends[sent++] : undefined) });
  const { next } = await beginPasses(['ann', 'bob'], {}, target);
  await target.server.clock.advance(1000);
  const { tally } = await next([sampleUser('ann', newHash), sampleUser('bob', newHash)], { limits });
  expect([tally.written, sent]).toEqual([2, 3]);
  for (const name of ['ann', 'bob']) expect(userAt(target, name).passwordHash).toBe(value);
  expect(target.server.state.recent.notifications.total).toBe(2);
});

test('an incremental run keeps and names changes made at the service', async () => {
  const { target, pass, next } = createPasses();
  const lists = { userMetadata: [{ id: 'old-ann', key: 'team', value: 'b25l' }] };
  await next(['ann', 'bob'], { lists });
  const human = {
    profile: { givenName: 'Own', familyName: 'Choice' },
    password: { password: { password: 'Own-Choice-1' } },
  };
  await target.server.clock.advance(1000);
  await target.server.call('PATCH /v2/users/old-ann', { human });
  await target.server.call('DELETE /v2/users/old-bob');
  const sent = { profile: { firstName: 'New', lastName: 'ann' }, email: { email: 'new@example.com' } };
  const changed = sampleUser('ann', { ...sent, ...newHash }, { state: 'USER_STATE_LOCKED' });
  const path = join(createTestFolder(), 'second.journal');
  // A run that is resumed after that says the same again.
  for (const resume of [false, true]) {
    const more = { limits, journal: { path, resume } };
    const { tally } = await pass('second', ['first'], [changed, sampleUser('bob', sent)], more);
    expect(tally).toMatchObject({ read: 2, withNotes: 1, skipped: 1 });
    const reasons = { 'single:changed': 1, 'delta:kept': 1, 'user-skipped:gone': 1 };
    expect(Object.fromEntries(tally.reasons)).toEqual(reasons);
  }
  expect(userAt(target, 'ann')).toMatchObject({
    firstName: 'Own',
    email: 'new@example.com',
    emailVerified: false,
    status: 'locked',
  });
  expect(metadataOf(target, 'ann')).toEqual([]);
  // The one for the password that the user chose.
  expect(target.server.state.recent.notifications.total).toBe(1);
  const checks = { user: { userId: 'old-ann' }, password: { password: 'Own-Choice-1' } };
  await target.server.call('POST /v2/users/old-ann/unlock', {});
  expect((await target.server.call('POST /v2/sessions', { checks })).status).toBe(201);
});

test('an incremental run names what it cannot write in each pass, until the service has it', async () => {
  const { target, next } = createPasses();
  const { userGrants } = target.server.state.store;
  const orgs = [target.org, 'other'].map((orgId) => ({ orgId, name: orgId, domains: [] }));
  await next(['ann', 'bob'], { orgs, lists: projectLists('4711', 'reader', 'old-ann') });
  const users = ['ann', sampleUser('bob', { otpCode: 'JBSWY3DPEHPK3PXP' })];
  const pass = async () =>
    Object.fromEntries((await next(users, { orgs, lists: projectLists('4711', 'reader') })).tally.reasons);
  const left = { 'user-skipped:left': 2, 'delta:left': 1, 'delta:totp': 1 };
  expect(await pass()).toEqual(left);
  const [grant] = userGrants.by('user', 'old-ann');
  userGrants.put({ ...grant!, id: 'other', orgId: 'other' });
  await target.server.call(`DELETE /management/v1/users/old-ann/grants/${grant!.id}`);
  expect(await pass()).toEqual(left);
  userGrants.delete('other');
  expect(await pass()).toEqual({ 'user-skipped:unchanged': 1, 'user-skipped:left': 1, 'delta:totp': 1 });
});

test('the remedy --user restores deleted users and users without an answered initialization email', async () => {
  const { target, next } = createPasses();
  const email = { email: 'bob@example.com', isEmailVerified: false };
  const v1 = { route: 'import', limits: { emails: 1, sms: 0 } } as const;
  await next(['ann', sampleUser('bob', { email })], v1);
  await target.server.call(`DELETE /v2/users/${idsAt(target)['ann']}`);
  const changed = [sampleUser('ann', newHash), sampleUser('bob', { email, ...newHash })];
  const { tally } = await next(changed, { limits });
  const reasons = { 'user-skipped:gone': 1, 'user-skipped:left': 1, 'delta:initial': 1 };
  expect(Object.fromEntries(tally.reasons)).toEqual(reasons);
  for (const code of ['user-skipped:gone', 'delta:initial'] as const)
    expect(remedyOf(code, new Set(['--since-journal', '--journal']))).toContain('`--user`');
  await target.server.call(`DELETE /v2/users/${idsAt(target)['bob']}`);
  const selection = { ...allUsers, users: new Set(['old-ann', 'old-bob']) };
  await runUsers(target, bodyOf(target.org, changed), { selection });
  for (const name of ['ann', 'bob'])
    expect(userAt(target, name)).toMatchObject({
      id: `old-${name}`,
      status: 'active',
      passwordHash: value,
    });
});

test('a lost answer to an added link or an unlock is not a refusal, also while lists lag', async () => {
  const { target, next } = createPasses(createLagging(20_000));
  const { server } = target;
  await server.importInto({ oidcIdps });
  await next(['ann', sampleUser('bob', {}, { state: 'USER_STATE_LOCKED' })]);
  const lost = new Set(['links', 'unlock']);
  const fault = ({ url }: { readonly url: string }) =>
    lost.delete(url.split('/').at(-1)!) ? 'half' : undefined;
  const userLinks = [{ userId: 'old-ann', idpId: 'idp', providedUserId: 'a1' }];
  const over = createTarget({ server, fault });
  const { tally } = await next(['ann', 'bob'], { lists: { userLinks }, over });
  expect(tally).toMatchObject({ written: 2, rejected: 0 });
  expect(userAt(target, 'bob').status).toBe('active');
  expect(lost.size).toBe(0);
});
