/** Users looked up, searched, switched off, locked and deleted, by version 1 and by version 2. */
import { beforeEach, describe, expect, it } from 'vitest';
import { searchUsers } from '../../../src/server/users/search.ts';
import { createTestServer, type TestServer } from '../../support/reference-server.ts';

let server: TestServer;

async function addUsers(...names: string[]): Promise<void> {
  const humanUsers = names.map((name) => ({
    userId: name,
    user: {
      userName: name,
      profile: { firstName: name.toUpperCase(), lastName: 'Test', nickName: `${name}y` },
      email: { email: `${name}@Example.com`, isEmailVerified: true },
      phone: { phone: '+41791234567', isPhoneVerified: true },
      hashedPassword: { value: '$2a$10$'.padEnd(60, 'x') },
    },
  }));
  const orgs = [{ orgId: server.orgId, humanUsers }];
  await server.call('POST /admin/v1/import', { dataOrgs: { orgs }, timeout: '1m' });
}

beforeEach(async () => {
  server = createTestServer();
  await addUsers('ada', 'bob', 'eve');
});

const search = (body: object, route = 'POST /management/v1/users/_search') => server.call(route, body);
const ids = async (body: object) => ((await search(body)).body.result ?? []).map((user: any) => user.id);
const equals = 'TEXT_QUERY_METHOD_EQUALS';

describe('one user', () => {
  it('looks like this in version 1', async () => {
    expect((await server.call('GET /management/v1/users/ada')).body).toEqual({
      user: {
        id: 'ada',
        details: {
          sequence: '3',
          creationDate: '2026-01-01T00:00:00Z',
          changeDate: '2026-01-01T00:00:00Z',
          resourceOwner: server.orgId,
        },
        state: 'USER_STATE_ACTIVE',
        userName: 'ada',
        loginNames: ['ada'],
        preferredLoginName: 'ada',
        human: {
          profile: {
            firstName: 'ADA',
            lastName: 'Test',
            nickName: 'aday',
            displayName: 'ADA Test',
            preferredLanguage: 'und',
          },
          email: { email: 'ada@Example.com', isEmailVerified: true },
          phone: { phone: '+41791234567', isPhoneVerified: true },
          passwordChanged: '2026-01-01T00:00:00Z',
        },
      },
    });
  });

  it('looks like this in version 2', async () => {
    const { body } = await server.call('GET /v2/users/ada');
    expect(body).toMatchObject({
      details: { resourceOwner: server.orgId },
      user: {
        userId: 'ada',
        state: 'USER_STATE_ACTIVE',
        username: 'ada',
        human: {
          profile: { givenName: 'ADA', familyName: 'Test' },
          email: { email: 'ada@Example.com', isVerified: true },
          phone: { phone: '+41791234567', isVerified: true },
        },
      },
    });
  });

  it.each(['GET /management/v1/users/nope', 'GET /v2/users/nope'])('%s is 404', async (route) => {
    expect(await server.call(route)).toMatchObject({
      status: 404,
      body: { code: 5, message: 'User could not be found (QUERY-Dfbg2)' },
    });
  });

  it('is found under an id that the path must escape', async () => {
    await addUsers('auth0|x');
    expect((await server.call('GET /management/v1/users/auth0%7Cx')).body.user.id).toBe('auth0|x');
  });

  it('of another org does not exist for version 1', async () => {
    const { store } = server.state;
    store.orgs.put({ ...store.orgs.get(server.orgId)!, id: 'b', name: 'B' });
    expect((await server.call('GET /management/v1/users/ada', undefined, { orgId: 'b' })).status).toBe(404);
  });

  it('is found by login name, with the domain where the org asks for it', async () => {
    const byLogin = (name: string) =>
      server.call(`GET /management/v1/global/users/_by_login_name?loginName=${encodeURIComponent(name)}`);
    expect((await byLogin('ADA')).body.user.id).toBe('ada');
    const { store } = server.state;
    const org = store.orgs.get(server.orgId)!;
    const domainPolicy = {
      orgId: org.id,
      userLoginMustBeDomain: true,
      validateOrgDomains: false,
      smtpSenderAddressMatchesInstanceDomain: false,
    };
    store.orgs.put({ ...org, domainPolicy });
    expect((await byLogin('ada')).status).toBe(404);
    expect((await byLogin('ada@default.localhost')).body.user.loginNames).toEqual(['ada@default.localhost']);
  });

  it('says whether a name or an address is free', async () => {
    const isUnique = async (query: string) =>
      (await server.call(`GET /management/v1/users/_is_unique?${query}`)).body;
    expect(await isUnique('userName=new')).toEqual({ isUnique: true });
    expect(await isUnique('user_name=ADA')).toEqual({});
    expect(await isUnique('email=ada@example.com')).toEqual({});
    expect(await isUnique('userName=new&email=new@example.com')).toEqual({ isUnique: true });
  });
});

