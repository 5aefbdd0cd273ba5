/** A password opens a session; a wrong one is counted, may lock, and never opens one. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type CallOptions, type FullServer, userV2 } from '../../support/full-server.ts';

let server: FullServer;
const start = async (settings: Parameters<typeof createTestServer>[0] = {}) => {
  server = createTestServer(settings);
  await server.call('POST /v2/users/human', userV2('ada', { password: { password: 'Right-123' } }));
};
beforeEach(() => start());

const open = (checks: object = {}, more: object = {}) =>
  server.call('POST /v2/sessions', { checks: { user: { userId: 'ada' }, ...checks }, ...more });
const login = (password: string) => open({ password: { password } });
const set = (id: string, checks: object = {}, more: object = {}) =>
  server.call(`PATCH /v2/sessions/${id}`, { checks, ...more });
const row = () => server.state.store.users.get('ada')!;
const policy = (maxPasswordAttempts: number, maxOtpAttempts: number) =>
  server.patchOrg({ lockoutPolicy: { maxPasswordAttempts, maxOtpAttempts } });

describe('a password check', () => {
  it('rehashes at the first login if the hash has another algorithm', async () => {
    const hashes = ['$test$Right-123', '$2a$new'];
    await start({
      verifyPassword: () => Promise.resolve(true),
      hashPassword: () => Promise.resolve(hashes.shift()!),
    });
    expect(row().passwordHash).toBe('$test$Right-123');
    await login('x');
    expect(row().passwordHash).toBe('$2a$new');
  });

  it('answers 500 if no verifier knows the hash', async () => {
    await start({ verifyPassword: () => Promise.reject(new Error('no verifier')) });
    expect(await login('x')).toMatchObject({ status: 500, body: { code: 13 }, errorId: 'COMMAND-CahN2' });
  });

  it('locks the user after the allowed number of failures', async () => {
    policy(2, 0);
    for (const status of ['active', 'locked']) {
      await login('wrong');
      expect(row().status).toBe(status);
    }
    expect((await login('Right-123')).errorId).toBe('SESSION-Gj4ko');
  });

  it('with the right password fails if the user was locked meanwhile', async () => {
    const verifyPassword = async () => Boolean(server.state.store.users.put({ ...row(), status: 'locked' }));
    await start({ verifyPassword });
    expect((await login('Right-123')).errorId).toBe('COMMAND-SFA3t');
  });
});

describe('a session', () => {
  it('returns its checks with their times', async () => {
    const checks = { user: { loginName: 'ada' }, password: { password: 'Right-123' } };
    const more = { metadata: { place: 'aGVyZQ==' }, userAgent: { description: 'test' } };
    const { sessionId, details } = (await open(checks, { ...more, lifetime: '60s' })).body;
    const now = '2026-01-01T00:00:00Z';
    expect(details).toEqual({ sequence: '6', changeDate: now, resourceOwner: server.instanceId });
    expect((await server.call(`GET /v2/sessions/${sessionId}`)).body.session).toEqual({
      ...more,
      id: sessionId,
      creationDate: now,
      changeDate: now,
      sequence: '6',
      factors: {
        user: {
          verifiedAt: now,
          id: 'ada',
          loginName: 'ada',
          displayName: 'Ada ada',
          organizationId: server.orgId,
        },
        password: { verifiedAt: now },
      },
      expirationDate: '2026-01-01T00:01:00Z',
    });
  });

  it('is readable for its creator, its user and its token', async () => {
    const { sessionId, sessionToken } = (await open()).body;
    const as = (role: NonNullable<CallOptions['as']>, token = '') =>
      server.call(`GET /v2/sessions/${sessionId}${token && `?sessionToken=${token}`}`, undefined, {
        as: role,
      });
    expect((await as('iamViewer')).status).toBe(200);
    expect((await as('nobody', sessionToken)).status).toBe(200);
    expect((await as('nobody')).errorId).toBe('AUTHZ-cdgFk');
    expect((await as('nobody', 'x')).status).toBe(403);
  });

  it('is gone after a delete, which may be repeated', async () => {
    const { sessionId } = (await open()).body;
    const path = `/v2/sessions/${sessionId}`;
    expect((await server.call(`DELETE ${path}`, {})).body.details).toMatchObject({ sequence: '4' });
    expect((await server.call(`DELETE ${path}`, {})).status).toBe(200);
    expect(await server.call(`GET ${path}`)).toMatchObject({ status: 404, errorId: 'QUERY-SFeaa' });
    expect((await set(sessionId)).errorId).toBe('COMMAND-Hewfq');
    expect((await server.call('DELETE /v2/sessions/none', {})).body).toEqual({ details: {} });
  });

  it('stays deleted if it is deleted during a check', async () => {
    await start({ verifyPassword: async () => (await server.call(`DELETE ${path}`, {})).status === 200 });
    const { sessionId } = (await open()).body;
    const path = `/v2/sessions/${sessionId}`;
    expect((await set(sessionId, { password: { password: 'x' } })).errorId).toBe('COMMAND-Hewfq');
    expect((await server.call(`GET ${path}`)).status).toBe(404);
  });

  it('keeps its token if nothing is set, its user, and non-empty metadata', async () => {
    const metadata = { a: 'YQ==', b: 'Yg==' };
    const { sessionId, sessionToken, details } = (await open({}, { metadata })).body;
    await server.clock.advance(1000);
    expect((await set(sessionId, {}, { sessionToken, metadata })).body).toEqual({ details, sessionToken });
    await server.call('POST /v2/users/human', userV2('bob'));
    expect(await set(sessionId, { user: { userId: 'bob' } })).toMatchObject({
      status: 400,
      body: { code: 3, message: 'user change not possible ()' },
    });
    const { body } = await set(sessionId, {}, { metadata: { a: '' } });
    expect(body.sessionToken).not.toBe(sessionToken);
    const { session } = (await server.call(`GET /v2/sessions/${sessionId}`)).body;
    expect(session.metadata).toEqual({ b: 'Yg==' });
  });

  it('expires after its lifetime', async () => {
    expect((await open({}, { lifetime: '0s' })).body.message).toBe(
      'invalid CreateSessionRequest.Lifetime: value must be greater than 0s',
    );
    const { sessionId } = (await open({}, { lifetime: '10s' })).body;
    await server.clock.advance(10_000);
    expect((await set(sessionId)).errorId).toBe('COMMAND-Hkl3d');
  });

  it.each([
    [{}, 'COMMAND-Flk38'],
    [{ password: { password: 'x' } }, 'COMMAND-Sfw3f'],
    [{ totp: { code: '123456' } }, 'COMMAND-8N9ds'],
  ])('that does not exist cannot be set: %j', async (checks, errorId) => {
    expect((await set('none', checks)).errorId).toBe(errorId);
  });

  it('refuses to be read with an empty token', async () => {
    expect((await server.call('GET /v2/sessions/none?sessionToken=')).body.message).toBe(
      'invalid GetSessionRequest.SessionToken: value length must be between 1 and 500 runes, inclusive',
    );
  });

  it('answers 501 to an unsupported check', async () => {
    expect(await open({ otpSms: { code: '123456' } })).toMatchObject({
      status: 501,
      body: { code: 12, message: 'the reference server has no check of otpSms' },
    });
  });
});

describe('a TOTP check', () => {
  /** The secret and the codes of RFC 6238, appendix B, six digits of them. */
  const otpSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  const right = { totp: { code: '353130' } };
  const wrong = { totp: { code: '000000' } };
  const goTo = (step: number) => server.clock.advance((20_000_000_000 + step) * 1000 - server.clock.now());
  beforeEach(() => void server.state.store.users.put({ ...row(), more: { otpSecret } }));

  it('accepts a code one step early and one step late', async () => {
    const statuses: number[] = [];
    for (const step of [-60, -30, 0, 30, 60]) {
      await goTo(step);
      statuses.push((await open(right)).status);
    }
    expect(statuses).toEqual([400, 201, 201, 201, 400]);
  });

  it('locks the user after the allowed failures since the last success', async () => {
    policy(0, 2);
    await goTo(0);
    for (const checks of [wrong, right, wrong]) await open(checks);
    expect(row().status).toBe('active');
    const { sessionId } = (await open()).body;
    await open(wrong);
    expect(row().status).toBe('locked');
    expect((await set(sessionId, right)).errorId).toBe('COMMAND-SF3fg');
  });
});
