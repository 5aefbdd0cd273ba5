/** Metadata of users in what no recorded call has: the other alphabet of base64, and a search by the beginning of a key. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../support/reference-server.ts';

let server: TestServer;
let v1: string;
beforeEach(() => {
  server = createTestServer();
  v1 = `/management/v1/users/${server.users.nobody}/metadata`;
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
const bulk = (...pairs: [string, string][]) =>
  server.call(`POST ${v1}/_bulk`, { metadata: pairs.map(([key, value]) => ({ key, value: base64(value) })) });

describe('version 1', () => {
  it('takes base64 in the other alphabet and gives the standard one', async () => {
    await server.call(`POST ${v1}/k`, { value: '-_8' });
    expect((await server.call(`GET ${v1}/k`)).body.metadata).toMatchObject({ key: 'k', value: '+/8=' });
  });

  it('searches by key', async () => {
    await bulk(['alpha', '1'], ['beta', '2']);
    expect((await server.call(`POST ${v1}/_search`, {})).body).toMatchObject({
      details: { totalResult: '2' },
      result: [{ key: 'alpha' }, { key: 'beta' }],
    });
    const queries = [{ keyQuery: { key: 'a', method: 'TEXT_QUERY_METHOD_STARTS_WITH' } }];
    expect((await server.call(`POST ${v1}/_search`, { queries })).body.result).toHaveLength(1);
  });
});
