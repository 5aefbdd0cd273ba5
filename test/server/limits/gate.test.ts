/** What stands before and behind every request: rate, sizes, quota, block, faults, as a client meets them. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ReferenceServerOptions } from '../../../src/server/index.ts';
import { createFullServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;
afterEach(() => server.close());
const start = (options: ReferenceServerOptions = {}): FullServer => {
  server = createFullServer(options);
  return server;
};
const me = 'GET /auth/v1/users/me';

describe('the rate limit', () => {
  it('answers 429 in plain text without Retry-After, and lets pass again when the minute is over', async () => {
    const { call, clock } = start({ rate: 0.1 });
    for (let i = 0; i < 6; i++) expect((await call(me)).status).toBe(200);
    const refused = await call(me);
    expect(refused).toMatchObject({ status: 429, body: 'Too Many Requests\n' });
    expect(refused.headers.get('retry-after')).toBeNull();
    expect(refused.headers.get('content-type')).toBe('text/plain');
    await clock.advance(60_000);
    expect((await call(me)).status).toBe(200);
  });

  it('says when to come back where that was asked for', async () => {
    const { call, clock } = start({ rate: 0.1, retryAfter: true });
    for (let i = 0; i < 6; i++) await call(me);
    await clock.advance(10_000);
    expect((await call(me)).headers.get('retry-after')).toBe('50');
  });

  it('comes with the profile: 50 a second for the hosted one, none for one of your own', async () => {
    expect((await start({ profile: 'hosted' }).control('GET state')).body).toMatchObject({
      profile: 'hosted',
      rate: 50,
    });
    await server.close();
    expect((await start({ profile: 'self-hosted' }).control('GET state')).body.rate).toBeNull();
    await server.close();
    expect((await start({ profile: 'hosted', rate: null }).control('GET state')).body.rate).toBeNull();
    expect(() => createFullServer({ profile: 'nothing' })).toThrow('there is no profile nothing');
  });
});

describe('sizes', () => {
  const sampleUser = (i: number) => ({
    userId: `u-${i}`,
    user: {
      userName: `user-${i}`,
      profile: { firstName: 'F', lastName: 'x'.repeat(190) },
      email: { email: `user-${i}@a.example`, isEmailVerified: true },
    },
  });

  it('over 4 MiB as protobuf are refused with the exact size; the same users in two bodies are not', async () => {
    const { call } = start();
    const sampleUsers = Array.from({ length: 18_000 }, (_, i) => sampleUser(i));
    const body = (humanUsers: object[]) => ({
      dataOrgs: { orgs: [{ orgId: 'o', humanUsers }] },
      timeout: '5m',
    });
    const refused = await call('POST /admin/v1/import', body(sampleUsers));
    expect(refused).toMatchObject({ status: 429, body: { code: 8 } });
    expect(refused.body.message).toMatch(
      /^grpc: received message larger than max \(4[2-9]\d{5} vs\. 4194304\)$/,
    );
    expect(refused.body).not.toHaveProperty('details');
    expect(refused.headers.get('set-cookie')).toContain('zitadel.quota.exhausted=true');
    const half = await call('POST /admin/v1/import', body(sampleUsers.slice(0, 16_000)));
    expect(half.status).toBe(200);
  });
});

describe('restrictions', () => {
  it('block the instance before the token is looked at', async () => {
    const { call, control } = start();
    await control('PUT restrictions', { blocked: true });
    expect(await call('POST /admin/v1/export', {}, { as: 'anonymous' })).toMatchObject({
      status: 429,
      body: {
        code: 8,
        message: 'Errors.Limits.Instance.Blocked (LIMITS-molsj)',
        details: [{ id: 'LIMITS-molsj' }],
      },
    });
    await control('PUT restrictions', { blocked: false });
    expect((await call(me)).status).toBe(200);
  });

  it('count calls with a token against a quota', async () => {
    const { call, control } = start();
    await control('PUT restrictions', { quota: 2 });
    await call(me, undefined, { as: 'anonymous' });
    expect((await call(me)).status).toBe(200);
    expect((await call(me)).status).toBe(200);
    const refused = await call(me);
    expect(refused.body).toMatchObject({ code: 8, message: 'Quota.Access.Exhausted (QUOTA-vjAy8)' });
    const cookie = refused.headers.get('set-cookie')!;
    expect(cookie).toContain('Max-Age=300');
    await control('PUT restrictions', { quota: null });
    const again = await call(me, undefined, { headers: { cookie } });
    expect(again.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await call(me)).headers.get('set-cookie')).toBeNull();
  });
});

describe('faults', () => {
  const record = {
    userName: 'ann',
    profile: { firstName: 'A', lastName: 'B' },
    email: { email: 'a@b.example', isEmailVerified: true },
  };
  const importPath = '/management/v1/users/human/_import';

  it('answer in place of the server, before it does anything', async () => {
    const { call, control, state } = start();
    const fault = {
      method: 'post',
      path: importPath,
      times: 1,
      status: 503,
      body: { code: 14, message: 'no' },
    };
    expect((await control('POST faults', fault)).status).toBe(201);
    expect(await call(`POST ${importPath}`, record)).toMatchObject({ status: 503, body: { code: 14 } });
    expect(state.store.users.by('name', 'ann')).toHaveLength(0);
    expect((await call(`POST ${importPath}`, record)).status).toBe(200);
  });

  it('lose the answer of something that was done', async () => {
    const { call, control, state } = start();
    await control('POST faults', { path: importPath, when: 'after', times: 1, reset: true });
    await expect(call(`POST ${importPath}`, record)).rejects.toThrow('cut on purpose');
    expect(state.store.users.by('name', 'ann')).toHaveLength(1);
    expect((await call(`POST ${importPath}`, record)).status).toBe(409);
    const { requests } = (await control('GET requests')).body;
    expect(requests).toMatchObject([{ status: 0, note: 'fault 1' }, { status: 409 }]);
  });

  it('send half of an answer', async () => {
    const { call, control } = start();
    await control('POST faults', { path: '/auth/*', half: true, times: 1 });
    await expect(call(me)).rejects.toThrow('cut on purpose');
    expect((await call(me)).status).toBe(200);
  });
});
