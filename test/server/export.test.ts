/** The export as a client sees it, and that an import of it gives the same again. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decode } from '../../src/wire/codec.ts';
import { importDataOrg } from '../../src/wire/import.ts';
import { createFullServer, type FullServer, importedUser, userV1 } from '../support/full-server.ts';
import { richOrg } from '../support/rich-org.ts';
import { startStorageService, type StorageService } from '../support/storage-service.ts';

const profile = { firstName: 'Ann', lastName: 'Ö & Co', displayName: 'Annie', preferredLanguage: 'de' };
const phone = { phone: '+41710000000', isPhoneVerified: true };

const acme: Record<string, any> = {
  ...richOrg('acme', 'Acme', 'a', 3),
  domains: [],
  domainPolicy: { orgId: 'acme', userLoginMustBeDomain: true },
  loginPolicy: {
    allowRegister: true,
    passwordCheckLifetime: '864000s',
    idps: [{ idpId: 'a-idp', ownerType: 2 }],
  },
  labelPolicy: { primaryColor: '#5469d4', themeMode: 'THEME_MODE_DARK' },
  humanUsers: [
    importedUser('a-user-0', { profile, phone, otpCode: 'JBSWY3DPEHPK3PXP' }),
    importedUser('a-user-1', {}, { state: 'USER_STATE_LOCKED' }),
    { userId: 'a-user-2', user: userV1('a-user-2') },
  ],
};

let server: FullServer;
let storage: StorageService;
beforeEach(async () => {
  storage = await startStorageService();
  server = createFullServer({ storageEndpoint: storage.endpoint, rate: null });
  const other = { orgId: 'other', org: { name: 'Other' }, humanUsers: [importedUser('o-1')] };
  const { errors } = (await server.importOrgs([acme, other])).body;
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
});
afterEach(() => storage.close());

const ask = (request: object = {}) => server.call('POST /admin/v1/export', request);
const acmeOf = async (...orgIds: string[]) =>
  (await ask({ orgIds })).body.orgs.find(({ orgId }: { orgId: string }) => orgId === 'acme');

it('an export contains everything imported, and secrets only on request', async () => {
  const org = await acmeOf();
  expect(org).toMatchObject({
    orgId: 'acme',
    orgState: 'ORG_STATE_ACTIVE',
    org: { name: 'Acme' },
    domainPolicy: acme['domainPolicy'],
    loginPolicy: { allowRegister: true, passwordCheckLifetime: '864000s' },
    passwordComplexityPolicy: { minLength: '9' },
    domains: [{ orgId: 'acme', domainName: 'acme.localhost', isVerified: true }],
    userMetadata: acme['userMetadata'],
    userLinks: [{ userId: 'a-user-0', idpId: 'a-idp', idpName: 'Acme Login', providedUserId: 'x-1' }],
    projects: acme['projects'],
    projectRoles: acme['projectRoles'],
    userGrants: acme['userGrants'],
    triggerActions: acme['triggerActions'],
    machineKeys: acme['machineKeys'],
  });
  expect(org.loginPolicy.idps).toEqual([{ idpId: 'a-idp', ownerType: 'IDP_OWNER_TYPE_ORG' }]);
  expect(org.labelPolicy).toEqual({ primaryColor: '#5469d4' });
  expect(org.humanUsers).toEqual([
    { userId: 'a-user-0', state: 'USER_STATE_ACTIVE', user: { ...userV1('a-user-0'), profile, phone } },
    expect.objectContaining({ userId: 'a-user-1', state: 'USER_STATE_LOCKED' }),
    expect.objectContaining({ userId: 'a-user-2', state: 'USER_STATE_INITIAL' }),
  ]);
  expect(JSON.stringify(org.humanUsers)).not.toMatch(/hashedPassword|otpCode/);
});

it('an export omits grants and members of organizations outside the export', async () => {
  const projectGrant = { projectId: 'a-project', grantedOrgId: 'other', roleKeys: ['reader'] };
  const orgMembers = [{ userId: 'o-1', roles: ['ORG_OWNER'] }];
  const member = { projectId: 'a-project', grantId: 'g', userId: 'a-user-0', roles: ['PROJECT_GRANT_OWNER'] };
  const projectGrants = [{ grantId: 'g', projectGrant }];
  await server.importOrgs([{ orgId: 'acme', projectGrants, orgMembers, projectGrantMembers: [member] }]);
  const alone = await acmeOf('acme');
  expect(Object.keys(alone).join()).not.toMatch(/projectGrant/);
  expect(alone.orgMembers).toEqual(acme['orgMembers']);
  const { projectGrants: grants, projectGrantMembers, orgMembers: all } = await acmeOf('acme', 'other');
  expect([grants.length, projectGrantMembers.length, all.length]).toEqual([1, 1, 2]);
});

it('an export over 10 MiB is refused with the exact size', async () => {
  const value = Buffer.alloc(400_000, 'x').toString('base64');
  for (let part = 0; part < 4; part++) {
    const userMetadata = Array.from({ length: 7 }, (_, i) => ({
      id: 'a-user-0',
      key: `${part}-${i}`,
      value,
    }));
    await server.seed({ orgs: [{ orgId: 'acme', userMetadata }] });
  }
  const { status, body } = await ask({ orgIds: ['acme'] });
  const message = /^trying to send message larger than max \(1120\d{4} vs\. 10485760\)$/;
  expect([status, body]).toEqual([429, { code: 8, message }]);
  expect((await ask({ orgIds: ['other'] })).status).toBe(200);
});

describe('an export to a bucket', () => {
  const path = 'exports/2026.json';
  const output = (account?: Parameters<StorageService['keyFile']>[0]) => ({
    path,
    bucket: 'moving-day',
    serviceaccount_json: Buffer.from(storage.keyFile(account)).toString('base64'),
  });
  const written = () => JSON.parse(storage.objects.get(path)!.toString());

  it('writes the same JSON as the answer, and answers {} unless both are requested', async () => {
    const request = { org_ids: ['acme'], with_passwords: true, timeout: '30m' };
    expect(await ask({ ...request, gcs_output: output() })).toMatchObject({ status: 200, body: {} });
    const { body } = await ask(request);
    expect(written()).toEqual(body);
    storage.objects.clear();
    expect((await ask({ ...request, gcs_output: output(), response_output: true })).body).toEqual(body);
    expect(written()).toEqual(body);
  });

  it('is refused with a final status if the bucket cannot be written', async () => {
    const gcs_output = { ...output(), bucket: 'nowhere' };
    const { status, body } = await ask({ gcs_output });
    expect([status, body.code]).toEqual([400, 9]);
    expect(body.message).toContain('gs://nowhere/exports/2026.json');
  });

  it('has no size limit, and can be imported again in the background', async () => {
    const humanUsers = Array.from({ length: 2500 }, (_, i) => importedUser(`n-${i}`));
    await server.seed({ orgs: [{ orgId: 'many', org: { name: 'Many' }, humanUsers }] });
    await ask({ orgIds: ['many'], withPasswords: true, gcsOutput: output() });
    expect(decode(importDataOrg, storage.objects.get(path)!).orgs[0]?.humanUsers).toHaveLength(2500);
    const elsewhere = createFullServer({ storageEndpoint: storage.endpoint });
    const request = { data_orgs_gcs: output('reader'), timeout: '30m' };
    expect((await elsewhere.call('POST /admin/v1/import', request)).body).toEqual({});
    await elsewhere.settled();
    expect(elsewhere.state.store.users.by('org', 'many').length).toBe(2500);
  });

  it('that cannot be read is logged by the background import', async () => {
    const request = { data_orgs_gcs: { ...output('reader'), path: 'nowhere.json' }, timeout: '5m' };
    expect(await server.call('POST /admin/v1/import', request)).toMatchObject({ status: 200, body: {} });
    await server.settled();
    const line = /import: failed: gs:\/\/moving-day\/nowhere\.json: there is no such object/;
    expect((await server.control('GET log')).body.lines).toEqual([line]);
  });
});
