/** The control interface: what it shows, what it switches, and that it shows no secret. */
import { beforeEach, describe, expect, it } from 'vitest';
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

describe('access to the control API', () => {
  it('requires its own token, which opens no other API', async () => {
    const error = { error: expect.any(String) };
    expect(await server.call('GET /_idport/state')).toMatchObject({ status: 401, body: error });
    expect((await server.call('GET /_idport/state', undefined, { as: 'anonymous' })).status).toBe(401);
    const elsewhere = { token: server.controlToken! };
    expect((await server.call('GET /auth/v1/users/me', undefined, elsewhere)).status).toBe(401);
  });

  it('accepts a given token, and can be switched off', async () => {
    start({ controlToken: 'mine' });
    expect(server.controlToken).toBe('mine');
    expect((await server.control('GET state')).status).toBe(200);
    start({ control: false });
    expect(server.controlToken).toBeUndefined();
    const off = { status: 404, body: { code: 5, message: 'Not Found' } };
    expect(await server.call('GET /_idport/state')).toMatchObject(off);
  });
});

describe('the control API for reading', () => {
  beforeEach(() => server.importOrgs([acme]));

  it('counts users, organizations and requests', async () => {
    expect(await body('GET state')).toMatchObject({
      profile: 'all-verifiers',
      brand: 'zitadel',
      orgs: 2,
      users: { human: 2, machine: 5, withPassword: 1, status: { active: 1, locked: 1 } },
      notifications: 1,
      requests: 1,
      clock: { now: '2026-01-01T00:00:00.000Z', skew: 0 },
      restrictions: { blocked: false, quota: null },
    });
  });

  it('lists users of one organization by pages and one by id, without secrets', async () => {
    const page = await body('GET users?org=acme&limit=2');
    const ann = { id: 'u-1', hash: '2a', otp: true, metadataKeys: ['legacy'] };
    expect(page).toMatchObject({ total: 3, users: [ann, {}] });
    const machines = [{ id: 'm-1', kind: 'machine' }];
    expect(await body('GET users?org=acme&offset=2')).toMatchObject({ users: machines });
    expect(await body('GET users/u-2')).toMatchObject({ userName: 'ben', status: 'locked', hash: '' });
    expect((await server.control('GET users/unknown')).status).toBe(404);
    const everything = JSON.stringify([page, await body('GET requests'), await body('GET users')]);
    expect(everything).not.toMatch(/canary|CANARY|Y2FuYXJ5/);
  });
});

describe('the control API for changes', () => {
  it('reset restores tokens, keys and organization, and deletes the rest', async () => {
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

  it('seed keeps the messages of concurrent calls', async () => {
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

  it('seed imports a body or an export without emails or time limit', async () => {
    start({ secondsPerUser: 1000 });
    const seeded = await body('POST seed', { dataOrgs: { orgs: [acme] }, timeout: '5m' });
    const success = { orgs: [{ orgId: 'acme', humanUserIds: ['u-1', 'u-2'] }] };
    expect(seeded).toMatchObject({ success });
    expect(await body('GET notifications')).toMatchObject({ total: 0 });
    const exported = (await server.call('POST /admin/v1/export', { orgIds: ['acme'] })).body;
    await server.control('POST reset');
    await server.control('POST seed', exported);
    expect(await body('GET users?org=acme')).toMatchObject({ total: 3 });
    await server.control('POST seed', { orgs: [{ orgId: 'nameless' }] });
    expect((await server.call('GET /admin/v1/orgs/nameless')).body.org.name).toBe('nameless');
  });

  it.each([
    ['POST seed', 'no json', 400],
    ['POST seed', { users: [] }, 400],
    ['POST seed', { dataOrgs: { orgs: 5 } }, 400],
    ['POST faults', { status: 200 }, 400],
    ['PUT clock', { skew: 'much' }, 400],
    ['PUT restrictions', { quota: -1 }, 400],
    ['DELETE faults/7', undefined, 404],
  ])('refuses %s with %j', async (route, wrong, status) => {
    const error = { error: expect.any(String) };
    expect(await server.control(route, wrong)).toMatchObject({ status, body: error });
  });

  it('clock moves the time of the server', async () => {
    const now = '2030-05-05T00:00:00.000Z';
    expect(await body('PUT clock', { now })).toMatchObject({ now });
    const { creationDate } = (await server.call('POST /v2/actions/targets', target)).body;
    expect(creationDate).toBe('2030-05-05T00:00:00Z');
    expect(await body('PUT clock', { skew: 0 })).toMatchObject({ now: '2026-01-01T00:00:00.000Z' });
  });
});
