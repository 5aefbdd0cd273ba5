/** Members of organizations and their roles, as each vendor lists them: to a service and back. */
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { noticesOf, succeeded } from '../support/desk.ts';
import {
  grantsIn,
  keysIn,
  notesOf,
  routeNames,
  startMigration,
  type Migration,
} from '../support/migration.ts';
import { fixture as file } from '../support/folder.ts';
import { samplePath } from '../support/samples.ts';

let migration: Migration;
beforeEach(async () => {
  migration = await startMigration();
});

interface Vendor {
  readonly source: string;
  /** Grants of the body with `--further-memberships grants`. */
  readonly grants: readonly string[];
  readonly left?: string;
}

const clerk: Vendor = {
  source: `clerk --users=${file('clerk/users.csv')} --memberships=${file('clerk/memberships.json')}`,
  grants: [
    'Acme ada organization:admin',
    'Globex ada organization:member',
    'Globex ben@example.org organization:billing_manager',
  ],
};
const vendors: Readonly<Record<string, Vendor>> = {
  Clerk: clerk,
  WorkOS: {
    source: `workos --users=${file('workos/users.json')} --memberships=${file('workos/memberships.json')}`,
    grants: [
      'Acme ada@example.org organization:admin',
      'Globex ada@example.org organization:member',
      'Globex ben@example.org organization:billing_manager',
    ],
    left: '1 membership of',
  },
  Logto: {
    source: `logto --users=logto.jsonl --memberships=${file('logto/members.jsonl')}`,
    grants: [
      'Acme ada organization:admin',
      'Globex ada organization:member',
      'Globex ben organization:billing_manager organization:viewer',
    ],
  },
  Auth0: {
    source: 'auth0 --users=users.json --memberships=members.json',
    grants: [
      'Acme ada@example.org organization:admin role:reader',
      'Globex ada@example.org organization:member',
      'Globex ben@example.org organization:editor',
    ],
  },
  Frontegg: {
    source: 'frontegg --users=frontegg.json',
    grants: [
      't1 ada@example.org organization:Admin organization:ReadOnly',
      't2 ada@example.org organization:member',
    ],
  },
  Descope: {
    source: 'descope --users=descope.json',
    grants: ['t1 ada organization:Editor', 't2 ada organization:Viewer'],
  },
  PropelAuth: {
    source: 'propelauth --users=propelauth.json',
    grants: ['o1 ada organization:Owner', 'o2 ada organization:Member'],
  },
};

function putSources() {
  // Recovery codes are for the bulk import alone.
  const logto = readFileSync(file('logto/users.jsonl'), 'utf8').replace(/,\{"type":"BackupCode".*?\]\}/, '');
  migration.put('logto.jsonl', logto);
  const user = (id: number, name: string, more: object) => ({
    user_id: `auth0|${id}`,
    email: `${name}@example.org`,
    email_verified: true,
    ...more,
  });
  migration.put('users.json', [user(1, 'ada', { app_metadata: { roles: ['reader'] } }), user(2, 'ben', {})]);
  const member = (id: number, org: string, name: string, roles: string[]) => ({
    user_id: `auth0|${id}`,
    org_id: org,
    org_name: name,
    roles: roles.map((role) => ({ id: `rol_${role}`, name: role })),
  });
  migration.put('members.json', [
    member(1, 'org_a', 'Acme', ['admin']),
    member(1, 'org_b', 'Globex', []),
    member(2, 'org_b', 'Globex', ['editor']),
  ]);
  const ada = { email: 'ada@example.org', verified: true, mfaEnrolled: false, tenantIds: ['t1', 't2'] };
  const roles = [{ key: 'Admin' }, { key: 'ReadOnly' }];
  migration.put('frontegg.json', [
    { id: '1', ...ada, tenants: [{ tenantId: 't1', roles }, { tenantId: 't2' }] },
  ]);
  migration.put('descope.json', {
    users: [
      {
        userId: 'U1',
        loginIds: ['ada'],
        email: 'ada@example.org',
        verifiedEmail: true,
        userTenants: [
          { tenantId: 't1', tenantName: 'One', roleNames: ['Editor'] },
          { tenantId: 't2', tenantName: 'Two', roleNames: ['Viewer'] },
        ],
      },
    ],
  });
  const propel = { user_id: 'p1', username: 'ada', email: 'ada@example.org', email_confirmed: true };
  migration.put('propelauth.json', {
    users: [
      {
        ...propel,
        has_password: true,
        can_create_orgs: false,
        org_id_to_org_info: { o1: { org_name: 'One', user_role: 'Owner' }, o2: { user_role: 'Member' } },
      },
    ],
  });
}

const convert = (source: string, flags: string) =>
  migration.run(`migrate ${source} --org=${migration.org} --target-profile=all-verifiers ${flags}`);

const byOrganization = '--org-by=organization --create-orgs';

describe.each(Object.entries(vendors))('members of %s', (_, { source, grants, left = '' }) => {
  beforeEach(putSources);

  it.each(routeNames)('arrive with roles %s, compare as equal, and are undone', async (route) => {
    const ran = await succeeded(
      convert(source, `${byOrganization} --roles=new:Shop --further-memberships=grants`),
    );
    expect(grantsIn(migration.orgsIn())).toEqual(grants);
    expect(notesOf(ran)).not.toHaveProperty('org:role-not-migrated');
    expect(notesOf(ran)).not.toHaveProperty('org:further');
    expect(noticesOf(ran)).toContain(left);
    const { there } = await migration.roundTrip(route);
    expect(grantsIn(there)).toEqual(grants);
    const keys = grants.flatMap((line) => line.match(/\S+:\S+/g) ?? []);
    expect(keysIn(there)).toEqual([...new Set(keys)].toSorted());
  });

  it('are counted if roles or organizations are not migrated', async () => {
    const reported = await convert(source, `${byOrganization} --roles=new:Shop`);
    const homes = grants.filter((line) => !line.endsWith('organization:member') || line.startsWith('Acme'));
    expect(notesOf(reported)).toMatchObject({ 'org:further': 1 });
    expect(grantsIn(migration.orgsIn()).every((line) => homes.includes(line))).toBe(true);
    const plain = await convert(source, byOrganization);
    expect(notesOf(plain)['org:role-not-migrated']).toBe(grants.length === 3 ? 2 : 1);
  });
});

const sample = samplePath('workos/list-organization-memberships.json');
it.skipIf(sample === undefined)(
  'the list of WorkOS, which names no role, is accepted (needs the samples)',
  async () => {
    const users = samplePath('workos/list-users.json')!;
    const ran = await succeeded(convert(`workos --users=${users} --memberships=${sample}`, byOrganization));
    expect(notesOf(ran)).not.toHaveProperty('org:role-not-migrated');
  },
);
