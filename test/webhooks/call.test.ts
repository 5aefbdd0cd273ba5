import { describe, expect, it } from 'vitest';
import { readCall } from '../../src/webhooks/index.ts';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const read = (body: unknown): ReturnType<typeof readCall> =>
  readCall(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));

const request = {
  fullMethod: '/service.user.v2.UserService/AddHumanUser',
  instanceID: '1',
  orgID: '2',
  projectID: '3',
  userID: '4',
  request: { profile: { given_name: 'Minnie', family_name: 'Mouse' }, email: { email: 'mini@mouse.com' } },
};

describe('what a call says', () => {
  it('of a request is its method, organization and user', () => {
    expect(read(request)).toMatchObject({
      kind: 'request',
      name: '/service.user.v2.UserService/AddHumanUser',
      instanceId: '1',
      orgId: '2',
      userId: '4',
      payloadType: 'json',
      payload: request,
    });
  });

  it('of a response is the same, recognised by the response in it', () => {
    expect(read({ ...request, response: { userId: '5' } }).kind).toBe('response');
  });

  it('of a function is its name', () => {
    const call = read({ function: 'function/preaccesstoken', userinfo: {} });
    expect([call.kind, call.name]).toEqual(['function', 'preaccesstoken']);
  });

  it('of an event is its type and editor', () => {
    const event = { aggregateID: '9', resourceOwner: '2', event_type: 'user.human.added', userID: '4' };
    expect(read(event)).toMatchObject({ kind: 'event', name: 'user.human.added', userId: '4', orgId: '2' });
  });

  it('in a JWT are its claims', () => {
    const jwt = `${part({ alg: 'RS256', kid: 'k1' })}.${part(request)}.c2lnbmF0dXJl`;
    expect(read(jwt)).toMatchObject({
      payloadType: 'jwt',
      kind: 'request',
      userId: '4',
      payload: request,
      tokenHeader: { alg: 'RS256', kid: 'k1' },
    });
  });

  it('in a JWE is only its header', () => {
    const jwe = [part({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: 'k2' }), 'a', 'b', 'c', 'd'].join('.');
    expect(read(jwe)).toMatchObject({
      payloadType: 'jwe',
      kind: 'unknown',
      payload: undefined,
      tokenHeader: { alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: 'k2' },
    });
  });

  it.each(['', 'hello', 'a.b.c', '[1]', 'null', '{"fullMethod":7}', `${part({})}.x`])(
    'is unknown for the body %j, and nothing is thrown',
    (body) => {
      expect(read(body)).toMatchObject({ kind: 'unknown', name: '', userId: '' });
    },
  );
});
