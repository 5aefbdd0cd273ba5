/** The export as a client sees it, and that an import of it gives the same again. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decode } from '../../../src/wire/codec.ts';
import { importDataOrg } from '../../../src/wire/import.ts';
import { createFullServer, type FullServer } from '../../support/full-server.ts';
import { startStorageService, type StorageService } from '../../support/storage-service.ts';

const hash = `$2a$12$${'a'.repeat(53)}`;
const human = (userName: string, more: object = {}) => ({
  userName,
  profile: { firstName: 'Ann', lastName: 'Ö & Co', displayName: 'Annie', preferredLanguage: 'de' },
  email: { email: `${userName}@acme.example`, isEmailVerified: true },
  hashedPassword: { value: hash },
  ...more,
});

const acme = {
  orgId: 'acme',
  org: { name: 'Acme' },
  domainPolicy: { orgId: 'acme', userLoginMustBeDomain: true },
  loginPolicy: {
    allowRegister: true,
    passwordCheckLifetime: '864000s',
    idps: [{ idpId: 'idp-1', ownerType: 2 }],
  },
  labelPolicy: { primaryColor: '#5469d4', themeMode: 'THEME_MODE_DARK' },
  passwordComplexityPolicy: { minLength: '12', hasUppercase: true },
  humanUsers: [
    {
      userId: 'u-1',
      user: human('ann', {
        otpCode: 'JBSWY3DPEHPK3PXP',
        phone: { phone: '+41710000000', isPhoneVerified: true },
      }),
    },
    { userId: 'u-2', user: human('ben'), state: 'USER_STATE_LOCKED' },
    { userId: 'u-3', user: { ...human('eve'), hashedPassword: undefined } },
  ],
  machineUsers: [{ userId: 'm-1', user: { userName: 'robot', name: 'Robot', userId: 'm-1' } }],
  machineKeys: [{ keyId: 'k-1', userId: 'm-1', publicKey: 'YWJj', type: 'KEY_TYPE_JSON' }],
  userMetadata: [{ id: 'u-1', key: 'legacy', value: 'YWJj' }],
  oidcIdps: [
    { idpId: 'idp-1', idp: { name: 'g', clientId: 'c', clientSecret: 's', issuer: 'https://i.example' } },
  ],
  userLinks: [{ userId: 'u-2', idpId: 'idp-1', providedUserId: 'ext-2', providedUserName: 'Ben' }],
  projects: [{ projectId: 'p-1', project: { name: 'Portal' } }],
  projectRoles: [{ projectId: 'p-1', roleKey: 'admin', displayName: 'Admin' }],
  userGrants: [{ userId: 'u-1', projectId: 'p-1', roleKeys: ['admin'] }],
  orgMembers: [{ userId: 'u-2', roles: ['ORG_OWNER'] }],
  actions: [{ actionId: 'a-1', action: { name: 'log', script: 'function log() {}', timeout: '10s' } }],
  triggerActions: [{ flowType: '1', triggerType: '3', actionIds: ['a-1'] }],
};

let server: FullServer;
let storage: StorageService;
beforeEach(async () => {
  storage = await startStorageService();
  server = createFullServer({ storageEndpoint: storage.endpoint, rate: null });
});
afterEach(async () => {
  await server.close();
  await storage.close();
});

async function fill(target: FullServer = server): Promise<void> {
  const orgs = [
    acme,
    { orgId: 'other', org: { name: 'Other' }, humanUsers: [{ userId: 'o-1', user: human('otto') }] },
  ];
  const answer = await target.call('POST /admin/v1/import', { dataOrgs: { orgs }, timeout: '5m' });
  expect(answer.body).not.toHaveProperty('errors');
}

const exported = async (request: object = {}): Promise<any> =>
  (await server.call('POST /admin/v1/export', request)).body;
const orgOf = (body: any, id = 'acme'): any => body.orgs.find(({ orgId }: { orgId: string }) => orgId === id);

describe('an export', () => {
  it('holds everything that was imported, and no secrets unless asked for', async () => {
    await fill();
    const org = orgOf(await exported());
    expect(org).toMatchObject({
      orgId: 'acme',
      orgState: 'ORG_STATE_ACTIVE',
      org: { name: 'Acme' },
      domainPolicy: { orgId: 'acme', userLoginMustBeDomain: true },
      loginPolicy: { allowRegister: true, passwordCheckLifetime: '864000s' },
      passwordComplexityPolicy: { minLength: '12' },
      userMetadata: [{ id: 'u-1', key: 'legacy', value: 'YWJj' }],
      userLinks: [{ userId: 'u-2', idpId: 'idp-1', idpName: 'g', providedUserId: 'ext-2' }],
      projects: [{ projectId: 'p-1', project: { name: 'Portal' } }],
      projectRoles: acme.projectRoles,
      userGrants: acme.userGrants,
      triggerActions: acme.triggerActions,
      machineKeys: [{ keyId: 'k-1', userId: 'm-1', publicKey: 'YWJj' }],
    });
    expect(org.loginPolicy.idps).toEqual([{ idpId: 'idp-1', ownerType: 'IDP_OWNER_TYPE_ORG' }]);
    expect(org.labelPolicy).toEqual({ primaryColor: '#5469d4' });
    expect(org.domains).toMatchObject([{ orgId: 'acme', domainName: 'acme.localhost', isVerified: true }]);
    expect(org.humanUsers).toEqual([
      {
        userId: 'u-1',
        state: 'USER_STATE_ACTIVE',
        user: {
          userName: 'ann',
          profile: { firstName: 'Ann', lastName: 'Ö & Co', displayName: 'Annie', preferredLanguage: 'de' },
          email: { email: 'ann@acme.example', isEmailVerified: true },
          phone: { phone: '+41710000000', isPhoneVerified: true },
        },
      },
      expect.objectContaining({ userId: 'u-2', state: 'USER_STATE_LOCKED' }),
      expect.objectContaining({ userId: 'u-3', state: 'USER_STATE_INITIAL' }),
    ]);
    expect(JSON.stringify(org.humanUsers)).not.toMatch(/hashedPassword|otpCode/);
  });

  it('is filtered by org, and leaves out the excluded ones as the interface description says', async () => {
    await fill();
    const ids = async (request: object): Promise<string[]> =>
      ((await exported(request)).orgs ?? []).map(({ orgId }: { orgId: string }) => orgId);
    expect(await ids({})).toEqual([server.orgId, 'acme', 'other']);
    expect(await ids({ org_ids: ['acme', 'nowhere'] })).toEqual(['acme']);
    expect(await ids({ excluded_org_ids: ['acme'] })).toEqual([server.orgId, 'other']);
    expect(await ids({ orgIds: ['acme', 'other'], excludedOrgIds: ['acme', 'nowhere'] })).toEqual(['other']);
    expect((await server.call('POST /admin/v1/export', { org_ids: ['nowhere'] })).body).toEqual({});
  });

  it('leaves out grants and members that lead out of it', async () => {
    await fill();
    await server.call('POST /admin/v1/import', {
      dataOrgs: {
        orgs: [
          {
            orgId: 'acme',
            projectGrants: [
              {
                grantId: 'g',
                projectGrant: { projectId: 'p-1', grantedOrgId: 'other', roleKeys: ['admin'] },
              },
            ],
            orgMembers: [{ userId: 'o-1', roles: ['ORG_OWNER'] }],
          },
        ],
      },
      timeout: '5m',
    });
    const alone = orgOf(await exported({ orgIds: ['acme'] }));
    expect(alone).not.toHaveProperty('projectGrants');
    expect(alone.orgMembers).toEqual([{ userId: 'u-2', roles: ['ORG_OWNER'] }]);
    const both = orgOf(await exported({ orgIds: ['acme', 'other'] }));
    expect(both.projectGrants).toHaveLength(1);
    expect(both.orgMembers).toHaveLength(2);
  });

  it('over 10 MiB is refused with its exact size', async () => {
    const value = Buffer.alloc(400_000, 'x').toString('base64');
    await fill();
    const entries = Array.from({ length: 7 }, (_, i) => ({ id: 'u-1', key: `k-${i}`, value }));
    for (let part = 0; part < 4; part++) {
      const userMetadata = entries.map((entry) => ({ ...entry, key: `${part}-${entry.key}` }));
      await server.seed({ orgs: [{ orgId: 'acme', userMetadata }] });
    }
    const answer = await server.call('POST /admin/v1/export', { orgIds: ['acme'] });
    expect(answer).toMatchObject({ status: 429, body: { code: 8 } });
    expect(answer.body.message).toMatch(
      /^trying to send message larger than max \(1120\d{4} vs\. 10485760\)$/,
    );
    expect(answer.body).not.toHaveProperty('details');
    const small = await server.call('POST /admin/v1/export', { orgIds: ['other'] });
    expect(small.status).toBe(200);
  });
});

describe('an export to a bucket', () => {
  const output = (account?: Parameters<StorageService['keyFile']>[0], bucket = 'moving-day') => ({
    path: 'exports/2026.json',
    bucket,
    serviceaccount_json: Buffer.from(storage.keyFile(account)).toString('base64'),
  });

  it('writes what the answer would have held, and answers with nothing', async () => {
    await fill();
    const request = { org_ids: ['acme'], with_passwords: true, timeout: '30m' };
    const answer = await server.call('POST /admin/v1/export', { ...request, gcs_output: output() });
    expect(answer).toMatchObject({ status: 200, body: {} });
    expect(answer.body).toEqual({});
    const written = JSON.parse(storage.objects.get('exports/2026.json')!.toString());
    expect(written).toEqual(await exported(request));
  });

  it('does both when both are asked for', async () => {
    await fill();
    const body = await exported({ gcs_output: output(), response_output: true });
    expect(JSON.parse(storage.objects.get('exports/2026.json')!.toString())).toEqual(body);
  });

  it('knows no limit of size, and its file can be imported again in the background', async () => {
    const humanUsers = Array.from({ length: 2500 }, (_, i) => ({ userId: `n-${i}`, user: human(`n${i}`) }));
    await server.seed({ orgs: [{ orgId: 'many', org: { name: 'Many' }, humanUsers }] });
    await server.call('POST /admin/v1/export', {
      orgIds: ['many'],
      withPasswords: true,
      gcsOutput: output(),
    });
    const bytes = storage.objects.get('exports/2026.json')!;
    expect(decode(importDataOrg, bytes).orgs[0]?.humanUsers).toHaveLength(2500);
    const elsewhere = createFullServer({ storageEndpoint: storage.endpoint });
    const request = { data_orgs_gcs: output('reader'), timeout: '30m' };
    expect((await elsewhere.call('POST /admin/v1/import', request)).body).toEqual({});
    await elsewhere.settled();
    expect(elsewhere.state.store.users.by('org', 'many').length).toBe(2500);
    await elsewhere.close();
  });

  it('that cannot be read is only in the log of a background import', async () => {
    const data_orgs_gcs = { ...output('reader'), path: 'nowhere.json' };
    const answer = await server.call('POST /admin/v1/import', { data_orgs_gcs, timeout: '5m' });
    expect(answer).toMatchObject({ status: 200, body: {} });
    await server.settled();
    expect((await server.control('GET log')).body.lines).toEqual([
      expect.stringMatching(/import: failed: gs:\/\/moving-day\/nowhere\.json: there is no such object/),
    ]);
  });
});
