/** Users made, looked up, searched, changed and deleted, in what no recorded call has. */
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { searchUsers } from '../../../src/server/users/search.ts';
import {
  createTestServer,
  type CallOptions,
  type FullServer,
  importedUser,
  someHash,
  userV1,
  userV2,
} from '../../support/full-server.ts';

const importUser = 'POST /management/v1/users/human/_import';
let server: FullServer;
beforeEach(() => {
  server = createTestServer();
});
const addAda = (more: object = {}) => server.call('POST /v2/users/human', userV2('ada', more));
const ada = () => server.state.store.users.get('ada')!;
const sent = () => Array.from(server.state.store.notifications.values(), ({ kind, to }) => `${kind} ${to}`);

const namesWithDomain = {
  orgId: '',
  userLoginMustBeDomain: true,
  validateOrgDomains: false,
  smtpSenderAddressMatchesInstanceDomain: false,
};

describe('a new user', () => {
  it('is trimmed in user name and email only', async () => {
    const profile = { firstName: ' Ada ', lastName: ' L ' };
    const email = { email: ' Ada@Example.com ', isEmailVerified: true };
    const { body } = await server.call(importUser, userV1('  ada  ', { profile, email }));
    const kept = { userName: 'ada', firstName: ' Ada ', email: 'Ada@Example.com' };
    expect(server.state.store.users.get(body.userId)).toMatchObject(kept);
  });

  it('needs a user name that is unique in its organization if user names include the domain', async () => {
    for (const id of ['a', 'b']) server.patchOrg({ id, name: id, domainPolicy: namesWithDomain });
    const statuses: number[] = [];
    for (const orgId of ['a', 'b', 'a', server.orgId])
      statuses.push((await server.call(importUser, userV1('ada'), { orgId })).status);
    expect(statuses).toEqual([200, 200, 409, 200]);
  });

  it('belongs to the organization named in the body', async () => {
    server.patchOrg({
      id: 'b',
      name: 'B',
      domains: [{ domainName: 'b.example', isVerified: true, isPrimary: true }],
    });
    const into = (organization: object) => server.call('POST /v2/users/human', userV2('x', { organization }));
    expect((await into({ orgDomain: 'B.example' })).body.details.resourceOwner).toBe('b');
    expect(await into({ orgId: 'none' })).toMatchObject({ status: 403, errorId: 'AUTH-Bs7Ds' });
  });

  it.each([
    ['POST /v2/users/human', userV2('x')],
    ['POST /management/v1/users/machine', { userName: 'x', name: 'X' }],
  ])('is refused by %s in a deleted organization', async (route, body) => {
    server.patchOrg({ id: 'b', name: 'B' });
    await server.call('DELETE /admin/v1/orgs/b');
    expect(await server.call(route, body, { orgId: 'b' })).toMatchObject({ errorId: 'COMMAND-QXPGs' });
  });

  it.each([
    [{ username: ' ' }, 'V2-zzad3'],
    [{ profile: { givenName: ' ', familyName: 'b' } }, 'USER-UCej2'],
    [{ profile: { givenName: 'a', familyName: ' ' } }, 'USER-4hB7d'],
    [{ metadata: [{ key: ' ', value: 'YQ==' }] }, 'USER-Drght'],
  ])('with %j is refused', async (changes, errorId) => {
    expect(await addAda(changes)).toMatchObject({ status: 400, body: { code: 3 }, errorId });
  });
});

it('a metadata key like constructor is not found unless it was set', async () => {
  await addAda({ metadata: [{ key: 'a', value: 'YQ==' }] });
  const path = '/management/v1/users/ada/metadata/constructor';
  expect((await server.call(`GET ${path}`)).errorId).toBe('QUERY-Rgh32');
  expect((await server.call(`DELETE ${path}`)).errorId).toBe('META-ncnw3');
});

it('a user is found by login name, with the domain if the organization requires it', async () => {
  await addAda();
  const byLogin = (name: string) =>
    server.call(`GET /management/v1/global/users/_by_login_name?loginName=${encodeURIComponent(name)}`);
  expect((await byLogin('ADA')).body.user.id).toBe('ada');
  server.patchOrg({ domainPolicy: namesWithDomain });
  expect((await byLogin('ada')).status).toBe(404);
  expect((await byLogin('ada@default.localhost')).body.user.loginNames).toEqual(['ada@default.localhost']);
});

