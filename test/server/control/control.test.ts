/** The control interface: what it shows, what it switches, and that it shows no secret. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ReferenceServerOptions } from '../../../src/server/index.ts';
import { createFullServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;
afterEach(() => server.close());
const start = (options: ReferenceServerOptions = {}): FullServer => {
  server = createFullServer(options);
  return server;
};

const canary = `$2a$12$${'canary'.repeat(8)}abcde`;
const body = {
  dataOrgs: {
    orgs: [
      {
        orgId: 'acme',
        org: { name: 'Acme' },
        humanUsers: [
          {
            userId: 'u-1',
            user: {
              userName: 'ann',
              profile: { firstName: 'Ann', lastName: 'A' },
              email: { email: 'ann@acme.example', isEmailVerified: true },
              hashedPassword: { value: canary },
              otpCode: 'CANARYOTPSECRET2',
            },
          },
          {
            userId: 'u-2',
            user: {
              userName: 'ben',
              profile: { firstName: 'Ben', lastName: 'B' },
              email: { email: 'ben@acme.example' },
            },
            state: 'USER_STATE_LOCKED',
          },
        ],
        machineUsers: [{ user: { userName: 'robot', name: 'Robot', userId: 'm-1' } }],
        userMetadata: [{ id: 'u-1', key: 'legacy', value: 'Y2FuYXJ5' }],
      },
    ],
  },
  timeout: '5m',
};

const importOne = 'POST /management/v1/users/human/_import';
const unverified = (name: string) => ({
  userName: name,
  profile: { firstName: 'A', lastName: 'B' },
  email: { email: `${name}@b.c` },
});

describe('who may use it', () => {
  it('has a token of its own, which opens nothing else', async () => {
    const { call, app, controlToken } = start();
    expect(await call('GET /_idport/state')).toMatchObject({
      status: 401,
      body: { error: expect.any(String) },
    });
    expect((await call('GET /_idport/state', undefined, { as: 'anonymous' })).status).toBe(401);
    const wrong = await app.request('/auth/v1/users/me', {
      headers: { authorization: `Bearer ${controlToken}` },
    });
    expect(wrong.status).toBe(401);
  });

  it('can be given, and the whole of it can be switched off', async () => {
    expect(start({ controlToken: 'mine' }).controlToken).toBe('mine');
    expect((await server.control('GET state')).status).toBe(200);
    await server.close();
    const { call, controlToken } = start({ control: false });
    expect(controlToken).toBeUndefined();
    expect(await call('GET /_idport/state')).toMatchObject({
      status: 404,
      body: { code: 5, message: 'Not Found' },
    });
  });
});

describe('what it shows', () => {
  it('counts everything', async () => {
    const { call, control } = start();
    await call('POST /admin/v1/import', body);
    expect((await control('GET state')).body).toMatchObject({
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

  it('lists users of one org in pages, and one by id, without their secrets', async () => {
    const { call, control } = start();
    await call('POST /admin/v1/import', body);
    const { body: page } = await control('GET users?org=acme&limit=2');
    expect(page).toMatchObject({
      total: 3,
      users: [{ id: 'u-1', hash: '2a', otp: true, metadataKeys: ['legacy'] }, {}],
    });
    expect((await control('GET users?org=acme&offset=2')).body.users).toMatchObject([
      { id: 'm-1', kind: 'machine' },
    ]);
    expect((await control('GET users/u-2')).body).toMatchObject({
      userName: 'ben',
      status: 'locked',
      hash: '',
    });
    expect((await control('GET users/unknown')).status).toBe(404);
    const everything = JSON.stringify([
      page,
      (await control('GET requests')).body,
      (await control('GET users')).body,
    ]);
    expect(everything).not.toMatch(/canary|CANARY|Y2FuYXJ5/);
  });
});

describe('what it does', () => {
  it('goes back to the start: same tokens, same org, nothing else', async () => {
    const { call, control, orgId } = start();
    const before = (await control('GET state')).body;
    await call('POST /admin/v1/import', body);
    await call('POST /v2/actions/targets', {
      name: 't',
      restAsync: {},
      timeout: '1s',
      endpoint: 'http://a.example',
    });
    await control('POST faults', { path: '/never', status: 500 });
    await control('PUT restrictions', { quota: 1 });
    await control('PUT clock', { skew: 1000 });
    expect((await control('POST reset')).status).toBe(200);
    expect((await control('GET state')).body).toEqual(before);
    expect((await control('GET faults')).body.faults).toEqual([]);
    expect((await call('GET /management/v1/orgs/me')).body.org.id).toBe(orgId);
    const again = await call('POST /admin/v1/import', body);
    expect(again.body).not.toHaveProperty('errors');
  });

  it('leaves the messages of calls that come while it seeds', async () => {
    const { call, control, orgId } = start();
    const orgs = [{ orgId, humanUsers: [{ userId: 'seeded', user: unverified('seeded') }] }];
    const work = [control('POST seed', { orgs }), call(importOne, unverified('called'))];
    for (const { status } of await Promise.all(work)) expect(status).toBe(200);
    const { notifications } = (await control('GET notifications')).body;
    expect(notifications.map(({ to }: { to: string }) => to)).toEqual(['called@b.c']);
  });

  it('seeds: an import body or an export, without emails and without a limit of time', async () => {
    const { control, call } = start({ secondsPerUser: 1000 });
    const answer = await control('POST seed', body);
    expect(answer.body).toMatchObject({
      success: { orgs: [{ orgId: 'acme', humanUserIds: ['u-1', 'u-2'] }] },
    });
    expect((await control('GET notifications')).body.total).toBe(0);
    const exported = (await call('POST /admin/v1/export', { orgIds: ['acme'] })).body;
    await control('POST reset');
    await control('POST seed', exported);
    expect((await control('GET users?org=acme')).body.total).toBe(3);
    await control('POST seed', { orgs: [{ orgId: 'nameless' }] });
    expect((await call('GET /admin/v1/orgs/nameless')).body.org.name).toBe('nameless');
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
    const answer = await start().control(route, wrong);
    expect(answer).toMatchObject({ status, body: { error: expect.any(String) } });
  });

  it('moves the clock of the server: tokens die and dates follow', async () => {
    const { call, control } = start();
    expect((await control('PUT clock', { now: '2030-05-05T00:00:00Z' })).body.now).toBe(
      '2030-05-05T00:00:00.000Z',
    );
    const made = await call('POST /v2/actions/targets', {
      name: 't',
      restAsync: {},
      timeout: '1s',
      endpoint: 'http://a.example',
    });
    expect(made.body.creationDate).toBe('2030-05-05T00:00:00Z');
    expect((await control('PUT clock', { skew: 0 })).body.now).toBe('2026-01-01T00:00:00.000Z');
  });
});
