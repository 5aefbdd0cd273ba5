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
const known = () => ({
  type: 'org',
  id: server.orgId,
  message: 'ID=ORG-lapo2n Message=Errors.Org.AlreadyExisting',
});
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

describe('errors of the other entries', () => {
  it('have the types and ids of the service', async () => {
    const org = server.orgId;
    const everything = {
      domainPolicy: { orgId: org, userLoginMustBeDomain: false },
      labelPolicy: { primaryColor: '#fff' },
      lockoutPolicy: { maxPasswordAttempts: 3 },
      loginPolicy: { allowRegister: true },
      passwordComplexityPolicy: { minLength: '4' },
      privacyPolicy: { tosLink: 'https://t' },
      domains: [{ domainName: 'a.example', isVerified: true, isPrimary: true }],
      oidcIdps: [{ idpId: 'idp', idp: { name: 'G', clientId: 'c', clientSecret: 's', issuer: 'i' } }],
      jwtIdps: [
        {
          idpId: 'jwt',
          idp: { name: 'J', jwtEndpoint: 'e', issuer: 'i', keysEndpoint: 'k', headerName: 'h' },
        },
      ],
      humanUsers: [human('a')],
      machineUsers: [{ userId: 'm', user: { userName: 'm', name: 'M', userId: 'm' } }],
      machineKeys: [{ keyId: 'k', userId: 'm' }],
      userLinks: [{ userId: 'a', idpId: 'idp', providedUserId: 'x' }],
      projects: [{ projectId: 'p', project: { name: 'P' } }],
      projectRoles: [{ projectId: 'p', roleKey: 'r', displayName: 'R' }],
      oidcApps: [{ appId: 'o', app: { projectId: 'p', name: 'O' } }],
      apiApps: [{ appId: 'i', app: { projectId: 'p', name: 'I' } }],
      actions: [{ actionId: 's', action: { name: 'S', script: 'x' } }],
      triggerActions: [{ flowType: '1', triggerType: '3', actionIds: ['s'] }],
      projectGrants: [{ grantId: 'g', projectGrant: { projectId: 'p', grantedOrgId: '2', roleKeys: ['r'] } }],
      userGrants: [{ userId: 'a', projectId: 'p', roleKeys: ['r'] }],
      orgMembers: [{ userId: 'a', roles: ['ORG_OWNER'] }],
      projectMembers: [{ projectId: 'p', userId: 'a', roles: ['PROJECT_OWNER'] }],
      projectGrantMembers: [{ projectId: 'p', grantId: 'g', userId: 'a', roles: ['PROJECT_GRANT_OWNER'] }],
    };
    const first = await send([{ orgId: org, ...everything }, newOrg('2')]);
    // Without a policy that asks for proof a new domain is verified already.
    expect(first.body.errors).toEqual([
      known(),
      {
        type: 'domain_isverified',
        id: `${org}_a.example`,
        message: 'ID=V3-DKcYh Message=Errors.Org.Domain.AlreadyExists',
      },
    ]);
    expect(await errorsOf(into(everything))).toEqual([
      `org ${org} ID=ORG-lapo2n Message=Errors.Org.AlreadyExisting`,
      `domain_policy ${org} ID=ORG-1M8ds Message=Errors.Org.DomainPolicy.AlreadyExists`,
      `domain ${org}_a.example ID=V2-e1wse Message=Errors.Already.Exists`,
      `label_policy ${org} ID=Org-2B0ps Message=Errors.Org.LabelPolicy.AlreadyExists`,
      `lockout_policy ${org} ID=ORG-0olDf Message=Errors.ORG.LockoutPolicy.AlreadyExists`,
      'oidc_idp idp ID=Org-1J8fs Message=Errors.IDPConfig.AlreadyExisting',
      `login_policy ${org} ID=Org-Dgfb2 Message=Errors.Org.LoginPolicy.AlreadyExists`,
      `password_complexity_policy ${org} ID=Org-LdhbS Message=Errors.Org.PasswordComplexityPolicy.AlreadyExists`,
      `privacy_policy ${org} ID=Org-0oLpd Message=Errors.Org.PrivacyPolicy.AlreadyExists`,
      'human_user a ID=COMMAND-ziuna Message=Errors.User.AlreadyExisting',
      'machine_user m ID=COMMAND-k2una Message=Errors.User.AlreadyExisting',
      'machine_user_key k ID=COMMAND-091mops Message=Errors.User.Machine.Key.AlreadyExists',
      'user_link a_idp ID=V3-DKcYh Message=Errors.User.ExternalIDP.AlreadyExists',
      'project p ID=COMMAND-opamwu Message=Errors.Project.AlreadyExisting',
      'oidc_app o ID=PROJECT-lxowmp Message=Errors.Project.App.AlreadyExisting',
      'api_app i ID=PROJECT-lxowmp Message=Errors.Project.App.AlreadyExisting',
      'action s ID=COMMAND-nau2k Message=Errors.Action.AlreadyExisting',
      'project_role p_r ID=V3-DKcYh Message=Errors.Project.Role.AlreadyExists',
      'trigger_action 1_3 ID=COMMAND-Nfh52 Message=Errors.Flow.NoChanges',
      `project_grant ${org}_p_2 ID=V3-DKcYh Message=Errors.Project.Grant.AlreadyExists`,
      `user_grant ${org}_p_a ID=V3-DKcYh Message=Errors.UserGrant.AlreadyExists`,
      `org_member ${org}_a ID=ORG-poWwe Message=Errors.Org.Member.AlreadyExists`,
      `project_grant_member ${org}_p_g_a ID=PROJECT-37fug Message=Errors.AlreadyExists`,
      `project_member ${org}_p_a ID=PROJECT-PtXi1 Message=Errors.Project.Member.AlreadyExists`,
    ]);
  });

  it('say what is missing', async () => {
    const org = server.orgId;
    const data = {
      userMetadata: [{ id: 'no', key: 'k', value: 'YQ==' }],
      machineKeys: [{ keyId: 'k', userId: 'no' }],
      userLinks: [{ userId: 'no', idpId: 'i', providedUserId: 'x' }],
      projectRoles: [{ projectId: 'no', roleKey: 'r', displayName: 'R' }],
      triggerActions: [
        { flowType: '', triggerType: '1' },
        { flowType: '1', triggerType: '1', actionIds: ['no'] },
      ],
      userGrants: [{ userId: 'no', projectId: 'p' }],
      orgMembers: [{ userId: 'no', roles: ['ORG_OWNER'] }],
      domainPolicy: { orgId: org, validateOrgDomains: true },
      domains: [{ domainName: 'b.example', isPrimary: true }],
    };
    expect((await errorsOf(into(data))).slice(1)).toEqual([
      `domain_isprimary ${org}_b.example ID=COMMA-yKA80 Message=Errors.Org.DomainNotVerified`,
      'user_metadata no_k ID=COMMAND-uXHNj Message=Errors.User.NotFound',
      'machine_user_key k ID=COMMAND-bnipwm1 Message=Errors.User.NotFound',
      'user_link no_i ID=COMMAND-vzktar7b7f Message=Errors.User.NotFound',
      'project_role no_r ID=COMMAND-EbFMN Message=Errors.Project.NotFound',
      'trigger_action _1 ID=COMMAND-Dfhj5 Message=Errors.Flow.FlowTypeMissing',
      'trigger_action 1_1 ID=COMMAND-dg422 Message=Errors.Flow.ActionIDsNotExist',
      `user_grant ${org}_p_no ID=COMMAND-4f8sg Message=Errors.User.NotFound`,
      `org_member ${org}_no ID=ORG-GoXOn Message=Errors.User.NotFound`,
    ]);
  });
});