describe('a user search', () => {
  const gold = btoa('gold');
  beforeEach(async () => {
    const humanUsers = ['ada', 'bob', 'eve'].map((name) =>
      importedUser(name, {
        profile: { firstName: name.toUpperCase(), lastName: 'Test', nickName: `${name}y` },
        phone: { phone: '+41791234567', isPhoneVerified: true },
      }),
    );
    await server.importInto({ humanUsers, userMetadata: [{ id: 'ada', key: 'plan', value: gold }] });
  });
  const namesV1 = async (query: object) =>
    (await server.call('POST /management/v1/users/_search', { queries: [query] })).body.result?.map(
      (user: any) => user.userName,
    );
  const namesV2 = async (queries: object[], as: CallOptions['as'] = 'iamOwner') =>
    (await server.call('POST /v2/users', { queries }, { as })).body.result?.map((user: any) => user.username);

  it.each([
    [{ user_name_query: { user_name: 'b', method: 2 } }, ['bob']],
    [{ userNameQuery: { userName: 'OB', method: 'TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE' } }, ['bob']],
    [{ userNameQuery: { userName: 'e', method: 'TEXT_QUERY_METHOD_ENDS_WITH' } }, ['eve', 'no-role']],
    [{ firstNameQuery: { firstName: 'EVE' } }, ['eve']],
    [{ nickNameQuery: { nickName: 'evey' } }, ['eve']],
    [{ displayNameQuery: { displayName: 'EVE Test' } }, ['eve']],
    [
      {
        andQuery: {
          queries: [
            { inUserIdsQuery: { userIds: ['eve', 'ada'] } },
            { notQuery: { query: { userNameQuery: { userName: 'ada' } } } },
          ],
        },
      },
      ['eve'],
    ],
  ])('in v1 finds by %j', async (query, expected) => {
    expect(await namesV1(query)).toEqual(expected);
  });

  it.each([
    [{ phoneQuery: { number: '+41791234567' } }, ['eve', 'bob', 'ada']],
    [{ metadataKeyFilter: { key: 'plan' } }, ['ada']],
    [{ metadataValueFilter: { value: gold } }, ['ada']],
  ])('in v2 finds by %j', async (query, expected) => {
    expect(await namesV2([query])).toEqual(expected);
  });

  it('returns users of all organizations, of one, or only oneself, depending on the role', async () => {
    const zoe = { userId: 'zoe', user: userV1('zoe', { email: { email: 'z@z.z' } }) };
    await server.importOrgs([{ orgId: '2', org: { name: 'Two' }, humanUsers: [zoe] }]);
    expect(await namesV2([])).toContain('zoe');
    const seenByOwner = await namesV2([], 'orgOwner');
    expect([seenByOwner.includes('zoe'), seenByOwner.includes('ada')]).toEqual([false, true]);
    expect(await namesV2([], 'nobody')).toEqual(['no-role']);
    expect(await namesV2([{ organizationIdQuery: { organizationId: '2' } }])).toEqual(['zoe']);
    expect(await namesV2([{ stateQuery: { state: 5 } }])).toEqual(['zoe']);
  });

  it('nests up to twenty levels and takes up to 65,535 values', async () => {
    const nested = (levels: number): object =>
      levels === 0 ? { userNameQuery: { userName: 'ada' } } : { orQuery: { queries: [nested(levels - 1)] } };
    const many = (length: number) => ({ inUserIdsQuery: { userIds: Array.from({ length }, () => 'ada') } });
    for (const query of [nested(20), many(65_535)]) expect(await namesV2([query])).toEqual(['ada']);
    const ask = (query: object) => server.call('POST /v2/users', { queries: [query] });
    expect(await ask(nested(21))).toMatchObject({ status: 400, errorId: 'USER-zsQ97' });
    expect(await ask(many(65_536))).toMatchObject({ status: 500, errorId: 'QUERY-AG4gs' });
  });

  it('does not compare users whom the caller may not see', () => {
    const { store } = server.state;
    const seen: string[] = [];
    const userNameQuery = { userName: 'ad', method: 'TEXT_QUERY_METHOD_STARTS_WITH' as const };
    const visible = ({ id }: { id: string }) => seen.push(id) === 0;
    const search = { queries: [{ userNameQuery }], visible, sortBy: 0, offset: 0, limit: 1, ascending: true };
    expect(searchUsers(store, search)).toEqual({ total: 0, rows: [] });
    expect(seen).toHaveLength(store.users.size);
  });
});

