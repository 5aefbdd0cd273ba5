/** The bulk import: both forms, three passes, entries for errors, timeouts, background, whole-body refusals. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createReadObject } from '../../../src/server/methods/import-data.ts';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

const route = 'POST /admin/v1/import';
const hash = '$pbkdf2-sha256$27500$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g';

const record = (name: string, changes: object = {}) => ({
  userName: name,
  profile: { firstName: name, lastName: 'X' },
  email: { email: `${name}@example.com`, isEmailVerified: true },
  hashedPassword: { value: hash },
  ...changes,
});
const human = (id: string, changes: object = {}, more: object = {}) => ({
  userId: id,
  user: record(id, changes),
  ...more,
});

let server: FullServer;
beforeEach(() => {
  server = createTestServer();
});

const send = (orgs: object[], more: object = {}) =>
  server.call(route, { dataOrgs: { orgs }, timeout: '5m', ...more });
const into = (data: object, more: object = {}) => send([{ orgId: server.orgId, ...data }], more);
const newOrg = (id: string, data: object = {}) => ({ orgId: id, org: { name: `Org ${id}` }, ...data });
const errorsOf = async (answer: Promise<{ body: any }>) =>
  ((await answer).body.errors ?? []).map((error: any) => `${error.type} ${error.id} ${error.message}`);

describe('users', () => {
  it('refuses recovery codes in an unknown form and more than ten', async () => {
    const eleven = Array.from({ length: 11 }, (_, i) => ({ raw: `c${i}` }));
    const humanUsers = [
      human('a', { recoveryCodes: [{ hash: 'x' }] }),
      human('b', { recoveryCodes: eleven }),
    ];
    expect((await errorsOf(into({ humanUsers }))).slice(1)).toEqual([
      'human_user_recovery_codes a ID=DOMAIN-JDk4t Message=Errors.Hash.NotSupported',
      'human_user_recovery_codes b ID=COMMAND-53cjw Message=Errors.User.MFA.RecoveryCodes.MaxCountExceeded',
    ]);
  });
});

/** Those of all other entries are in the recorded calls. */
it('names entries that are there already, or lack what they need, by the ids of the service', async () => {
  const org = server.orgId;
  const member = { projectId: 'p', userId: 'a' };
  const entries = {
    machineUsers: [{ userId: 'm', user: { userName: 'm', name: 'M', userId: 'm' } }],
    machineKeys: [{ keyId: 'k', userId: 'm' }],
    oidcIdps: [{ idpId: 'idp', idp: { name: 'G', clientId: 'c', clientSecret: 's', issuer: 'i' } }],
    humanUsers: [human('a')],
    projects: [{ projectId: 'p', project: { name: 'P' } }],
    actions: [{ actionId: 's', action: { name: 'S', script: 'x' } }],
    projectMembers: [{ ...member, roles: ['PROJECT_OWNER'] }],
    projectGrantMembers: [{ ...member, grantId: 'g', roles: ['PROJECT_GRANT_OWNER'] }],
  };
  expect(await errorsOf(into(entries))).toHaveLength(1);
  expect(await errorsOf(into(entries))).toEqual(
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
  expect((await errorsOf(into(missing))).slice(1)).toEqual([
    `domain_isprimary ${org}_b.example ID=COMMA-yKA80 Message=Errors.Org.DomainNotVerified`,
    'machine_user_key l ID=COMMAND-bnipwm1 Message=Errors.User.NotFound',
  ]);
});

it('the form of the first version drops triggers in the digits of the second', async () => {
  const org = newOrg('5', {
    actions: [{ actionId: 's', action: { name: 'S', script: 'x' } }],
    triggerActions: [{ flowType: '1', triggerType: '3', actionIds: ['s'] }],
  });
  expect(await errorsOf(server.call(route, { dataOrgsv1: { orgs: [org] }, timeout: '1m' }))).toEqual([
    'trigger_action 0_0 ID=COMMAND-Dfhj5 Message=Errors.Flow.FlowTypeMissing',
  ]);
});

describe('the timeout', () => {
  it('leaves what was done, and does not say what that was', async () => {
    server = createTestServer({ secondsPerUser: 20 });
    const sampleUsers = Array.from({ length: 10 }, (_, i) => human(`u${i}`));
    const answer = await into({ humanUsers: sampleUsers }, { timeout: '1m40s' });
    expect(answer).toMatchObject({ status: 500, body: { code: 2, message: 'context deadline exceeded ()' } });
    expect(answer.body).not.toHaveProperty('success');
    expect(sampleUsers.filter(({ userId }) => server.state.store.users.has(userId))).toHaveLength(4);
  });

  it('may be cut before by what stands in front', async () => {
    server = createTestServer({ secondsPerUser: 100, cutAfterSeconds: 300 });
    const answer = await into(
      { humanUsers: [human('a'), human('b'), human('c'), human('d')] },
      { timeout: '1h' },
    );
    expect(answer).toMatchObject({ status: 504, body: { code: 4 } });
    expect(server.state.store.users.has('b')).toBe(true);
    expect(server.state.store.users.has('c')).toBe(false);
  });
});

describe('in the background', () => {
  const file = (value: unknown) => () => Promise.resolve(Buffer.from(JSON.stringify(value)));

  it('answers {} at once and does the work afterwards', async () => {
    server = createTestServer({ readObject: file({ orgs: [newOrg('7', { humanUsers: [human('a')] })] }) });
    const { body } = await server.call(route, { dataOrgsGcs: { bucket: 'b', path: 'p' }, timeout: '1m' });
    expect(body).toEqual({});
    expect(server.state.store.users.has('a')).toBe(false);
    await server.settled();
    expect(server.state.store.users.has('a')).toBe(true);
    expect(server.logged).toEqual(['import: finished: 1 human users, 0 errors']);
  });

  it('asks for the right object', async () => {
    const asked: unknown[] = [];
    server = createTestServer({
      readObject: (source) => {
        asked.push(source);
        return Promise.resolve(Buffer.from('{}'));
      },
    });
    for (const data of [
      { data_orgs_gcs: { bucket: 'b', path: 'p', serviceaccount_json: 'e30=' } },
      { data_orgsv1_local: { path: '/x' } },
      { dataOrgsS3: { bucket: 'b', path: 'p', endpoint: 'e' } },
    ]) {
      await server.call(route, { ...data, timeout: '1m' });
    }
    await server.settled();
    expect(asked).toEqual([
      { kind: 'gcs', bucket: 'b', path: 'p', serviceAccount: 'e30=' },
      { kind: 'local', path: '/x' },
      { kind: 's3', bucket: 'b', path: 'p' },
    ]);
  });

  it('judges no field rules: what breaks one is refused alone, by the checks behind them', async () => {
    const nameless = { userId: 'n', user: { ...record('n'), profile: { firstName: 'N' } } };
    server = createTestServer({
      readObject: file({ orgs: [newOrg('7', { humanUsers: [nameless, { userId: 'hollow' }, human('a')] })] }),
    });
    await server.call(route, { dataOrgsLocal: { path: 'x' }, timeout: '1m' });
    await server.settled();
    expect(server.logged).toEqual([
      'import: an entry without user is left out',
      'import: human_user n: ID=PROFILE-DSUkN Message=Errors.User.Profile.LastNameEmpty',
      'import: finished: 1 human users, 1 errors',
    ]);
  });
});

describe('faults of the server', () => {
  it('are in the log when they are in an entry', async () => {
    server.state.store.users.by = () => {
      throw new TypeError('out of order');
    };
    const { body } = await into({ humanUsers: [human('a')] });
    expect(body.errors.at(-1).message).toBe('ID=RECOVER Message=Errors.Internal');
    expect(server.logged).toContain('import: human_user a: unexpected: out of order');
  });

  it('do not come of a device as a file, which never ends', async () => {
    const read = createReadObject(undefined);
    await expect(read({ kind: 'local', path: '/dev/zero' })).rejects.toThrow('/dev/zero: not a file');
  });

  it('do not come of a header of a proxy that is wrong', async () => {
    const headers = { 'x-forwarded-proto': 'no thing' };
    expect((await server.call('GET /auth/v1/users/me', undefined, { headers })).status).toBe(200);
  });
});
