/** A cutover on one server over a real socket: hooks first, then users, proof, sign-in, export; every call is signed. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createReferenceServer, type InspectableServer } from '../../src/server/index.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';

let receiver: Receiver;
let server: InspectableServer;
let url: string;
beforeEach(async () => {
  receiver = await startReceiver();
  server = createReferenceServer({ profile: 'all-verifiers', rate: null, brand: 'service' });
  ({ url } = await server.listen());
});
afterEach(async () => {
  await server.close();
  await receiver.close();
});

async function call(
  route: string,
  body?: unknown,
  token = server.tokens.iamOwner,
): Promise<{ status: number; body: any }> {
  const [method = '', path = ''] = route.split(' ');
  const answer = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

/** Written out once more, so that the server's own signature code does not vouch for itself. */
function isSigned(header: unknown, body: string, key: string): boolean {
  const [, seconds, mac] = /^t=(\d+),v1=([\da-f]{64})$/.exec(String(header)) ?? [];
  return mac === createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex');
}

/** PBKDF2-SHA256 of `keycloak-2026`, as an export of the old provider has it. */
const oldHash =
  '$pbkdf2-sha256$27500$' +
  Buffer.from('salt-of-the-old-provider').toString('base64').replace(/=+$/, '') +
  '$' +
  (await import('node:crypto'))
    .pbkdf2Sync('keycloak-2026', 'salt-of-the-old-provider', 27500, 64, 'sha256')
    .toString('base64');

it('hooks, imports, proves, signs in and exports', async () => {
  const made = await call('POST /v3alpha/targets', {
    name: 'audit',
    restWebhook: { interruptOnError: true },
    endpoint: `${receiver.url}/audit`,
    timeout: '10s',
  });
  expect(made.status).toBe(201);
  const { id: target, signingKey } = made.body;
  const conditions = [
    { request: { method: '/service.user.v2.UserService/AddHumanUser' } },
    { request: { method: '/service.admin.v1.AdminService/ImportData' } },
    { event: { event: 'user.human.added' } },
  ];
  for (const condition of conditions) {
    const set = await call('PUT /v3alpha/executions', { condition, targets: [{ target }] });
    expect(set.status).toBe(200);
  }

  const humanUsers = ['ann', 'ben', 'eve'].map((userName) => ({
    userId: `kc-${userName}`,
    user: {
      userName,
      profile: { firstName: userName, lastName: 'Old' },
      email: { email: `${userName}@old.example`, isEmailVerified: true },
      hashedPassword: { value: oldHash },
    },
  }));
  const org = { orgId: server.orgId, humanUsers };
  const imported = await call('POST /admin/v1/import', { dataOrgs: { orgs: [org] }, timeout: '5m' });
  expect(imported.body).toMatchObject({
    errors: [{ type: 'org', id: server.orgId }],
    success: { orgs: [{ humanUserIds: ['kc-ann', 'kc-ben', 'kc-eve'] }] },
  });
  const added = await call('POST /v2/users/human', {
    profile: { givenName: 'Minnie', familyName: 'Mouse' },
    email: { email: 'mini@mouse.com', isVerified: true },
  });
  expect(added.status).toBe(200);

  const signedIn = await call('POST /v2/sessions', {
    checks: { user: { loginName: 'ann' }, password: { password: 'keycloak-2026' } },
  });
  expect(signedIn.body).toMatchObject({ sessionId: expect.any(String) });
  const wrong = await call('POST /v2/sessions', {
    checks: { user: { loginName: 'ann' }, password: { password: 'another' } },
  });
  expect(wrong.status).toBe(400);

  const exported = await call('POST /admin/v1/export', { org_ids: [server.orgId], with_passwords: true });
  const names = exported.body.orgs[0].humanUsers.map(({ user }: any) => user.userName);
  expect(names).toEqual(['ann', 'ben', 'eve', 'mini@mouse.com']);

  await server.settled();
  expect(receiver.calls).toHaveLength(2 + 4);
  for (const { headers, body } of receiver.calls) {
    expect(isSigned(headers['zitadel-signature'], body, signingKey)).toBe(true);
    expect(isSigned(headers['zitadel-signature'], `${body} `, signingKey)).toBe(false);
  }
  const bodies = receiver.calls.map(({ body }) => JSON.parse(body));
  expect(bodies.find(({ fullMethod }) => fullMethod?.endsWith('AddHumanUser'))).toEqual({
    fullMethod: '/service.user.v2.UserService/AddHumanUser',
    instanceID: server.instanceId,
    orgID: server.orgId,
    userID: server.users.iamOwner,
    request: {
      profile: { given_name: 'Minnie', family_name: 'Mouse' },
      email: { email: 'mini@mouse.com', is_verified: true },
    },
  });
  expect(bodies.filter(({ event_type }) => event_type === 'user.human.added')).toHaveLength(4);
});

it('gives the signature that the service gives for the same key, time and body', async () => {
  const { signBody } = await import('../../src/wire/signature.ts');
  const body = '{"fullMethod":"/zitadel.user.v2.UserService/AddHumanUser"}';
  const header = signBody(body, 'somekey', 1_700_000_000);
  expect(header).toBe('t=1700000000,v1=a92e7f2bb5061497b4a20bbcdc50661d484ae2a1c16c0c2a6bef6e9c48f95bdc');
  expect(isSigned(header, body, 'somekey')).toBe(true);
});

it('stops the import when the hook says no, and no user arrives', async () => {
  receiver.answer = (response) => response.writeHead(500).end();
  const { body } = await call('POST /v3alpha/targets', {
    name: 'gate',
    restWebhook: { interruptOnError: true },
    endpoint: receiver.url,
    timeout: '10s',
  });
  await call('PUT /v3alpha/executions', {
    condition: { request: { method: '/service.admin.v1.AdminService/ImportData' } },
    targets: [{ target: body.id }],
  });
  const refused = await call('POST /admin/v1/import', {
    dataOrgs: { orgs: [{ orgId: 'new', org: { name: 'New' } }] },
    timeout: '5m',
  });
  expect(refused).toMatchObject({ status: 400, body: { code: 9, details: [{ id: 'EXEC-dra6yamk98' }] } });
  expect((await call('GET /admin/v1/orgs/new')).status).toBe(404);
});