it('a deleted user frees id and user name and loses memberships', async () => {
  const { store } = server.state;
  await server.importInto({
    humanUsers: [importedUser('ada')],
    orgMembers: [{ userId: 'ada', roles: ['ORG_OWNER'] }],
  });
  expect(store.members.by('user', 'ada')).toHaveLength(1);
  expect((await server.call('DELETE /management/v1/users/ada')).status).toBe(200);
  expect([store.users.has('ada'), store.members.by('user', 'ada')]).toEqual([false, []]);
  expect((await addAda()).status).toBe(200);
  expect((await server.call('DELETE /v2/users/ada')).body.details.resourceOwner).toBe(server.orgId);
});

describe('a user update', () => {
  beforeEach(() => addAda());
  const put = (body: object) => server.call('PUT /v2/users/human/ada', body);
  const login = () =>
    server.call('POST /v2/sessions', { checks: { user: { userId: 'ada' }, password: { password: 'x' } } });
  const withHash = () => put({ password: { hashedPassword: { hash: someHash } } });

  it.each([
    [{ username: 'ADA' }, 200, undefined],
    [{ username: 'ada@other.example' }, 400, 'COMMAND-Di2ei'],
    [{ username: 'a@other.example' }, 200, undefined],
    [{ password: { password: { password: 'Right-123' }, verificationCode: 'x' } }, 400, 'COMMAND-2M9fs'],
    [{ password: { password: { password: 'abc' } } }, 400, 'DOMAIN-HuJf6'],
  ])('%j returns %i %s', async (body, status, errorId) => {
    const domains = [{ domainName: 'other.example', isVerified: true, isPrimary: true }];
    server.patchOrg({ id: 'other', name: 'Other', domains });
    expect(await put(body)).toMatchObject({ status, errorId });
  });

  it.each([
    ['a new password', () => put({ password: { password: { password: 'Right-123' } } })],
    ['a login', login],
  ])('does not restore a user who is deleted while the password of %s is hashed', async (_, change) => {
    await withHash();
    const gone = (value: any) => () => Promise.resolve(server.state.store.users.delete('ada') && value);
    Object.assign(server.state.settings, { hashPassword: gone(someHash), verifyPassword: gone(true) });
    expect((await change()).status).toBe(404);
    expect(server.state.store.users.has('ada')).toBe(false);
  });

  it('by unlock resets the failed attempts', async () => {
    await withHash();
    await login();
    expect(ada().more?.failedAttempts).toBe(1);
    for (const change of ['lock', 'unlock']) await server.call(`POST /v2/users/ada/${change}`, {});
    expect(ada().more?.failedAttempts).toBeUndefined();
  });

  it.each([
    [{ profile: { givenName: 'New' } }, []],
    [{ email: { email: 'ada@acme.example', isVerified: false } }, []],
    [{ email: { email: 'n@b.c', isVerified: true } }, []],
    [{ email: { email: 'n@b.c', returnCode: {} } }, []],
    [{ email: { email: 'n@b.c', isVerified: false } }, ['verify-email n@b.c']],
    [{ email: { email: 'n@b.c' } }, ['verify-email n@b.c']],
    [{ phone: { phone: '+41791234567', isVerified: true } }, []],
    [{ phone: { phone: '+41791234567' } }, ['verify-phone +41791234567']],
    [{ password: { hashedPassword: { hash: someHash } } }, ['password-changed ada@acme.example']],
  ])('with %j sends the messages %j', async (human, expected) => {
    expect((await server.call('PATCH /v2/users/ada', { human })).status).toBe(200);
    expect(sent()).toEqual(expected);
  });

  it('of a machine user does not apply to a human', async () => {
    const machine = { name: 'Bot' };
    await server.call('POST /v2/users/new', { organizationId: server.orgId, userId: 'bot', machine });
    const changed = { username: 'robot', machine: { name: 'Robot' } };
    const first = (await server.call('PATCH /v2/users/bot', changed)).body;
    await server.clock.advance(1000);
    expect((await server.call('PATCH /v2/users/bot', changed)).body).toEqual(first);
    expect(server.state.store.users.get('bot')).toMatchObject({ userName: 'robot', more: { name: 'Robot' } });
    expect((await server.call('PATCH /v2/users/ada', { machine })).status).toBe(404);
  });
});

