/** The control interface: what it shows, what it switches, and that it shows no secret. */
import { beforeEach, expect, it } from 'vitest';
import type { ReferenceServerOptions } from '../../src/server/index.ts';
import { createFullServer, type FullServer, importedUser, userV1 } from '../support/full-server.ts';

let server: FullServer;
const start = (options: ReferenceServerOptions = {}) => {
  server = createFullServer(options);
};
beforeEach(() => start());
const body = async (route: string, sent?: unknown) => (await server.control(route, sent)).body;

const hash = `$2a$12$${'canary'.repeat(8)}abcde`;
const acme = {
  orgId: 'acme',
  org: { name: 'Acme' },
  humanUsers: [
    importedUser('u-1', { hashedPassword: { value: hash }, otpCode: 'CANARYOTPSECRET2' }),
    {
      userId: 'u-2',
      user: userV1('ben', { email: { email: 'ben@acme.example' } }),
      state: 'USER_STATE_LOCKED',
    },
  ],
  machineUsers: [{ user: { userName: 'robot', name: 'Robot', userId: 'm-1' } }],
  userMetadata: [{ id: 'u-1', key: 'legacy', value: 'Y2FuYXJ5' }],
};
const target = { name: 't', restAsync: {}, timeout: '1s', endpoint: 'http://a.example' };
const unverified = (name: string) => userV1(name, { email: { email: `${name}@b.c` } });

it('reset of the control API restores tokens, keys and organization, and deletes the rest', async () => {
  const { keyId } = await server.createKey();
  const before = await body('GET state');
  await server.importOrgs([acme]);
  await server.call('POST /v2/actions/targets', target);
  await server.control('POST faults', { path: '/never', status: 500 });
  await server.control('PUT restrictions', { quota: 1 });
  await server.control('PUT clock', { skew: 1000 });
  expect((await server.control('POST reset')).status).toBe(200);
  expect(await body('GET state')).toEqual(before);
  expect(server.state.store.machineKeys.has(keyId)).toBe(true);
  expect(await body('GET faults')).toMatchObject({ faults: [] });
  expect((await server.call('GET /management/v1/orgs/me')).body.org.id).toBe(server.orgId);
  expect((await server.importOrgs([acme])).body).not.toHaveProperty('errors');
});

it('seed of the control API keeps the messages of concurrent calls', async () => {
  const orgs = [{ orgId: server.orgId, humanUsers: [{ userId: 'seeded', user: unverified('seeded') }] }];
  const calls = [
    server.control('POST seed', { orgs }),
    server.call('POST /management/v1/users/human/_import', unverified('called')),
  ];
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
  expect(await body('GET notifications')).toMatchObject({
    total: 1,
    notifications: [{ to: 'called@b.c' }],
  });
});

it('seed of the control API imports an export', async () => {
  await server.importOrgs([acme]);
  const exported = (await server.call('POST /admin/v1/export', { orgIds: ['acme'] })).body;
  await server.control('POST reset');
  await server.control('POST seed', exported);
  expect(await body('GET users?org=acme')).toMatchObject({ total: 3 });
});
