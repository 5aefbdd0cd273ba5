/** Metadata of users: set, changed, looked up, searched and removed, by version 1 and by version 2. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../support/reference-server.ts';

let server: TestServer;
let v1: string;
let v2: string;
beforeEach(() => {
  server = createTestServer();
  v1 = `/management/v1/users/${server.users.nobody}/metadata`;
  v2 = `/v2/users/${server.users.nobody}/metadata`;
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
const bulk = (...pairs: [string, string][]) =>
  server.call(`POST ${v1}/_bulk`, { metadata: pairs.map(([key, value]) => ({ key, value: base64(value) })) });
const stored = () => server.state.store.users.get(server.users.nobody)?.more?.metadata;

describe('version 1', () => {
  it('sets many keys, counts only changes', async () => {
    expect((await bulk(['a', '1'], ['b', '2'])).body.details).toEqual({
      sequence: '3',
      changeDate: '2026-01-01T00:00:00Z',
      resourceOwner: server.orgId,
    });
    expect((await bulk(['a', '1'])).body.details.sequence).toBe('3');
    expect((await bulk(['a', 'changed'])).body.details.sequence).toBe('4');
    expect(stored()).toMatchObject({ a: { value: base64('changed') }, b: { value: base64('2') } });
  });

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

  it('removes one key', async () => {
    await bulk(['a', '1'], ['b', '2']);
    expect((await server.call(`DELETE ${v1}/a`)).status).toBe(200);
    expect(Object.keys(stored() ?? {})).toEqual(['b']);
    expect(await server.call(`DELETE ${v1}/a`)).toMatchObject({
      status: 404,
      body: { details: [{ id: 'META-ncnw3' }] },
    });
    expect(await server.call(`GET ${v1}/a`)).toMatchObject({ status: 404 });
  });

  it('refuses an empty list, an unknown user, too long a key', async () => {
    expect(await bulk()).toMatchObject({ status: 400, body: { code: 9, details: [{ id: 'META-9mm2d' }] } });
    const noUser = await server.call('POST /management/v1/users/no/metadata/_bulk', {
      metadata: [{ key: 'a', value: 'YQ==' }],
    });
    expect(noUser).toMatchObject({ status: 400, body: { code: 9, details: [{ id: 'COMMAND-uXHNj' }] } });
    expect((await bulk(['k'.repeat(201), '1'])).body.message).toMatch(
      /Key: value length must be between 1 and 200 runes/,
    );
  });
});

describe('version 2', () => {
  it('sets, searches and removes', async () => {
    const metadata = [
      { key: 'alpha', value: base64('1') },
      { key: 'beta', value: base64('2') },
    ];
    expect((await server.call(`POST ${v2}`, { metadata })).body).toEqual({ setDate: '2026-01-01T00:00:00Z' });
    const filters = [{ keyFilter: { key: 'bet', method: 'TEXT_QUERY_METHOD_STARTS_WITH' } }];
    expect((await server.call(`POST ${v2}/search`, { filters })).body).toEqual({
      pagination: { totalResult: '1', appliedLimit: '100' },
      metadata: [
        {
          creationDate: '2026-01-01T00:00:00Z',
          changeDate: '2026-01-01T00:00:00Z',
          key: 'beta',
          value: base64('2'),
        },
      ],
    });
    expect((await server.call(`DELETE ${v2}?keys=alpha&keys=beta`)).body).toEqual({
      deletionDate: '2026-01-01T00:00:00Z',
    });
    expect(stored()).toEqual({});
    expect((await server.call(`DELETE ${v2}?keys=alpha`)).status).toBe(404);
    expect(await server.call(`POST ${v2}`, {})).toMatchObject({
      status: 400,
      body: { code: 9, message: 'Metadata list is empty (META-9mm2d)' },
    });
  });
});
