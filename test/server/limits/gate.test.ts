/** The limits of every request, as a client meets them: rate, sizes, quota, block, faults. */
import { beforeEach, expect, it } from 'vitest';
import type { ReferenceServerOptions } from '../../../src/server/index.ts';
import { createFullServer, type FullServer, userV1 } from '../../support/full-server.ts';

let server: FullServer;
const start = (options: ReferenceServerOptions = {}) => {
  server = createFullServer(options);
};
beforeEach(() => start());
const me = (more = {}) => server.call('GET /auth/v1/users/me', undefined, more);

it.each([
  [{ profile: 'hosted' }, 50],
  [{ profile: 'self-hosted' }, null],
  [{ profile: 'hosted', rate: null }, null],
])('the rate limit of %j is %s per second', async (options, rate) => {
  start(options);
  expect((await server.control('GET state')).body).toMatchObject({ profile: options.profile, rate });
});

it('the rate limit is refused for an unknown profile', () => {
  expect(() => start({ profile: 'nothing' })).toThrow('there is no profile nothing');
});

it('a body over 4 MiB as protobuf is refused with the exact size, and smaller bodies pass', async () => {
  const profile = { firstName: 'F', lastName: 'x'.repeat(190) };
  const humanUsers = Array.from({ length: 18_000 }, (_, i) => ({
    userId: `u-${i}`,
    user: userV1(`user-${i}`, { profile, email: { email: `user-${i}@a.example`, isEmailVerified: true } }),
  }));
  const refused = await server.importInto({ humanUsers });
  expect(refused).toMatchObject({ status: 429, body: { code: 8 } });
  const message = /^grpc: received message larger than max \(4[2-9]\d{5} vs\. 4194304\)$/;
  expect(refused.body.message).toMatch(message);
  expect(refused.body).not.toHaveProperty('details');
  expect(refused.headers.get('set-cookie')).toContain('zitadel.quota.exhausted=true');
  expect((await server.importInto({ humanUsers: humanUsers.slice(0, 16_000) })).status).toBe(200);
});

const restrict = (body: object) => server.control('PUT restrictions', body);

it('restrictions of the control API count authorized calls against a quota', async () => {
  await restrict({ quota: 2 });
  await me({ as: 'anonymous' });
  for (let i = 0; i < 2; i++) expect((await me()).status).toBe(200);
  const refused = await me();
  expect(refused.body).toMatchObject({ code: 8, message: 'Quota.Access.Exhausted (QUOTA-vjAy8)' });
  const cookie = refused.headers.get('set-cookie')!;
  expect(cookie).toContain('Max-Age=300');
  await restrict({ quota: null });
  expect((await me({ headers: { cookie } })).headers.get('set-cookie')).toContain('Max-Age=0');
  expect((await me()).headers.get('set-cookie')).toBeNull();
});

const path = '/management/v1/users/human/_import';
const importAnn = () => server.call(`POST ${path}`, userV1('ann'));
const isThere = () => server.state.store.users.by('name', 'ann').length === 1;

it('faults of the control API drop the answer after the server acted', async () => {
  await server.control('POST faults', { path, when: 'after', times: 1, reset: true });
  await expect(importAnn()).rejects.toThrow('cut on purpose');
  expect(isThere()).toBe(true);
  expect((await importAnn()).status).toBe(409);
  const { requests } = (await server.control('GET requests')).body;
  expect(requests).toMatchObject([{ status: 0, note: 'fault 1' }, { status: 409 }]);
});

it('faults of the control API send half of an answer', async () => {
  await server.control('POST faults', { path: '/auth/*', half: true, times: 1 });
  await expect(me()).rejects.toThrow('cut on purpose');
  expect((await me()).status).toBe(200);
});
