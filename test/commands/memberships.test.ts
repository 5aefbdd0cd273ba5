/** Members of organizations and their roles, as each vendor lists them: to a service and back. */
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { proveTexts } from '../support/cases.ts';
import { noticesOf, succeeded } from '../support/workspace.ts';
import {
  grantsIn,
  keysIn,
  notesOf,
  routeNames,
  startMigration,
  type Migration,
} from '../support/migration.ts';
import { readProject } from '../support/folder.ts';
import { samplePath } from '../support/samples.ts';

let migration: Migration;
beforeEach(async () => {
  migration = await startMigration();
});
const put = (name: string, content: unknown) => migration.put(name, content);

const vendors: any[] = parse(readProject('fixtures/memberships.yaml'));

const convert = (source: string, flags: string) =>
  migration.run(`migrate ${source} --org=${migration.org} --target-profile=all-verifiers ${flags}`);

const byOrganization = '--org-by=organization --create-orgs';

describe.each(vendors)('members of $vendor', ({ source, copied = {}, files = {}, grants, says }) => {
  beforeEach(() => {
    for (const [name, path] of Object.entries<string>(copied)) put(name, readProject(`fixtures/${path}`));
    for (const [name, content] of Object.entries(files)) put(name, content);
  });

  it.each(routeNames)('arrive with roles %s, compare as equal, and are undone', async (route) => {
    const ran = await succeeded(
      convert(source, `${byOrganization} --roles=new:Shop --further-memberships=grants`),
    );
    expect(grantsIn(migration.orgsIn())).toEqual(grants);
    expect(notesOf(ran)).not.toHaveProperty('org:role-not-migrated');
    expect(notesOf(ran)).not.toHaveProperty('org:further');
    proveTexts(noticesOf(ran), says);
    const { there } = await migration.roundTrip(route);
    expect(grantsIn(there)).toEqual(grants);
    const keys = grants.flatMap((line: string) => line.match(/\S+:\S+/g) ?? []);
    expect(keysIn(there)).toEqual([...new Set<string>(keys)].toSorted());
  });

  it('are counted if roles or organizations are not migrated', async () => {
    const reported = await convert(source, `${byOrganization} --roles=new:Shop`);
    const homes = grants.filter(
      (line: string) => !line.endsWith('organization:member') || line.startsWith('Acme'),
    );
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
