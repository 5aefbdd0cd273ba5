/**
 * Refusals as the service was recorded to give them: status, error id and text. They hold also where the recordings, which
 * `conformance.test.ts` plays as a whole, are not at hand.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, createFullServer, type FullServer } from '../support/full-server.ts';

interface Recorded {
  readonly route: string;
  readonly body?: unknown;
  readonly status: number;
  /** With the error id, where there is one. */
  readonly text: string;
  readonly options?: CallOptions;
}

const importUser = 'POST /management/v1/users/human/_import';
const targets = 'POST /v2/actions/targets';
const executions = 'PUT /v2/actions/executions';
const sessions = 'POST /v2/sessions';
const empty = {};
const ann = '/management/v1/users/ann';

const user = (userName: string, more: object = {}) => ({
  userName,
  profile: { firstName: 'A', lastName: 'B' },
  email: { email: `${userName}@example.org`, isEmailVerified: true },
  ...more,
});
const target = (more: object = {}) => ({
  name: 'other',
  restAsync: {},
  timeout: '5s',
  endpoint: 'http://127.0.0.1:1/',
  ...more,
});
const imported = (more: object, status: number, text: string): Recorded => ({
  route: importUser,
  body: user('new', more),
  status,
  text,
});
const execution = (condition: object, status: number, text: string): Recorded => ({
  route: executions,
  body: { condition, targets: [] },
  status,
  text,
});
const refused = (route: string, body: unknown, status: number, text: string): Recorded => ({
  route,
  body,
  status,
  text,
});
const notFound = (route: string, id: string, body?: unknown): Recorded =>
  refused(route, body, 404, `User could not be found (${id})`);

const callers: readonly Recorded[] = [
  {
    ...refused('GET /auth/v1/users/me', undefined, 401, 'auth header missing'),
    options: { as: 'anonymous' },
  },
  {
    ...refused('GET /auth/v1/users/me', undefined, 401, 'invalid auth header (AUTH-toLo1)'),
    options: { as: 'anonymous', headers: { authorization: 'Basic abc' } },
  },
  {
    ...refused('GET /auth/v1/users/me', undefined, 401, 'Errors.Token.Invalid (AUTH-7fs1e)'),
    options: { as: 'anonymous', headers: { authorization: 'Bearer nope' } },
  },
  {
    ...refused('POST /admin/v1/import', empty, 403, 'No matching permissions found (AUTH-5mWD2)'),
    options: { as: 'iamViewer' },
  },
  {
    ...refused('POST /admin/v1/import', empty, 404, 'membership not found (AUTHZ-cdgFk)'),
    options: { as: 'noRole' },
  },
  {
    ...refused(importUser, user('new'), 403, "Organisation doesn't exist (AUTH-Bs7Ds)"),
    options: { headers: { 'x-zitadel-orgid': '123456' } },
  },
  refused('GET /admin/v1/import', undefined, 405, 'Method Not Allowed'),
  refused('POST /admin/v1/import', empty, 500, 'time: invalid duration "" ()'),
];

const notActive = 'Errors.User.NotActive (SESSION-Gj4ko)';
const checks = (of: object, password = 'Password1!') => ({ checks: { user: of, password: { password } } });

