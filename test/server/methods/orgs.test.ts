/** Organizations and the instance, looked up, listed and made. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../support/reference-server.ts';

let server: TestServer;
beforeEach(() => {
  server = createTestServer();
});

const own = () => ({
  id: server.orgId,
  details: {
    sequence: '4',
    creationDate: '2026-01-01T00:00:00Z',
    changeDate: '2026-01-01T00:00:00Z',
    resourceOwner: server.orgId,
  },
  state: 'ORG_STATE_ACTIVE',
  name: 'Default',
  primaryDomain: 'default.localhost',
});

describe('look-ups', () => {
  it.each(['/management/v1/orgs/me', '/admin/v1/orgs/default', '/admin/v1/orgs/ID'])('%s', async (path) => {
    expect((await server.call(`GET ${path.replace('ID', server.orgId)}`)).body).toEqual({ org: own() });
  });

  it('are 404 for an unknown org', async () => {
    expect(await server.call('GET /admin/v1/orgs/42')).toMatchObject({
      status: 404,
      body: { code: 5, message: 'Organisation not found (QUERY-leq5Q)' },
    });
  });

  it.each([
    [{ idQuery: { id: 'ID' } }, 1],
    [{ idQuery: { id: '42' } }, 0],
    [{ nameQuery: { name: 'default', method: 'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE' } }, 1],
    [{ domainQuery: { domain: 'default', method: 'TEXT_QUERY_METHOD_STARTS_WITH' } }, 1],
    [{ stateQuery: { state: 'ORG_STATE_INACTIVE' } }, 0],
    [{ stateQuery: { state: 'ORG_STATE_ACTIVE' } }, 1],
  ])('search by %j', async (query, count) => {
    const queries = [JSON.parse(JSON.stringify(query).replace('"ID"', `"${server.orgId}"`))];
    const { body } = await server.call('POST /admin/v1/orgs/_search', { queries });
    expect(body.details.totalResult ?? '0').toBe(String(count));
    expect(body.result ?? []).toHaveLength(count);
  });

  it('by version 2 show what the caller may read', async () => {
    const search = async (as: 'iamViewer' | 'nobody', queries: object[] = []) =>
      (await server.call('POST /v2/organizations/_search', { queries }, { as })).body.result ?? [];
    expect(await search('iamViewer', [{ defaultQuery: {} }])).toEqual([
      { ...own(), state: 'ORGANIZATION_STATE_ACTIVE' },
    ]);
    expect(await search('nobody')).toEqual([]);
  });
});

describe('making one', () => {
  it('makes the caller its owner, and takes the name', async () => {
    const { body } = await server.call('POST /management/v1/orgs', { name: 'Acme Inc.' });
    expect(server.state.store.orgs.get(body.id)).toMatchObject({
      name: 'Acme Inc.',
      domains: [{ domainName: 'acme-inc.localhost' }],
    });
    expect(server.state.store.members.by('object', `org/${body.id}`)).toMatchObject([
      { roles: ['ORG_OWNER'] },
    ]);
    expect(await server.call('POST /v2/organizations', { name: 'ACME INC.' })).toMatchObject({
      status: 409,
      body: { details: [{ id: 'V3-DKcYh' }] },
    });
  });

  it('takes an id by version 2, once', async () => {
    expect((await server.call('POST /v2/organizations', { name: 'B', orgId: 'b' })).body.organizationId).toBe(
      'b',
    );
    expect((await server.call('POST /v2/organizations', { name: 'C', orgId: 'b' })).body.details[0].id).toBe(
      'ORG-lapo2n',
    );
  });
});

describe('the instance', () => {
  it('shows itself and its languages', async () => {
    expect((await server.call('GET /admin/v1/instances/me')).body.instance).toMatchObject({
      id: server.instanceId,
      state: 'STATE_RUNNING',
      domains: [
        { domain: expect.stringMatching(/^zitadel-\w{6}\.localhost$/), generated: true },
        { domain: 'localhost', primary: true },
      ],
    });
    expect((await server.call('GET /admin/v1/languages')).body.languages).toContain('de');
  });
});
