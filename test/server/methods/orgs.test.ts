/** Organizations in what no recorded call has. */
import { beforeEach, expect, it } from 'vitest';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;
beforeEach(() => {
  server = createTestServer();
});

it('are searched by the beginning of a domain', async () => {
  const queries = [{ domainQuery: { domain: 'default', method: 'TEXT_QUERY_METHOD_STARTS_WITH' } }];
  const { body } = await server.call('POST /admin/v1/orgs/_search', { queries });
  expect(body.result).toMatchObject([{ id: server.orgId, primaryDomain: 'default.localhost' }]);
});
