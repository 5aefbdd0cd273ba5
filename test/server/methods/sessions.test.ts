/** A password opens a session; a wrong one is counted, may lock, and never opens one. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;
beforeEach(async () => {
  server = createTestServer();
  await server.call('POST /v2/users/human', {
    userId: 'ada',
    username: 'ada',
    profile: { givenName: 'A', familyName: 'L' },
    email: { email: 'a@b.c', isVerified: true },
    password: { password: 'Right-123' },
  });
});

const login = (password: string, user: object = { loginName: 'ada' }) =>
  server.call('POST /v2/sessions', { checks: { user, password: { password } } });
const row = () => server.state.store.users.get('ada')!;

describe('a session', () => {
  it('renews a hash of another algorithm at the first login', async () => {
    expect(row().passwordHash).toBe('$test$Right-123');
    const renewed = createTestServer({
      verifyPassword: () => Promise.resolve(true),
      hashPassword: () => Promise.resolve('$2a$new'),
    });
    renewed.state.store.users.put({ ...row(), orgId: renewed.orgId });
    await renewed.call('POST /v2/sessions', {
      checks: { user: { userId: 'ada' }, password: { password: 'x' } },
    });
    expect(renewed.state.store.users.get('ada')?.passwordHash).toBe('$2a$new');
  });

  it('answers 500 where nothing can verify the stored hash', async () => {
    const broken = createTestServer({ verifyPassword: () => Promise.reject(new Error('no verifier')) });
    broken.state.store.users.put({ ...row(), orgId: broken.orgId });
    expect(
      await broken.call('POST /v2/sessions', {
        checks: { user: { userId: 'ada' }, password: { password: 'x' } },
      }),
    ).toMatchObject({ status: 500, body: { code: 13, details: [{ id: 'COMMAND-CahN2' }] } });
  });

  it('locks after as many failures as the org allows', async () => {
    const { store } = server.state;
    store.orgs.put({
      ...store.orgs.get(server.orgId)!,
      lockoutPolicy: { maxPasswordAttempts: 2, maxOtpAttempts: 0 },
    });
    await login('wrong');
    expect(row().status).toBe('active');
    await login('wrong');
    expect(row().status).toBe('locked');
    expect((await login('Right-123')).body.details[0].id).toBe('SESSION-Gj4ko');
  });
});

describe('a session that exists', () => {
  const idOf = (answer: { body: any }): string => answer.body.details[0].id;
  const create = async (checks: object = { user: { userId: 'ada' } }, more: object = {}) =>
    (await server.call('POST /v2/sessions', { checks, ...more })).body;

  it('is read with what was checked and when', async () => {
    const { sessionId, details } = await create(
      { user: { loginName: 'ada' }, password: { password: 'Right-123' } },
      { metadata: { place: 'aGVyZQ==' }, userAgent: { description: 'test' }, lifetime: '60s' },
    );
    expect(details).toEqual({
      sequence: '4',
      changeDate: '2026-01-01T00:00:00Z',
      resourceOwner: server.instanceId,
    });
    expect((await server.call(`GET /v2/sessions/${sessionId}`)).body).toEqual({
      session: {
        id: sessionId,
        creationDate: '2026-01-01T00:00:00Z',
        changeDate: '2026-01-01T00:00:00Z',
        sequence: '4',
        factors: {
          user: {
            verifiedAt: '2026-01-01T00:00:00Z',
            id: 'ada',
            loginName: 'ada',
            displayName: 'A L',
            organizationId: server.orgId,
          },
          password: { verifiedAt: '2026-01-01T00:00:00Z' },
        },
        metadata: { place: 'aGVyZQ==' },
        userAgent: { description: 'test' },
        expirationDate: '2026-01-01T00:01:00Z',
      },
    });
  });

  it('belongs to who created it, to its user, and to its token', async () => {
    const { sessionId, sessionToken } = await create();
    const as = (role: 'nobody' | 'iamViewer', token = '') =>
      server.call(`GET /v2/sessions/${sessionId}${token && `?sessionToken=${token}`}`, undefined, {
        as: role,
      });
    expect((await as('iamViewer')).status).toBe(200);
    expect((await as('nobody', sessionToken)).status).toBe(200);
    expect(idOf(await as('nobody'))).toBe('AUTHZ-cdgFk');
    expect((await as('nobody', 'x')).status).toBe(403);
  });

  it('is gone after a delete', async () => {
    const { sessionId } = await create();
    const path = `/v2/sessions/${sessionId}`;
    expect((await server.call(`DELETE ${path}`, {})).body.details).toMatchObject({ sequence: '4' });
    expect((await server.call(`DELETE ${path}`, {})).status).toBe(200);
    expect(await server.call(`GET ${path}`)).toMatchObject({
      status: 404,
      body: { code: 5, details: [{ id: 'QUERY-SFeaa' }] },
    });
    expect(idOf(await server.call(`PATCH ${path}`, {}))).toBe('COMMAND-Hewfq');
  });

  it('ends with its lifetime', async () => {
    const { sessionId } = await create(undefined, { lifetime: '10s' });
    await server.clock.advance(10_000);
    expect(idOf(await server.call(`PATCH /v2/sessions/${sessionId}`, {}))).toBe('COMMAND-Hkl3d');
  });

  it('has to be there: deleting another one changes nothing, setting it is refused', async () => {
    expect((await server.call('DELETE /v2/sessions/none', {})).body).toEqual({ details: {} });
    const set = (checks: object) => server.call('PATCH /v2/sessions/none', { checks });
    expect(idOf(await set({}))).toBe('COMMAND-Flk38');
    expect(idOf(await set({ password: { password: 'x' } }))).toBe('COMMAND-Sfw3f');
    expect(idOf(await set({ totp: { code: '123456' } }))).toBe('COMMAND-8N9ds');
    expect((await server.call('GET /v2/sessions/none?sessionToken=')).body.message).toBe(
      'invalid GetSessionRequest.SessionToken: value length must be between 1 and 500 runes, inclusive',
    );
  });

  it('says that a check is not there instead of passing over it', async () => {
    const checks = { user: { userId: 'ada' }, otpSms: { code: '123456' } };
    expect(await server.call('POST /v2/sessions', { checks })).toMatchObject({
      status: 501,
      body: { code: 12, message: 'the reference server has no check of otpSms' },
    });
  });
});

describe('a TOTP code', () => {
  /** The secret and the codes of RFC 6238, appendix B, six digits of them. */
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  const at = (seconds: number): number => seconds * 1000 - server.clock.now();
  const check = (code: string) =>
    server.call('POST /v2/sessions', { checks: { user: { userId: 'ada' }, totp: { code } } });
  const enrol = () => server.state.store.users.put({ ...row(), more: { otpSecret: secret } });

  it('holds for a step before and after, and no longer', async () => {
    enrol();
    const steps = [
      [-60, 400],
      [-30, 201],
      [0, 201],
      [30, 201],
      [60, 400],
    ] as const;
    for (const [step, status] of steps) {
      await server.clock.advance(at(20_000_000_000 + step));
      expect((await check('353130')).status).toBe(status);
    }
  });

  it('locks after as many wrong ones as the organization allows, counted from the last right one', async () => {
    const { store } = server.state;
    store.orgs.put({
      ...store.orgs.get(server.orgId)!,
      lockoutPolicy: { maxPasswordAttempts: 0, maxOtpAttempts: 2 },
    });
    enrol();
    await server.clock.advance(at(20_000_000_000));
    await check('000000');
    await check('353130');
    await check('000000');
    expect(row().status).toBe('active');
    const { body } = await server.call('POST /v2/sessions', { checks: { user: { userId: 'ada' } } });
    await check('000000');
    expect(row().status).toBe('locked');
    const set = await server.call(`PATCH /v2/sessions/${body.sessionId}`, {
      checks: { totp: { code: '353130' } },
    });
    expect(set.body.details[0].id).toBe('COMMAND-SF3fg');
  });
});
