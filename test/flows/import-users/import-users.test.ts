/** The one-by-one import against the reference server, in one process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createErrorLimit } from '../../../src/flows/import-users/error-limit.ts';
import { builtInProfiles } from '../../../src/profiles/built-in.ts';
import { createTestFolder } from '../../support/folder.ts';
import { createTestServer } from '../../support/full-server.ts';
import {
  bodyOf,
  createBeside,
  createTarget,
  fieldAt,
  namesAt,
  runUsers,
  sampleUser,
  userNames,
  usersAt,
  type RunUsersOptions,
  type Target,
  allUsers,
  oidcIdps,
} from '../../support/users-run.ts';

const otp = { otpCode: 'JBSWY3DPEHPK3PXP' };
const inactive = { state: 'USER_STATE_INACTIVE' };

const run = (
  target: Target,
  users: readonly unknown[],
  { lists, ...more }: RunUsersOptions & { readonly lists?: object } = {},
) => runUsers(target, bodyOf(target.org, users, lists), more);
const reasonsOf = async (ended: ReturnType<typeof run>) => Object.fromEntries((await ended).tally.reasons);

describe('import-users', () => {
  test('reports a taken linked login and a taken user name apart', async () => {
    const target = createTarget();
    const link = (name: string) => ({
      idps: [{ configId: 'idp', externalUserId: `at-${name}`, displayName: 'x' }],
    });
    const orgs = [
      { orgId: target.org, oidcIdps, humanUsers: [sampleUser('first', link('ann'))] },
      { orgId: 'other', org: { name: 'Other' }, humanUsers: [sampleUser('bob', {}, { userId: 'another' })] },
    ];
    await target.server.call('POST /admin/v1/import', { dataOrgs: { orgs }, timeout: '1m' });
    const users = [sampleUser('ann', link('ann')), sampleUser('bob', link('bob')), 'cyd'];
    expect(await reasonsOf(run(target, users))).toEqual({ 'import:link-taken': 1, 'import:name-taken': 1 });
    expect(usersAt(target).has('cyd')).toBe(true);
  });

  test('reports metadata and links of unknown users as not sent', async () => {
    const lists = {
      userMetadata: ['old-ann', 'old-gone'].map((id) => ({ id, key: 'team', value: 'eA==' })),
      userLinks: [{ userId: 'old-gone', idpId: '1', providedUserId: 'x', providedUserName: 'x' }],
      userGrants: [{ userId: 'old-bob', projectId: '1', roleKeys: ['r'] }],
    };
    const { tally } = await run(createTarget(), ['ann', sampleUser('bob', { userName: '' })], { lists });
    expect(tally).toMatchObject({ read: 2, rejected: 1 });
    expect(tally.reasons.get('single:unknown-owner')).toBe(2);
    expect(tally.reasons.get('single:rejected-owner')).toBe(1);
  });

  test('sends nothing if the input lacks a user of --user', async () => {
    const target = createTarget();
    const selection = { ...allUsers, users: new Set(['ann', 'bbo']) };
    await expect(run(target, ['ann', 'bob'], { selection })).rejects.toThrow('no user in the input is "bbo"');
    expect(usersAt(target).size).toBe(0);
  });

  test('reports a refused hash as such, and a grant of its user', async () => {
    const server = createTestServer({ profile: builtInProfiles.get('self-hosted')! });
    const value = `$pbkdf2-sha256$27500$c2FsdHNhbHRzYWx0c2FsdA==$${'k'.repeat(43)}=`;
    const lists = { userGrants: [{ userId: 'old-bad', projectId: '1', roleKeys: ['r'] }] };
    const ended = run(createTarget({ server }), [sampleUser('bad', { hashedPassword: { value } })], {
      lists,
    });
    expect(await reasonsOf(ended)).toEqual({ 'import:hash-refused': 1, 'single:rejected-owner': 1 });
  });

  test('rejects the second of two users with one id, and gives its metadata to the first', async () => {
    const target = createTarget();
    const users = ['ann', sampleUser('ben', {}, { userId: 'old-ann' }), 'cy'];
    const userMetadata = [{ id: 'old-ann', key: 'k', value: 'dg==' }];
    const { tally } = await run(target, users, { lists: { userMetadata } });
    expect(tally).toMatchObject({ read: 3, written: 2, rejected: 1 });
    expect(tally.reasons.get('user-skipped:duplicate-id')).toBe(1);
    expect(namesAt(target)).toEqual(['ann', 'cy']);
    const robot = { userId: 'old-bob', user: { userId: 'old-bob', userName: 'robot', name: 'Robot' } };
    const kept = await run(target, ['bob'], { lists: { machineUsers: [robot] }, duplicates: 'keep' });
    expect(kept.tally).toMatchObject({ written: 1, rejected: 1 });
    expect(usersAt(target).get('ann')!.more?.metadata).toHaveProperty('k');
  });

  test('creates each user completely in one call with the old id and sends no message', async () => {
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
    expect(there.get('cyd')).toMatchObject({ emailVerified: false, more: { otpSecret: otp.otpCode } });
    const { body } = await target.server.call('POST /v2/users/old-cyd/metadata/search', {});
    expect(body.metadata).toMatchObject(userMetadata.map(({ key, value }) => ({ key, value })));
    expect([...target.server.state.store.notifications.values()]).toEqual([]);
    expect([isComplete, [...tally.reasons], tally.otp]).toEqual([true, [], 1]);
    const writes = target.requests.filter((line) => /users\/(?:new|[^/]+\/_(?:de|lo))/.test(line));
    expect(writes).toHaveLength(3 + 2);
  });

  test('leaves a user incomplete whose state is refused, also when the run is resumed', async () => {
    const refusal = { status: 400, body: {} };
    const target = createTarget({ fault: ({ url }) => (url.endsWith('_deactivate') ? refusal : undefined) });
    const folder = createTestFolder();
    for (const resume of [false, true]) {
      const end = await run(target, [sampleUser('ann', {}, inactive)], { folder, resume });
      expect([end.isComplete, [...end.tally.reasons]]).toEqual([false, [['single:state', 1]]]);
    }
  });

  test('never sends the id of an existing user, human or machine', async () => {
    const target = createTarget();
    const machine = { userName: 'robot', name: 'Robot', userId: 'old-ann' };
    await target.server.call('POST /management/v1/users/machine', machine);
    expect((await run(target, ['ann', 'bob'])).tally).toMatchObject({ written: 1, skipped: 1 });
    expect(namesAt(target)).toEqual(['bob']);
  });

  test.each([
    ['plain numbers', { keep: true, prefix: '' }, { userId: '17' }, /^[0-9a-f]{24}$/],
    ['plain numbers with a prefix', { keep: true, prefix: 'wp-' }, { userId: '17' }, /^wp-17$/],
    ['a slash', { keep: true, prefix: '' }, { userId: 'a/b' }, /^[0-9a-f]{24}$/],
    ['--ids=new', { keep: false, prefix: '' }, {}, /^[0-9a-f]{24}$/],
  ])('chooses ids: %s', async (_, idRule, entry, id) => {
    const target = createTarget();
    const folder = createTestFolder();
    const { tally } = await run(target, [sampleUser('ann', {}, entry)], { folder, idRule });
    const ann = usersAt(target).get('ann')!;
    expect(ann.id).toMatch(id);
    expect(tally.reasons.get('single:new-id')).toBe(1);
    expect(readFileSync(join(folder, 'ids.csv'), 'utf8')).toContain(`,${ann.id},created`);
  });

  test('chooses another id if a removed organization keeps the old one taken', async () => {
    const target = createTarget();
    const { body } = await target.server.call('POST /v2/organizations', { name: 'Gone' });
    const gone: string = body.organizationId;
    await createBeside({ ...target, org: gone }, sampleUser('ann'));
    await target.server.call(`DELETE /v2/organizations/${gone}`);
    expect((await run(target, ['ann'])).tally).toMatchObject({ written: 1, rejected: 0 });
    expect(usersAt(target).get('ann')!.id).toMatch(/^[0-9a-f]{24}$/);
  });

  test('rejects users with data that only the bulk import accepts', async () => {
    const target = createTarget();
    const value = `$pbkdf2-sha512$27500$${'A'.repeat(22)}$${'A'.repeat(172)}`;
    const users = [
      sampleUser('ann', { recoveryCodes: [{ raw: 'one' }] }),
      sampleUser('bob', { hashedPassword: { value } }),
      sampleUser('cyd', { otpCode: '!!!' }),
      ...[`${'d'.repeat(65)}@b.de`, 'e@bücher.de', 'f@my_host.de'].map((email) =>
        sampleUser(email.slice(0, 9), { email: { email } }),
      ),
    ];
    expect(await reasonsOf(run(target, users))).toEqual({
      'single:recovery-codes': 1,
      'single:long-hash': 1,
      'single:totp-secret': 1,
      'single:email': 3,
    });
    expect(usersAt(target).size).toBe(0);
  });

  test('stops after the first user if the service ignores a part of it', async () => {
    const user = { userId: 'old-a', username: 'a', state: 'USER_STATE_INITIAL' };
    const target = createTarget({
      fault: ({ url, method }) =>
        method === 'GET' && url.endsWith('/v2/users/old-a') ? { status: 200, body: { user } } : undefined,
    });
    await expect(run(target, ['a', 'b', 'c'])).rejects.toThrow(
      'the service created user old-a without the active state, the password hash',
    );
    expect(namesAt(target)).toEqual(['a']);
  });

  test('stops at the first user with a part that the service ignores', async () => {
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

  test('creates users by the older call if the service lacks the newer one', async () => {
    const target = createTarget();
    const lists = { userMetadata: [{ id: 'old-ann', key: 'k', value: 'dg==' }] };
    // Has to answer an email first, and cannot be deactivated before that.
    const cyd = sampleUser(
      'cyd',
      { email: { email: 'cyd@example.com' }, hashedPassword: undefined },
      inactive,
    );
    const users = [sampleUser('ann', otp, inactive), 'bob', cyd];
    const limits = { emails: 1, sms: 0 };
    const reasons = await reasonsOf(run(target, users, { lists, route: 'import', limits }));
    expect(reasons).toEqual({ 'single:new-id': 3, 'single:otp': 1 });
    expect(fieldAt(target, 'status')).toEqual({ ann: 'inactive', bob: 'active', cyd: 'locked' });
    expect(Object.keys(usersAt(target).get('ann')!.more?.metadata ?? {})).toEqual(['k']);
    expect(target.requests.filter((line) => line.includes('_import'))).toHaveLength(3);
  });

  test('reads the user or repeats the call after a lost answer, and reads no list', async () => {
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

  test('backs off between retries and finally gives the user up', async () => {
    const target = createTarget({
      fault: ({ body }) => (String(body).includes('"ann"') ? { status: 500 } : undefined),
    });
    expect(await reasonsOf(run(target, ['ann', 'bob']))).toEqual({ 'import:unconfirmed': 1 });
    expect(target.clock.monotonic()).toBeGreaterThan(60_000);
  });

  test('counts existing users as errors with --on-existing=fail', async () => {
    const target = createTarget();
    await run(target, userNames(3));
    const again = run(target, userNames(3), {
      onExisting: 'fail',
      errors: createErrorLimit({ most: 2 }),
    });
    await expect(again).rejects.toMatchObject({ code: 'import:too-many-errors' });
  });
});
