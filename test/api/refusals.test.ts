/** What is read of an error body, and what a user can do about a refusal. */
import { expect, it } from 'vitest';
import { readProblem, remedyFor } from '../../src/api/refusals.ts';

const read = (text: unknown, status = 400) =>
  readProblem({ status, headers: {}, text: typeof text === 'string' ? text : JSON.stringify(text) });

const detail = (more: object) => [{ '@type': 'type.googleapis.com/zitadel.v1.ErrorDetail', ...more }];

it.each([
  [
    'of the service gives code, id and text',
    {
      code: 6,
      message: 'User exists (V3-DKcYh)',
      details: detail({ id: 'V3-DKcYh', message: 'User exists' }),
    },
    { status: 400, code: 6, id: 'V3-DKcYh', message: 'User exists (V3-DKcYh)' },
  ],
  [
    'without details gives the id that ends the text',
    { code: 7, message: "Organisation doesn't exist (AUTH-Bs7Ds)" },
    { id: 'AUTH-Bs7Ds' },
  ],
  ['may have no id', { code: 2, message: 'context deadline exceeded ()' }, { id: undefined }],
  ['may have no id in brackets', { code: 3, message: 'proto: (line 1:12): unknown' }, { id: undefined }],
  [
    'of connect gives the code of its word',
    { code: 'invalid_argument', message: 'no' },
    { code: 3, message: 'no' },
  ],
  [
    'of a relational error gives its slug',
    { code: 3, message: 'no', details: detail({ slug: 'A.b' }) },
    { id: 'A.b' },
  ],
  [
    'of the token endpoint gives both of its words',
    { error: 'invalid_grant', error_description: 'invalid assertion' },
    { message: 'invalid_grant: invalid assertion' },
  ],
  [
    'that only has the key of a text is its meaning',
    { message: 'Errors.User.NotActive (SESSION-Gj4ko)' },
    { message: 'user is not active (SESSION-Gj4ko)', id: 'SESSION-Gj4ko' },
  ],
  [
    'of a proxy is its title',
    '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>',
    { message: '502 Bad Gateway' },
  ],
])('readProblem of an error body %s', (_, body, problem) => {
  expect(read(body)).toMatchObject(problem);
});

it.each(['', 'null', '[]', '"x"', '{"details":"x","code":{},"message":7}', '{"details":[null]}'])(
  'readProblem of an error body like %s returns a message',
  (text) => {
    expect(typeof read(text).message).toBe('string');
  },
);

it('readProblem of an error body masks secrets and shortens long text', () => {
  const text = `bad value "$2a$10$abcdefghijklmnopqrstuvwxyz" ${'x'.repeat(5000)}`;
  const { message } = read({ message: text });
  expect(message).not.toContain('abcdefgh');
  expect(message.length).toBeLessThan(2100);
});

const refusal = { method: 'POST', path: '/x', message: '' };
it.each([
  [
    'the lesser role of an export',
    { path: '/admin/v1/export', id: 'AUTH-5mWD2', status: 403 },
    /IAM_OWNER_VIEWER/,
  ],
  [
    'the role of one-by-one imports and its place',
    { path: '/management/v1/users/human/_import', id: 'AUTH-5mWD2', status: 403, org: '42' },
    /user\.write.*ORG_USER_MANAGER.*organization 42/,
  ],
  [
    'the role for targets',
    { path: '/v2/actions/targets', id: 'AUTH-5mWD2', status: 403 },
    /action\.target\.write/,
  ],
  [
    'the missing role in another organization',
    { path: '/management/v1/users/_search', id: 'AUTHZ-cdgFk', status: 404, org: '42' },
    /organization 42.*ORG_USER_MANAGER/,
  ],
  ['a call that needs no role of its own', { id: 'AUTHZ-cdgFk', status: 404 }, /own organization/],
  [
    'a feature that is off',
    { status: 400, message: 'Errors.action.NotEnabled (SCHEMA-141bwx3lef)' },
    /feature/,
  ],
  ['a blocked instance', { message: 'Your ZITADEL instance is blocked.', status: 429 }, /operator/],
  [
    'a request that is too large',
    { status: 429, message: 'grpc: received message larger than max (5 vs. 4)' },
    /smaller parts/,
  ],
  [
    'an answer that is too large',
    { status: 429, message: 'trying to send message larger than max (5 vs. 4)' },
    /--split-by-org/,
  ],
  [
    'a host name that is not the instance',
    { status: 404, message: 'unable to set instance using origin x (ExternalDomain is y)' },
    /external domain/,
  ],
  ['a service account that is not active', { message: 'invalid_request: Errors.User.NotActive' }, /unlock/],
  ['an address without such a call', { status: 404, message: '404 page not found' }, /no such call/],
  ['a wrong host name', { network: 'ENOTFOUND' }, /host name/],
  ['a dead proxy', { network: 'PROXY_ECONNREFUSED' }, /address of the proxy.*NO_PROXY/],
  ['a proxy that refuses', { network: 'PROXY' }, /credentials/],
  ['nothing that listens', { network: 'ECONNREFUSED' }, /running/],
  ['an own authority', { network: 'SELF_SIGNED_CERT_IN_CHAIN' }, /NODE_EXTRA_CA_CERTS/],
  ['TLS where there is none', { network: 'ERR_SSL_WRONG_VERSION_NUMBER' }, /http:\/\//],
])('remedyFor names %s', (_, given, expected) => {
  expect(remedyFor({ ...refusal, ...given })).toMatch(expected);
});

it('remedyFor returns undefined for an unknown refusal', () => {
  expect(remedyFor({ ...refusal, status: 409, id: 'V3-DKcYh' })).toBeUndefined();
});
