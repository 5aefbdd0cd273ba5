/** Reads the organizations of realms, in the form of Keycloak 26 and in that of the Phase Two extension. */
import type { Input } from '../../lib/input.ts';
import { isObject, type JsonObject, firstText, objectsIn } from '../../lib/json-value.ts';
import { formatCounted } from '../../lib/format.ts';
import { warning } from '../../notice.ts';
import type { OrgWithMembers } from '../source.ts';
import { readTexts } from './fields.ts';
import type { KeycloakOptions } from './options.ts';
import { realmItems, records } from './form.ts';

/**
 * Yields the organizations of realms with users. This needs its own reading, because an export has them after the users.
 * Throws `InputError`.
 */
export async function* readOrganizations(
  inputs: readonly Input[],
  { realmName }: Pick<KeycloakOptions, 'realmName'>,
): AsyncGenerator<OrgWithMembers> {
  for (const input of inputs) {
    const holders = new Set<number>();
    /** Organizations before the users of their realm, or without any. */
    const early: { readonly root: number; readonly values: JsonObject[] }[] = [];
    for await (const { root, realm, name, value } of realmItems(input, [])) {
      if (realmName !== undefined && realm !== realmName) continue;
      if (records.includes(name) && value !== undefined) holders.add(root);
      if (name !== 'organizations') continue;
      if (holders.has(root)) yield* objectsIn(value).map(withMembers);
      else early.push({ root, values: objectsIn(value) });
    }
    const chosen = early.filter(({ root }) => holders.size === 0 || holders.has(root));
    for (const { values } of chosen) yield* values.map(withMembers);
  }
}

function withMembers(value: JsonObject): OrgWithMembers {
  const { key, id, name, domains, ...rest } = readOrganization(value);
  const keys = [...new Set([key, name, id])].filter(Boolean);
  return { keys, name, domains: domains.map((domain) => domain.name), ...rest };
}

/** Reads an organization. Phase Two writes it next to its members, and has its domains as texts. */
export function readOrganization(value: JsonObject) {
  const { organization, members } = value;
  const own = isObject(organization) ? organization : value;
  const name = firstText(own, 'name');
  const groups = groupsIn(value['groups']);
  const paths = new Map(groups.map((group) => [firstText(group, 'id'), firstText(group, 'path', 'name')]));
  const parts = {
    description: firstText(own, 'description') !== '',
    'redirect URL': firstText(own, 'redirectUrl') !== '',
    attributes: hasEntries(own['attributes']),
    'identity providers': hasEntries(own['identityProviders']),
    'managed memberships': objectsIn(members).some((member) => member['membershipType'] === 'MANAGED'),
    'attributes of groups': groups.some((group) => hasEntries(group['attributes'])),
    'roles of groups': groups.some(
      (group) => hasEntries(group['realmRoles']) || hasEntries(group['clientRoles']),
    ),
  };
  return {
    /** The alias, or else the name. */
    key: firstText(own, 'alias') || name,
    id: firstText(own, 'id'),
    name,
    domains: [own['domains']].flat().flatMap(readDomain),
    isEnabled: own['enabled'] !== false,
    /**
     * Members by username. Only the extension has roles in organizations. Groups in organizations (`group:/staff`)
     * exist since 26.6.
     */
    members: objectsIn(members).flatMap((member) =>
      readTexts(member['username']).map((user) => ({
        name: user,
        roles: [
          ...readTexts(member['roles']),
          ...readTexts(member['groups']).map((id) => `group:${paths.get(id) ?? id}`),
        ].toSorted(),
      })),
    ),
    /** What the service cannot store. */
    notMigrated: Object.entries(parts).flatMap(([what, isThere]) => (isThere ? [what] : [])),
  };
}

function groupsIn(value: unknown): JsonObject[] {
  return objectsIn(value).flatMap((group) => [group, ...groupsIn(group['subGroups'])]);
}

const hasEntries = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

function readDomain(value: unknown) {
  if (typeof value === 'string') return [{ name: value, isVerified: false }];
  if (!isObject(value) || typeof value['name'] !== 'string') return [];
  return [{ name: value['name'], isVerified: value['verified'] === true }];
}

/** Counts what a conversion into one organization leaves out. */
export function countOrganizations() {
  let organizations = 0;
  let memberships = 0;
  return {
    add(values: Iterable<unknown>) {
      for (const value of values) {
        if (!isObject(value)) continue;
        organizations++;
        memberships += readOrganization(value).members.length;
      }
    },
    /** Empty if there are no organizations. */
    notices() {
      if (organizations === 0) return [];
      const text = `the realm has ${formatCounted(organizations, 'organization')} with ${formatCounted(memberships, 'membership')}, which are not migrated; --org-by=organization migrates them, and \`idport inspect\` lists them.`;
      return [warning('input:organizations', text)];
    },
  };
}