const users: readonly Recorded[] = [
  refused(
    importUser,
    empty,
    400,
    'invalid ImportHumanUserRequest.UserName: value length must be between 1 and 200 runes, inclusive',
  ),
  refused(importUser, user('ann'), 409, 'User already exists (V3-DKcYh)'),
  imported({ password: 'short1!' }, 400, 'Password is too short (DOMAIN-HuJf6)'),
  imported({ password: 'nouppercase1!' }, 400, 'Password must contain upper case (DOMAIN-VoaRj)'),
  imported({ password: 'NOLOWER1!' }, 400, 'Password must contain lower case (DOMAIN-co3Xw)'),
  imported({ password: 'NoNumber!' }, 400, 'Password must contain number (DOMAIN-ZBv4H)'),
  imported({ password: 'NoSymbol1' }, 400, 'Password must contain symbol (DOMAIN-ZDLwA)'),
  imported(
    { hashedPassword: { value: `$2b$09$${'a'.repeat(53)}` } },
    400,
    'Password is invalid (CRYPT-5uV9n)',
  ),
  imported(
    { hashedPassword: { value: `$2x$10$${'a'.repeat(53)}` } },
    400,
    'Password is invalid (CRYPT-r8Qm2)',
  ),
  imported({ hashedPassword: { value: '$2' } }, 500, 'Errors.Internal (RECOVER)'),
  imported({ email: { email: 'a@' } }, 400, 'Email is invalid (EMAIL-599BI)'),
  imported({ email: { email: 'A <a@b.c>' } }, 400, 'Email is invalid (EMAIL-599GV)'),
  imported({ phone: { phone: '+0' } }, 400, 'Phone is invalid (PHONE-so0wa)'),
  imported(
    { idps: [{ configId: '123', externalUserId: 'x', displayName: 'x' }] },
    400,
    "Identity Provider Configuration doesn't exist (COMMAND-39nfs)",
  ),
  notFound('GET /management/v1/users/123', 'QUERY-Dfbg2'),
  notFound('POST /management/v1/users/123/_deactivate', 'COMMAND-3M9ds', empty),
  notFound('POST /management/v1/users/123/_reactivate', 'COMMAND-4M0sd', empty),
  notFound('POST /management/v1/users/123/_lock', 'COMMAND-5M9fs', empty),
  notFound('POST /management/v1/users/123/_unlock', 'COMMAND-M0dos', empty),
  notFound('POST /v2/users/123/deactivate', 'COMMAND-5gp2p62iin', empty),
  notFound('DELETE /management/v1/users/123', 'COMMAND-m9od'),
  notFound('DELETE /v2/users/123', 'COMMAND-bd4ir1mblj'),
  refused(`POST ${ann}/_reactivate`, empty, 400, 'User is not inactive (COMMAND-6M0sf)'),
  refused(`POST ${ann}/_unlock`, empty, 400, 'User is not locked (COMMAND-4M0ds)'),
  refused('POST /v2/users/ann/reactivate', empty, 400, 'User is not inactive (COMMAND-s5qqcz97hf)'),
  refused('POST /v2/users/ann/unlock', empty, 400, 'User is not locked (COMMAND-olb9vb0oca)'),
  refused(
    'POST /management/v1/users/initial/_deactivate',
    empty,
    404,
    'User with state initial can only be deleted not deactivated (COMMAND-ke0fw)',
  ),
  refused(
    'POST /v2/users/initial/deactivate',
    empty,
    400,
    'User with state initial can only be deleted not deactivated (COMMAND-gvx4kct9r2)',
  ),
  refused('POST /management/v1/users/off/_deactivate', empty, 400, 'User already inactive (COMMAND-5M0sf)'),
  refused('POST /v2/users/off/deactivate', empty, 400, 'User already inactive (COMMAND-5gunjw0cd7)'),
];

const related: readonly Recorded[] = [
  refused(`POST ${ann}/metadata/_bulk`, empty, 400, 'Metadata list is empty (META-9mm2d)'),
  refused(
    'POST /management/v1/users/123/metadata/_bulk',
    { metadata: [{ key: 'a', value: 'YWJj' }] },
    400,
    'User could not be found (COMMAND-uXHNj)',
  ),
  refused(`GET ${ann}/metadata/none`, undefined, 404, 'Metadata not found (QUERY-Rgh32)'),
  refused(`DELETE ${ann}/metadata/none`, undefined, 404, 'Metadata not found (META-ncnw3)'),
  refused(
    'DELETE /v2/users/ann/metadata?keys=none',
    undefined,
    404,
    'One or more keys do not exist (META-2nnds)',
  ),
  refused(
    `POST ${ann}/grants`,
    { projectId: 'nope', roleKeys: ['admin'] },
    400,
    'Project Grant not found (COMMAND-4m9ff)',
  ),
  refused(
    'POST /management/v1/users/nope/grants',
    { projectId: 'p', roleKeys: ['admin'] },
    400,
    'User could not be found (COMMAND-4f8sg)',
  ),
  refused(
    `POST ${ann}/grants`,
    { projectId: 'p', roleKeys: ['nope'] },
    400,
    'Errors.Project.Role.NotFound (COMMAND-mm9F4)',
  ),
  refused(`DELETE ${ann}/grants/1`, undefined, 404, 'User grant not found (COMMAND-1My0t)'),
  refused(
    'POST /v2/users/ann/links',
    { idpLink: { idpId: 'nope', userId: 'x', userName: 'x' } },
    400,
    "Identity Provider Configuration doesn't exist (COMMAND-39nf2)",
  ),
  refused(`POST ${ann}/pats`, empty, 400, 'Not allowed for this user type (COMMAND-Df2f1)'),
  refused('POST /management/v1/users/nope/pats', empty, 400, 'User could not be found (COMMAND-Dggw2)'),
  refused('GET /admin/v1/orgs/nope', undefined, 404, 'Organisation not found (QUERY-leq5Q)'),
];

