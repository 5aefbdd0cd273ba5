/** Calls that set off executions: what goes out to the targets, and what their answers do to the call. */
import { generateKeyPairSync } from 'node:crypto';
import { compactDecrypt, compactVerify, createLocalJWKSet } from 'jose';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifySignature } from '../../../src/webhooks/verify.ts';
import {
  createFullServer,
  type FullServer,
  importedUser,
  someHash,
  userV1,
} from '../../support/full-server.ts';
import { defer } from '../../support/jit.ts';
import { startReceiver, type ReceivedCall, type Receiver } from '../../support/receiver.ts';

let receiver: Receiver;
let server: FullServer;
beforeEach(async () => {
  receiver = await startReceiver();
  server = createFullServer();
});

const sampleUser = {
  profile: { givenName: 'Minnie', familyName: 'Mouse & <Co>' },
  email: { email: 'mini@mouse.com', isVerified: true },
};
const addHuman = (body: object = sampleUser) => server.call('POST /v2/users/human', body);
const humanMethod = '/zitadel.user.v2.UserService/AddHumanUser';

let targets = 0;
/** Names are taken once. */
async function newTarget(type: object = { restWebhook: { interruptOnError: true } }, more: object = {}) {
  const name = `hook ${++targets}`;
  const body = { name, ...type, endpoint: `${receiver.url}/hook`, timeout: '5s', ...more };
  return (await server.call('POST /v2/actions/targets', body)).body;
}

const beforeHuman = { request: { method: humanMethod } };
async function bind(condition: object, ...targets: { id: string }[]) {
  const request = { condition, targets: targets.map(({ id }) => id) };
  expect((await server.call('PUT /v2/actions/executions', request)).status).toBe(200);
}

/** A target that is called before a human is added. */
async function hook(...settings: Parameters<typeof newTarget>) {
  const target = await newTarget(...settings);
  await bind(beforeHuman, target);
  return target;
}

const ids = () => ({
  fullMethod: humanMethod,
  instanceID: server.instanceId,
  orgID: server.orgId,
  userID: server.users.iamOwner,
});

const isSigned = (call: ReceivedCall | undefined, key: string) =>
  verifySignature({
    body: call!.body,
    header: call!.headers['zitadel-signature'],
    key,
    now: server.clock.now(),
  }).ok;

const received = (index = 0) => JSON.parse(receiver.calls[index]?.body ?? '{}');

