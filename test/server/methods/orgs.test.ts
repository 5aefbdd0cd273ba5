/** Organizations, looked up, listed and made. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;
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

  it.each([[{ domainQuery: { domain: 'default', method: 'TEXT_QUERY_METHOD_STARTS_WITH' } }, 1]])(
    'search by %j',
    async (query, count) => {
      const queries = [JSON.parse(JSON.stringify(query).replace('"ID"', `"${server.orgId}"`))];
      const { body } = await server.call('POST /admin/v1/orgs/_search', { queries });
      expect(body.details.totalResult ?? '0').toBe(String(count));
      expect(body.result ?? []).toHaveLength(count);
    },
  );
});
