/** Metadata of users in what no recorded call has: the other alphabet of base64, and a search by the beginning of a key. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;
let v1: string;
beforeEach(() => {
  server = createTestServer();
  v1 = `/management/v1/users/${server.users.nobody}/metadata`;
});

describe('version 1', () => {
  it('takes base64 in the other alphabet and gives the standard one', async () => {
    await server.call(`POST ${v1}/k`, { value: '-_8' });
    expect((await server.call(`GET ${v1}/k`)).body.metadata).toMatchObject({ key: 'k', value: '+/8=' });
  });
});