describe('a call to a target', () => {
  it('is signed, and has the request in camelCase and five headers', async () => {
    const target = await hook();
    const answer = await server.call('POST /v2/users/human', sampleUser, {
      headers: { 'x-forwarded-for': '203.0.113.7', origin: 'https://app.example', cookie: 'secret' },
    });
    expect(answer.status).toBe(200);
    expect(receiver.calls).toHaveLength(1);
    const [call] = receiver.calls;
    expect([isSigned(call, target.signingKey), isSigned(call, 'another key')]).toEqual([true, false]);
    expect(received()).toEqual({
      ...ids(),
      request: sampleUser,
      headers: {
        'Content-Type': ['application/grpc'],
        'X-Forwarded-For': ['203.0.113.7'],
        Origin: ['https://app.example'],
      },
    });
    expect(call?.body).toContain('Mouse \\u0026 \\u003cCo\\u003e');
  });

  it('has the shape of the API description for a target of v3alpha', async () => {
    const request = { name: 'hook', restWebhook: {}, endpoint: receiver.url, timeout: '10s' };
    const { id, signingKey } = (await server.call('POST /v3alpha/targets', request)).body;
    await server.call('PUT /v3alpha/executions', {
      condition: beforeHuman,
      targets: [{ target: id }],
    });
    await addHuman({ ...sampleUser, phone: { phone: '+41710000000', isVerified: true } });
    expect(received()).toEqual({
      ...ids(),
      request: {
        profile: { given_name: 'Minnie', family_name: 'Mouse & <Co>' },
        email: { email: 'mini@mouse.com', is_verified: true },
        phone: { phone: '+41710000000', is_verified: true },
      },
    });
    expect(isSigned(receiver.calls[0], signingKey)).toBe(true);
  });

  it('precedes the field rules but follows the token check', async () => {
    await hook();
    const broken = await addHuman({ email: { email: 'mini@mouse.com' } });
    expect(broken).toMatchObject({ status: 400, body: { code: 3 } });
    expect(receiver.calls).toHaveLength(1);
    await server.call('POST /v2/users/human', sampleUser, { as: 'anonymous' });
    expect(receiver.calls).toHaveLength(1);
  });

  it('goes only to the targets of the most specific execution', async () => {
    const at = (path: string) => newTarget(undefined, { endpoint: `${receiver.url}/${path}` });
    await bind(beforeHuman, await at('method'), await at('all'));
    await bind({ request: { service: 'service.user.v2.UserService' } }, await at('service'));
    await addHuman();
    expect(receiver.calls.map(({ path }) => path)).toEqual(['/method', '/all']);
    await bind(beforeHuman);
    await addHuman({ ...sampleUser, username: 'second' });
    expect(receiver.calls.map(({ path }) => path)).toEqual(['/method', '/all', '/service']);
  });

  it('appears in the list of recent calls without secrets', async () => {
    await hook();
    await addHuman({ ...sampleUser, hashedPassword: { hash: `$2a$12$${'canary'.repeat(9)}` } });
    const { body } = await server.control('GET calls');
    expect(body).toMatchObject({
      total: 1,
      calls: [{ trigger: humanMethod, status: 200, endpoint: `${receiver.url}/hook` }],
    });
    expect(JSON.stringify(body)).not.toContain('canary');
  });

  it('is sent as a JWT or as a JWE for the target', async () => {
    const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const signed = await newTarget(undefined, { payloadType: 'PAYLOAD_TYPE_JWT' });
    const sealed = await newTarget(undefined, { payloadType: 'PAYLOAD_TYPE_JWE' });
    const path = `/v2/actions/targets/${sealed.id}/publickeys`;
    const pem = keys.publicKey.export({ type: 'spki', format: 'pem' });
    const publicKey = Buffer.from(pem).toString('base64');
    const { keyId } = (await server.call(`POST ${path}`, { publicKey })).body;
    await server.call(`POST ${path}/${keyId}/activate`);
    await bind(beforeHuman, signed, sealed);
    expect((await addHuman()).status).toBe(200);
    const keySet = createLocalJWKSet(JSON.parse(await (await server.app.request('/oauth/v2/keys')).text()));
    const { payload } = await compactVerify(receiver.calls[0]!.body, keySet);
    expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({ request: sampleUser });
    const { plaintext, protectedHeader } = await compactDecrypt(receiver.calls[1]!.body, keys.privateKey);
    expect(protectedHeader).toMatchObject({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: keyId, cty: 'JWT' });
    await compactVerify(plaintext, keySet);
    expect(isSigned(receiver.calls[1], sealed.signingKey)).toBe(true);
    await server.call(`POST ${path}/${keyId}/deactivate`);
    expect((await addHuman({ ...sampleUser, username: 'x' })).status).toBe(500);
  });
});

const failures = [
  ['500', 400, { code: 9, message: 'Execution failed (EXEC-dra6yamk98)' }],
  ['404', 400, { code: 9, message: 'Execution failed (EXEC-dra6yamk98)' }],
  ['reset', 500, { code: 2 }],
  ['forward 403', 403, { code: 7, message: 'not you (EXEC-reUaUZCzCp)' }],
  ['forward 429', 429, { code: 8 }],
  ['forward 418', 500, { code: 2 }],
  ['forward 500', 400, { code: 9, message: 'Execution failed (EXEC-bmhNhpcqpF)' }],
] as const;

const answerWith = (how: string) => {
  receiver.answer = (response) => {
    const status = Number(how.split(' ').at(-1));
    if (how === 'reset') response.socket?.destroy();
    else if (how.startsWith('forward')) {
      response.end(JSON.stringify({ forwardedStatusCode: status, forwardedErrorMessage: 'not you' }));
    } else response.writeHead(status).end('no');
  };
};

