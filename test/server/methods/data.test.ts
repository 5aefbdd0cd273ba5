/** The bulk import without recorded calls: ids of rare refusals, timeouts, background imports, its faults. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { ServerSettings } from '../../../src/server/method.ts';
import { createReadObject } from '../../../src/server/methods/data.ts';
import {
  createTestServer,
  type Answer,
  type FullServer,
  importedUser,
  userV1,
} from '../../support/full-server.ts';

let server: FullServer;
const start = (settings: Partial<ServerSettings> = {}) => {
  server = createTestServer(settings);
};
beforeEach(() => start());

const users = (...ids: string[]) => ids.map((id) => importedUser(id));
const has = (id: string) => server.state.store.users.has(id);
const send = (data: object) => server.call('POST /admin/v1/import', { ...data, timeout: '1m' });
const errorsOf = async (answer: Promise<Answer>) =>
  (await answer).body.errors.map((error: any) => `${error.type} ${error.id} ${error.message}`);

it('import refuses recovery codes in an unknown form and more than ten', async () => {
  const eleven = Array.from({ length: 11 }, (_, i) => ({ raw: `c${i}` }));
  const humanUsers = [
    importedUser('a', { recoveryCodes: [{ hash: 'x' }] }),
    importedUser('b', { recoveryCodes: eleven }),
  ];
  expect((await errorsOf(server.importInto({ humanUsers }))).slice(1)).toEqual([
    'human_user_recovery_codes a ID=DOMAIN-JDk4t Message=Errors.Hash.NotSupported',
    'human_user_recovery_codes b ID=COMMAND-53cjw Message=Errors.User.MFA.RecoveryCodes.MaxCountExceeded',
  ]);
});

/** Those of all other entries are in the recorded calls. */
it('import reports existing entries and missing references with the error ids of the service', async () => {
  const org = server.orgId;
  const member = { projectId: 'p', userId: 'a' };
  const entries = {
    machineUsers: [{ userId: 'm', user: { userName: 'm', name: 'M', userId: 'm' } }],
    machineKeys: [{ keyId: 'k', userId: 'm' }],
    oidcIdps: [{ idpId: 'idp', idp: { name: 'G', clientId: 'c', clientSecret: 's', issuer: 'i' } }],
    humanUsers: users('a'),
    projects: [{ projectId: 'p', project: { name: 'P' } }],
    actions: [{ actionId: 's', action: { name: 'S', script: 'x' } }],
    projectMembers: [{ ...member, roles: ['PROJECT_OWNER'] }],
    projectGrantMembers: [{ ...member, grantId: 'g', roles: ['PROJECT_GRANT_OWNER'] }],
  };
  expect(await errorsOf(server.importInto(entries))).toHaveLength(1);
  expect(await errorsOf(server.importInto(entries))).toEqual(
    expect.arrayContaining([
      'oidc_idp idp ID=Org-1J8fs Message=Errors.IDPConfig.AlreadyExisting',
      'machine_user_key k ID=COMMAND-091mops Message=Errors.User.Machine.Key.AlreadyExists',
      'action s ID=COMMAND-nau2k Message=Errors.Action.AlreadyExisting',
      `project_grant_member ${org}_p_g_a ID=PROJECT-37fug Message=Errors.AlreadyExists`,
      `project_member ${org}_p_a ID=PROJECT-PtXi1 Message=Errors.Project.Member.AlreadyExists`,
    ]),
  );
  const missing = {
    machineKeys: [{ keyId: 'l', userId: 'no' }],
    domainPolicy: { orgId: org, validateOrgDomains: true },
    domains: [{ domainName: 'b.example', isPrimary: true }],
  };
  expect((await errorsOf(server.importInto(missing))).slice(1)).toEqual([
    `domain_isprimary ${org}_b.example ID=COMMA-yKA80 Message=Errors.Org.DomainNotVerified`,
    'machine_user_key l ID=COMMAND-bnipwm1 Message=Errors.User.NotFound',
  ]);
});

it('puts texts of emails into the organization of the request, and ignores some kinds', async () => {
  const title = [{ language: 'en', title: 'T' }];
  const texts = { loginTexts: title, initMessages: title, verifyPhoneMessages: title };
  const org = { orgId: '5', org: { name: 'Five' }, ...texts, inviteUserMessages: title };
  await send({ dataOrgs: { orgs: [org] } });
  const textsOf = (id: string) => Object.keys(server.state.store.orgs.get(id)!.texts);
  expect(textsOf('5')).toEqual(['loginTexts']);
  expect(textsOf(server.orgId)).toEqual(['initMessages']);
  await send({ dataOrgs: { orgs: [{ ...org, passwordlessRegistrationMessages: title }] } });
  expect(textsOf(server.orgId)).toContain('inviteUserMessages');
});

