/** Users looked up, searched, switched off, locked and deleted, by version 1 and by version 2. */
import { beforeEach, describe, expect, it } from 'vitest';
import { searchUsers } from '../../../src/server/users/search.ts';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;

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

describe('one user', () => {
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
});

describe('the search of version 1', () => {
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
  ])('%j', async (query, expected) => {
    const found = (await search({ queries: [query] })).body.result ?? [];
    expect(found.map((user: any) => user.userName)).toEqual(expected);
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
