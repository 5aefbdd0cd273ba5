/** The routes that need no token. */
import { describe, expect, it } from 'vitest';
import { createTestServer } from '../../support/full-server.ts';

const server = createTestServer();
const get = (path: string, headers: Record<string, string> = {}) =>
  server.call(`GET ${path}`, undefined, { as: 'anonymous', headers });

describe('discovery', () => {
  it('names the issuer as the client sees it', async () => {
    expect((await get('/.well-known/openid-configuration')).body).toMatchObject({
      issuer: 'http://localhost',
      token_endpoint: 'http://localhost/oauth/v2/token',
    });
    const forwarded = await get('/.well-known/openid-configuration', {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'id.example.com',
    });
    expect(forwarded.body.issuer).toBe('https://id.example.com');
  });
});
