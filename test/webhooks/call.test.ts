import { expect, it } from 'vitest';
import { readCall } from '../../src/webhooks/index.ts';

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const read = (body: unknown) => readCall(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));

const request = {
  fullMethod: '/service.user.v2.UserService/AddHumanUser',
  instanceID: '1',
  orgID: '2',
  projectID: '3',
  userID: '4',
  request: { profile: { given_name: 'Minnie', family_name: 'Mouse' }, email: { email: 'mini@mouse.com' } },
};

const event = { aggregateID: '9', resourceOwner: '2', event_type: 'user.human.added', userID: '4' };
const jweHeader = { alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: 'k2' };

it.each([
  [
    'of a request is its method, organization and user',
    request,
    {
      kind: 'request',
      name: '/service.user.v2.UserService/AddHumanUser',
      instanceId: '1',
      orgId: '2',
      userId: '4',
      payloadType: 'json',
      payload: request,
    },
  ],
  [
    'of a response is the same, recognised by the response in it',
    { ...request, response: { userId: '5' } },
    { kind: 'response' },
  ],
  [
    'of a function is its name, and the user who signs in',
    { function: 'function/preaccesstoken', user: { id: '4' }, org: { id: '2' } },
    { kind: 'function', name: 'preaccesstoken', userId: '4', orgId: '2' },
  ],
  [
    'of an event is its type and editor',
    event,
    { kind: 'event', name: 'user.human.added', userId: '4', orgId: '2' },
  ],
  [
    'in a JWT are its claims',
    `${part({ alg: 'RS256', kid: 'k1' })}.${part(request)}.c2lnbmF0dXJl`,
    {
      payloadType: 'jwt',
      kind: 'request',
      userId: '4',
      payload: request,
      tokenHeader: { alg: 'RS256', kid: 'k1' },
    },
  ],
  [
    'in a JWE is only its header',
    [part(jweHeader), 'a', 'b', 'c', 'd'].join('.'),
    { payloadType: 'jwe', kind: 'unknown', payload: undefined, tokenHeader: jweHeader },
  ],
])('the description of a call %s', (_, body, said) => {
  expect(read(body)).toMatchObject(said);
});

it.each(['', 'hello', 'a.b.c', '[1]', 'null', '{"fullMethod":7}', `${part({})}.x`])(
  'the description of a call is unknown for the body %j, without an exception',
  (body) => {
    expect(read(body)).toMatchObject({ kind: 'unknown', name: '', userId: '' });
  },
);