describe('the search of version 1', () => {
  it('gives the whole org without a limit of its own, with details', async () => {
    const { body } = await search({});
    expect(body.details).toEqual({
      totalResult: '7',
      viewTimestamp: '2026-01-01T00:00:00Z',
    });
    expect(body.result).toHaveLength(7);
  });

  it('pages in the order of creation, either way', async () => {
    const page = (offset: number, asc: boolean) =>
      ids({
        query: { offset: String(offset), limit: 2, asc },
        sortingColumn: 'USER_FIELD_NAME_CREATION_DATE',
        queries: [{ typeQuery: { type: 'TYPE_HUMAN' } }],
      });
    expect([await page(0, true), await page(2, true)]).toEqual([['ada', 'bob'], ['eve']]);
    expect([await page(0, false), await page(2, false)]).toEqual([['eve', 'bob'], ['ada']]);
    expect(await page(3, true)).toEqual([]);
  });

  it.each([
    [{ userNameQuery: { userName: 'bob', method: equals } }, ['bob']],
    [{ userNameQuery: { userName: 'BOB', method: equals } }, []],
    [{ userNameQuery: { userName: 'BOB', method: `${equals}_IGNORE_CASE` } }, ['bob']],
    [{ user_name_query: { user_name: 'b', method: 2 } }, ['bob']],
    [{ userNameQuery: { userName: 'OB', method: 'TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE' } }, ['bob']],
    [{ userNameQuery: { userName: 'e', method: 'TEXT_QUERY_METHOD_ENDS_WITH' } }, ['eve', 'no-role']],
    [{ emailQuery: { emailAddress: 'eve@Example.com' } }, ['eve']],
    [{ firstNameQuery: { firstName: 'EVE' } }, ['eve']],
    [{ nickNameQuery: { nickName: 'evey' } }, ['eve']],
    [{ displayNameQuery: { displayName: 'EVE Test' } }, ['eve']],
    [{ loginNameQuery: { loginName: 'ada' } }, ['ada']],
    [{ stateQuery: { state: 'USER_STATE_LOCKED' } }, []],
    [{ inUserIdsQuery: { userIds: ['eve', 'nope', 'ada'] } }, ['eve', 'ada']],
    [{ inUserEmailsQuery: { userEmails: ['bob@Example.com'] } }, ['bob']],
    [
      {
        orQuery: {
          queries: [{ userNameQuery: { userName: 'eve' } }, { userNameQuery: { userName: 'ada' } }],
        },
      },
      ['eve', 'ada'],
    ],
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
  ])('%j', async (query, expected) => {
    const found = (await search({ queries: [query] })).body.result ?? [];
    expect(found.map((user: any) => user.userName)).toEqual(expected);
  });

  it('sorts by other columns', async () => {
    const humans = [{ typeQuery: { type: 'TYPE_HUMAN' } }];
    const sortingColumn = 'USER_FIELD_NAME_EMAIL';
    expect(await ids({ sortingColumn, queries: humans })).toEqual(['eve', 'bob', 'ada']);
    expect(await ids({ sortingColumn, queries: humans, query: { asc: true } })).toEqual([
      'ada',
      'bob',
      'eve',
    ]);
  });

  it('takes any limit, and tells no total of an empty page', async () => {
    expect((await search({ query: { limit: 20_000 } })).body.result).toHaveLength(7);
    expect((await search({ query: { offset: 7 } })).body).toEqual({
      details: { viewTimestamp: '2026-01-01T00:00:00Z' },
    });
  });

  it('refuses a query of nothing, and an empty list of emails', async () => {
    expect(await search({ queries: [{ inUserEmailsQuery: { userEmails: [] } }] })).toMatchObject({
      status: 500,
      body: { code: 2, message: 'values array must not be empty ()' },
    });
    expect((await search({ queries: [{}] })).body.message).toBe(
      'invalid ListUsersRequest.Queries[0]: embedded message failed validation | caused by: invalid SearchQuery.Query: value is required',
    );
  });
});