describe('the form of the first version', () => {
  const orgs = () => [
    {
      orgId: '5',
      org: { name: 'Five' },
      iamPolicy: { orgId: '5', userLoginMustBeDomain: true },
      loginPolicy: { allowRegister: true, passwordCheckLifetime: '1s' },
      secondFactors: [{ type: 'SECOND_FACTOR_TYPE_OTP' }],
      idps: [{ idpId: 'i', ownerType: 'IDP_OWNER_TYPE_ORG' }],
      actions: [{ actionId: 's', action: { name: 'S', script: 'x' } }],
      triggerActions: [
        {
          flowType: 'FLOW_TYPE_EXTERNAL_AUTHENTICATION',
          triggerType: 'TRIGGER_TYPE_POST_CREATION',
          actionIds: ['s'],
        },
      ],
      humanUsers: [human('a')],
    },
  ];

  it('drops triggers in the digits of the second version', async () => {
    const org = { ...orgs()[0], triggerActions: [{ flowType: '1', triggerType: '3', actionIds: ['s'] }] };
    expect(await errorsOf(server.call(route, { dataOrgsv1: { orgs: [org] }, timeout: '1m' }))).toEqual([
      'trigger_action 0_0 ID=COMMAND-Dfhj5 Message=Errors.Flow.FlowTypeMissing',
    ]);
  });
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