const signIn: readonly Recorded[] = [
  refused(sessions, checks({ loginName: 'ann' }, 'nope'), 400, 'Password is invalid (COMMAND-3M0fs)'),
  refused(sessions, { checks: { password: { password: 'x' } } }, 400, 'User ID missing (COMMAND-Sfw3f)'),
  refused(
    sessions,
    { checks: { ...checks({ userId: 'ann' }).checks, totp: { code: '000000' } } },
    400,
    "Multifactor OTP (OneTimePassword) isn't ready (COMMAND-3Mif9s)",
  ),
  refused(sessions, checks({ userId: 'initial' }), 400, notActive),
  refused(sessions, checks({ userId: 'off' }), 400, notActive),
  refused(sessions, checks({ userId: 'locked' }), 400, notActive),
];

const actions: readonly Recorded[] = [
  refused(targets, target({ timeout: undefined }), 400, 'Target has no timeout (COMMAND-39f35d8uri)'),
  refused(targets, target({ endpoint: 'nota url' }), 400, 'Errors.Target.DeniedURL (COMMAND-NcJUKo)'),
  refused('GET /v2/actions/targets/nope', undefined, 404, 'Target not found (QUERY-hj5oaniyrz)'),
  refused('POST /v2/actions/targets/nope', { name: 'x' }, 404, 'Target not found (COMMAND-xj14f2cccn)'),
  refused(`${targets}/search`, { pagination: { limit: 1001 } }, 400, 'Limit exceeded (QUERY-4M0fs)'),
  refused(executions, { targets: [] }, 400, 'Execution condition is invalid (ACTION-5r5Ju)'),
  refused(
    executions,
    { condition: { request: { all: true } }, targets: ['nope'] },
    404,
    'Target not found (COMMAND-17e8fq1ggk)',
  ),
  execution({ event: { event: 'nope.nope' } }, 404, 'Execution condition is invalid (COMMAND-74aaqj8fv9)'),
  execution({ event: { group: 'nope' } }, 404, 'Execution condition is invalid (COMMAND-er5oneb5lz)'),
  execution({ function: { name: 'nope' } }, 404, 'Execution condition is invalid (COMMAND-cdy39t0ksr)'),
  execution({ request: { service: 'nope' } }, 404, 'Execution condition is invalid (COMMAND-qu6dfhiioq)'),
  execution(
    { request: { method: '/zitadel.nope.v1.Nope/Nope' } },
    404,
    'Execution condition is invalid (COMMAND-vysplsevt8)',
  ),
];

const everyone = ['ann', 'off', 'locked'].map((userId) => ({
  userId,
  user: user(userId, { password: 'Password1!' }),
}));
const initial = { userId: 'initial', user: user('initial', { email: { email: 'i@example.org' } }) };
const project = {
  projects: [{ projectId: 'p', project: { name: 'P' } }],
  projectRoles: [{ projectId: 'p', roleKey: 'admin', displayName: 'Admin' }],
};

describe('the recorded answer', () => {
  let server: FullServer;
  beforeAll(async () => {
    server = createFullServer({ profile: 'self-hosted', rate: null });
    const orgs = [{ orgId: server.orgId, humanUsers: [...everyone, initial], ...project }];
    await server.call('POST /admin/v1/import', { dataOrgs: { orgs }, timeout: '1m' });
    await server.call('POST /management/v1/users/off/_deactivate', {});
    await server.call('POST /management/v1/users/locked/_lock', {});
  });

  it.each([...callers, ...users, ...related, ...signIn, ...actions])(
    '$status $text to $route',
    async ({ route, body, status, text, options }) => {
      const answer = await server.call(route, body, options);
      expect([answer.status, answer.body.message ?? answer.body]).toEqual([status, text]);
      const id = /\(([A-Za-z0-9-]+)\)$/.exec(text)?.[1];
      expect(answer.body.details?.[0]?.id).toBe(id);
    },
  );
});