describe('the search of version 2', () => {
  const names = async (body: object, as: 'iamOwner' | 'orgOwner' | 'nobody' = 'iamOwner') =>
    ((await server.call('POST /v2/users', body, { as })).body.result ?? []).map((user: any) => user.username);

  it('sees all orgs of an instance owner, one org of an org owner, only itself without a role', async () => {
    const orgs = [
      {
        orgId: '2',
        org: { name: 'Two' },
        humanUsers: [
          {
            userId: 'zoe',
            user: { userName: 'zoe', profile: { firstName: 'Z', lastName: 'Z' }, email: { email: 'z@z.z' } },
          },
        ],
      },
    ];
    await server.call('POST /admin/v1/import', { dataOrgs: { orgs }, timeout: '1m' });
    expect(await names({})).toContain('zoe');
    expect(await names({}, 'orgOwner')).not.toContain('zoe');
    expect(await names({}, 'orgOwner')).toContain('ada');
    expect(await names({}, 'nobody')).toEqual(['no-role']);
    expect(await names({ queries: [{ organizationIdQuery: { organizationId: '2' } }] })).toEqual(['zoe']);
    expect(await names({ queries: [{ stateQuery: { state: 5 } }] })).toEqual(['zoe']);
  });

  it('gives a hundred by default', async () => {
    await addUsers(...Array.from({ length: 120 }, (_, i) => `u${i}`));
    expect(await names({})).toHaveLength(100);
    expect(await names({ query: { limit: 1000 } })).toHaveLength(127);
  });

  it('nests queries up to twenty levels deep, and takes as many values as the database', async () => {
    const nested = (levels: number): object =>
      levels === 0 ? { userNameQuery: { userName: 'ada' } } : { orQuery: { queries: [nested(levels - 1)] } };
    const ask = (query: object) => server.call('POST /v2/users', { queries: [query] });
    const many = (length: number) => ({ inUserIdsQuery: { userIds: Array.from({ length }, () => 'ada') } });
    for (const query of [nested(20), many(65_535)]) expect((await ask(query)).body.result).toHaveLength(1);
    expect(await ask(nested(21))).toMatchObject({ status: 400, body: { details: [{ id: 'USER-zsQ97' }] } });
    expect(await ask(many(65_536))).toMatchObject({
      status: 500,
      body: { details: [{ id: 'QUERY-AG4gs' }] },
    });
  });

  it('compares nothing of users whom the caller may not see', () => {
    const { store } = server.state;
    const seen: string[] = [];
    const userNameQuery = { userName: 'ad', method: 'TEXT_QUERY_METHOD_STARTS_WITH' as const };
    const visible = ({ id }: { id: string }) => seen.push(id) === 0;
    const search = { queries: [{ userNameQuery }], visible, sortBy: 0, offset: 0, limit: 1, ascending: true };
    expect(searchUsers(store, search)).toEqual({ total: 0, rows: [] });
    expect(seen).toHaveLength(store.users.size);
  });

  it('finds by phone and by metadata', async () => {
    await server.call('POST /v2/users/ada/metadata', {
      metadata: [{ key: 'plan', value: Buffer.from('gold').toString('base64') }],
    });
    expect(await names({ queries: [{ phoneQuery: { number: '+41791234567' } }] })).toEqual([
      'eve',
      'bob',
      'ada',
    ]);
    expect(await names({ queries: [{ metadataKeyFilter: { key: 'plan' } }] })).toEqual(['ada']);
    const value = Buffer.from('gold').toString('base64');
    expect(await names({ queries: [{ metadataValueFilter: { value } }] })).toEqual(['ada']);
  });
});