it('a key of a service user who is deleted meanwhile is refused', async () => {
  const { userId } = (await server.call('POST /management/v1/users/machine', { userName: 'x', name: 'X' }))
    .body;
  const key = server.call(`POST /management/v1/users/${userId}/keys`, {});
  await setImmediate();
  await server.call(`DELETE /management/v1/users/${userId}`);
  expect((await key).errorId).toBe('COMMAND-bnipwm1');
  expect(server.state.store.machineKeys.size).toBe(0);
});

describe('user codes', () => {
  beforeEach(async () => {
    const phone = { phone: '+41791234567', isVerified: true };
    await addAda({ password: { password: 'Password-1' }, phone });
  });
  const ask = (path: string, body: object = { count: 1 }) => server.call(`POST /v2/users/${path}`, body);

  it('that are sent are not returned', async () => {
    await server.call('POST /v2/users/human', userV2('new'));
    const sms = { sendLink: { notificationType: 'NOTIFICATION_TYPE_SMS' } };
    const answers = [
      await ask('ada/passkeys/registration_link', {}),
      await ask('ada/password_reset', sms),
      await ask('new/invite_code', { sendCode: { applicationName: 'Acme' } }),
    ];
    for (const { status, body } of answers) expect([status, Object.keys(body)]).toEqual([200, ['details']]);
    const to = ['passwordless ada@acme.example', 'password-reset +41791234567', 'invite new@acme.example'];
    expect(sent()).toEqual(to);
  });

  it('for recovery are limited to ten and stored as hashes', async () => {
    const generate = (count: number) => ask('ada/recovery_codes', { count });
    const { recoveryCodes } = (await generate(7)).body;
    expect(recoveryCodes).toHaveLength(7);
    for (const code of recoveryCodes) expect(code).toMatch(/^[a-z0-9]{5}-[a-z0-9]{5}$/);
    expect(ada().more?.recoveryCodes).toEqual(recoveryCodes.map((code: string) => `$test$${code}`));
    expect((await generate(4)).errorId).toBe('COMMAND-8f2k9');
    for (const count of [0, 11]) expect((await generate(count)).errorId).toBe('COMMAND-7c0nx');
  });

  it.each([
    ['nope/recovery_codes', 400, 'COMMAND-uXHNj'],
    ['nope/passkeys/registration_link', 400, 'COMMAND-uXHNj'],
    ['nope/password_reset', 404, 'COMMAND-SAF4f'],
    ['nope/invite_code', 400, 'COMMAND-Wgvn4'],
    ['ada/invite_code', 400, 'COMMAND-EF34g'],
  ])('%s without a suitable user are refused', async (path, status, errorId) => {
    expect(await ask(path)).toMatchObject({ status, errorId });
  });
});

describe('the event log', () => {
  const search = async (body: object) =>
    (await server.call('POST /admin/v1/events/_search', body)).body.events ?? [];
  beforeEach(async () => {
    for (const name of ['ada', 'bob']) {
      await server.clock.advance(60_000);
      await server.call('POST /v2/users/human', userV2(name));
    }
  });

  it.each([
    [{ aggregate_id: 'ada' }, ['ada']],
    [{ aggregateId: 'none' }, []],
    [{ resource_owner: 'none' }, []],
    [{ resource_owner: 'ORG', asc: true }, ['ada', 'bob']],
    [{ editorUserId: 'unknown' }, []],
    [{ range: { since: '2026-01-01T00:01:30Z' } }, ['bob']],
    [{ asc: true, from: '2026-01-01T00:02:00Z' }, ['bob']],
    [{ aggregateTypes: ['org'] }, []],
    [{ eventTypes: ['user.locked'], event_types: undefined }, []],
  ])('finds added users by %j', async (query, expected) => {
    const body = JSON.parse(
      JSON.stringify({ event_types: ['user.human.added'], ...query }).replace('ORG', server.orgId),
    );
    expect((await search(body)).map((event: any) => event.payload.userName)).toEqual(expected);
  });

  it('contains deleted users', async () => {
    await server.call('DELETE /management/v1/users/bob');
    const types = (await search({ aggregateId: 'bob', asc: true })).map(({ type }: any) => type.type);
    expect(types).toEqual(['user.human.added', 'user.removed']);
  });
});