it('import of data_orgsv1 refuses trigger actions in the digits of v2', async () => {
  const org = {
    orgId: '5',
    org: { name: 'Five' },
    actions: [{ actionId: 's', action: { name: 'S', script: 'x' } }],
    triggerActions: [{ flowType: '1', triggerType: '3', actionIds: ['s'] }],
  };
  expect(await errorsOf(send({ dataOrgsv1: { orgs: [org] } }))).toEqual([
    'trigger_action 0_0 ID=COMMAND-Dfhj5 Message=Errors.Flow.FlowTypeMissing',
  ]);
});

describe('the timeout of an import', () => {
  const humanUsers = users('a', 'b', 'c', 'd', 'e');

  it.each([
    [
      { secondsPerUser: 20 },
      '1m',
      { status: 500, body: { code: 2, message: 'context deadline exceeded ()' } },
    ],
    // What stands in front cuts it before.
    [{ secondsPerUser: 100, cutAfterSeconds: 300 }, '1h', { status: 504, body: { code: 4 } }],
  ])('keeps the users created so far, and does not list them: %o', async (options, timeout, expected) => {
    start(options);
    const answer = await server.importInto({ humanUsers }, { timeout });
    expect(answer).toMatchObject(expected);
    expect(answer.body).not.toHaveProperty('success');
    expect([has('b'), has('c')]).toEqual([true, false]);
  });
});

describe('a background import', () => {
  const holding = (...humanUsers: unknown[]) => {
    const orgs = [{ orgId: '7', org: { name: 'Seven' }, humanUsers }];
    return { readObject: () => Promise.resolve(Buffer.from(JSON.stringify({ orgs }))) };
  };
  const local = { dataOrgsLocal: { path: 'x' } };

  it('answers {} at once and works afterwards', async () => {
    start(holding(...users('a')));
    expect((await send(local)).body).toEqual({});
    expect(has('a')).toBe(false);
    await server.settled();
    expect(has('a')).toBe(true);
    expect(server.logged).toEqual(['import: finished: 1 human users, 0 errors']);
  });

  it.each([
    [
      { data_orgs_gcs: { bucket: 'b', path: 'p', serviceaccount_json: 'e30=' } },
      'service account: it has no',
    ],
    [{ data_orgsv1_local: { path: '/dev/zero' } }, '/dev/zero: not a file'],
    [{ dataOrgsS3: { bucket: 'b', path: 'p', endpoint: 'e' } }, 'S3 is not supported here'],
    [{}, 'no data to import'],
  ])('logs an unreadable source: %j', async (data, problem) => {
    start({ readObject: createReadObject(undefined) });
    await send(data);
    await server.settled();
    expect(server.logged).toEqual([expect.stringContaining(`import: failed: ${problem}`)]);
  });

  it('skips the field rules and rejects faulty entries alone', async () => {
    const nameless = { userId: 'n', user: userV1('n', { profile: { firstName: 'N' } }) };
    start(holding(nameless, { userId: 'hollow' }, ...users('a')));
    await send(local);
    await server.settled();
    expect(server.logged).toEqual([
      'import: an entry without user is left out',
      'import: human_user n: ID=PROFILE-DSUkN Message=Errors.User.Profile.LastNameEmpty',
      'import: finished: 1 human users, 1 errors',
    ]);
  });
});

describe('internal errors of the server', () => {
  it('in an entry are logged', async () => {
    server.state.store.users.by = () => {
      throw new TypeError('out of order');
    };
    const { body } = await server.importInto({ humanUsers: users('a') });
    expect(body.errors.at(-1).message).toBe('ID=RECOVER Message=Errors.Internal');
    expect(server.logged).toContain('import: human_user a: unexpected: out of order');
  });

  it.each([
    ['x-forwarded-proto', 'no thing'],
    ['x-forwarded-host', 'no host'],
  ])('are not caused by an invalid proxy header: %s', async (name, value) => {
    const headers = { [name]: value };
    expect((await server.call('GET /auth/v1/users/me', undefined, { headers })).status).toBe(200);
  });
});