describe('status', () => {
  const v1 = (verb: string, id = 'ada') => server.call(`POST /management/v1/users/${id}/_${verb}`, {});
  const v2 = (verb: string, id = 'ada') => server.call(`POST /v2/users/${id}/${verb}`, {});
  const statusOf = (id = 'ada') => server.state.store.users.get(id)?.status;

  it('goes round by version 1, with its refusals', async () => {
    expect((await v1('deactivate')).body).toEqual({
      details: { sequence: '4', changeDate: '2026-01-01T00:00:00Z', resourceOwner: server.orgId },
    });
    expect(statusOf()).toBe('inactive');
    expect(await v1('deactivate')).toMatchObject({
      status: 400,
      body: { code: 9, message: 'User already inactive (COMMAND-5M0sf)' },
    });
    expect(await v1('lock')).toMatchObject({ status: 400, body: { details: [{ id: 'COMMAND-3NN8v' }] } });
    await v1('reactivate');
    expect(await v1('reactivate')).toMatchObject({
      status: 400,
      body: { details: [{ id: 'COMMAND-6M0sf' }] },
    });
    await v1('lock');
    expect(statusOf()).toBe('locked');
    await v1('unlock');
    expect(await v1('unlock')).toMatchObject({ status: 400, body: { details: [{ id: 'COMMAND-4M0ds' }] } });
    expect(statusOf()).toBe('active');
  });

  it('goes round by version 2, with its refusals', async () => {
    await v2('deactivate');
    expect(await v2('deactivate')).toMatchObject({
      status: 400,
      body: { details: [{ id: 'COMMAND-5gunjw0cd7' }] },
    });
    expect(await v2('lock')).toMatchObject({ body: { details: [{ id: 'COMMAND-lgws8wtsqf' }] } });
    await v2('reactivate');
    expect(await v2('reactivate')).toMatchObject({ body: { details: [{ id: 'COMMAND-s5qqcz97hf' }] } });
    await v2('lock');
    await v2('unlock');
    expect(await v2('unlock')).toMatchObject({ body: { details: [{ id: 'COMMAND-olb9vb0oca' }] } });
    expect(statusOf()).toBe('active');
  });

  it('leaves initial users as they are, but lets them be locked', async () => {
    const { store } = server.state;
    store.users.put({ ...store.users.get('ada')!, status: 'initial' });
    expect(await v1('deactivate')).toMatchObject({
      status: 404,
      body: { code: 5, details: [{ id: 'COMMAND-ke0fw' }] },
    });
    expect(await v2('deactivate')).toMatchObject({
      status: 400,
      body: { code: 9, details: [{ id: 'COMMAND-gvx4kct9r2' }] },
    });
    expect((await v1('lock')).status).toBe(200);
  });

  it.each([
    ['POST /management/v1/users/no/_deactivate', 'COMMAND-3M9ds'],
    ['POST /management/v1/users/no/_reactivate', 'COMMAND-4M0sd'],
    ['POST /management/v1/users/no/_lock', 'COMMAND-5M9fs'],
    ['POST /management/v1/users/no/_unlock', 'COMMAND-M0dos'],
    ['POST /v2/users/no/deactivate', 'COMMAND-5gp2p62iin'],
    ['POST /v2/users/no/reactivate', 'COMMAND-9hy5kzbuk6'],
    ['POST /v2/users/no/lock', 'COMMAND-450yxuqrh1'],
    ['POST /v2/users/no/unlock', 'COMMAND-x377t913pw'],
    ['DELETE /management/v1/users/no', 'COMMAND-m9od'],
    ['DELETE /v2/users/no', 'COMMAND-bd4ir1mblj'],
  ])('%s is 404 %s', async (route, id) => {
    expect(await server.call(route)).toMatchObject({ status: 404, body: { code: 5, details: [{ id }] } });
  });
});

describe('deleting', () => {
  it('frees id and name, takes grants and memberships along', async () => {
    const { store } = server.state;
    store.members.put({
      id: `org/${server.orgId}/ada`,
      created: 0,
      scope: 'org',
      objectId: server.orgId,
      projectId: '',
      orgId: server.orgId,
      userId: 'ada',
      roles: ['ORG_OWNER'],
    });
    expect((await server.call('DELETE /management/v1/users/ada')).status).toBe(200);
    expect(store.users.has('ada')).toBe(false);
    expect(store.members.by('user', 'ada')).toEqual([]);
    await addUsers('ada');
    expect(await ids({ queries: [{ userNameQuery: { userName: 'ada' } }] })).toEqual(['ada']);
    expect((await server.call('DELETE /v2/users/ada')).body.details.resourceOwner).toBe(server.orgId);
  });
});