it.each(failures)(
  'an answer %s of a target fails the API call with %i only if the target interrupts',
  async (how, status, body) => {
    answerWith(how);
    const calm = { restWebhook: { interruptOnError: false } };
    await bind(beforeHuman, await newTarget(), await newTarget());
    expect(await addHuman()).toMatchObject({ status, body });
    expect(receiver.calls).toHaveLength(1);
    expect(server.state.store.users.by('name', 'mini@mouse.com')).toHaveLength(0);
    await bind(beforeHuman, await newTarget(calm), await newTarget(calm));
    expect((await addHuman()).status).toBe(200);
    expect(receiver.calls).toHaveLength(3);
  },
);

const call = { restCall: { interruptOnError: true } };

it('the answer of a call target replaces the whole request', async () => {
  receiver.answer = (response) =>
    response.end(
      JSON.stringify({
        ...sampleUser,
        username: 'changed',
        profile: { givenName: 'Max', familyName: 'M' },
      }),
    );
  await hook(call);
  const { body } = await addHuman();
  expect(server.state.store.users.get(body.userId)).toMatchObject({
    userName: 'changed',
    firstName: 'Max',
  });
});

it('the answer of a call target replaces the response for a response condition', async () => {
  receiver.answer = (response) => response.end(JSON.stringify({ userId: 'other' }));
  await bind({ response: { method: humanMethod } }, await newTarget(call));
  expect((await addHuman()).body).toEqual({ userId: 'other' });
  expect(received()).toMatchObject({ request: sampleUser, response: { userId: expect.any(String) } });
});

it.each([
  ['{"nickname": 1}', 'unknown field "nickname"'],
  ['{"profile": {"given": "x"}}', 'unknown field "given"'],
  ['{"profile": 5}', 'unexpected token'],
  ['no json', 'invalid'],
])(
  'the answer of a call target fails the API call with %s only if the target interrupts',
  async (text, problem) => {
    receiver.answer = (response) => response.end(text);
    await hook(call);
    const answer = await addHuman();
    expect(answer).toMatchObject({ status: 500, body: { code: 2 } });
    expect(answer.body.message).toContain(problem);
    await hook({ restCall: {} });
    expect((await addHuman()).status).toBe(200);
  },
);

it('asynchronous targets and event targets are called without waiting for the answer', async () => {
  const called = defer<ServerResponse>();
  receiver.answer = called.resolve;
  await hook({ restAsync: {} });
  expect((await addHuman()).status).toBe(200);
  (await called.promise).end();
  await server.settled();
  expect((await server.control('GET calls')).body.calls).toMatchObject([{ status: 200 }]);
});

it('asynchronous targets and event targets are called once for every new human user', async () => {
  await bind({ event: { group: 'user.human' } }, await newTarget({ restAsync: {} }));
  const { userId } = (await addHuman()).body;
  const hashed = { hashedPassword: { value: someHash } };
  await server.call('POST /management/v1/users/human/_import', userV1('one', hashed));
  const locked = { state: 'USER_STATE_LOCKED' };
  await server.importInto({
    humanUsers: [importedUser('two', { otpCode: 'JBSWY3DPEHPK3PXP' }, locked), importedUser('two')],
    machineUsers: [{ user: { userName: 'robot', name: 'Robot', userId: 'm-1' } }],
  });
  await server.call(`POST /management/v1/users/${userId}/_lock`);
  await server.settled();
  const events = receiver.calls.map(({ body }) => JSON.parse(body));
  const userNames: string[] = events.map(({ event_payload }) => event_payload.userName);
  expect(userNames.toSorted((a, b) => a.localeCompare(b))).toEqual(['mini@mouse.com', 'one', 'two']);
  expect(events.find(({ aggregateID }) => aggregateID === 'two')).toMatchObject({
    aggregateType: 'user',
    resourceOwner: server.orgId,
    instanceID: server.instanceId,
    event_type: 'user.human.added',
    created_at: '2026-01-01T00:00:00Z',
    userID: server.users.iamOwner,
    sequence: 1,
  });
  expect(JSON.stringify(receiver.calls)).not.toContain(someHash);
});
