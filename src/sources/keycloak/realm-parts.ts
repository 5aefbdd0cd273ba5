/** Reads what a realm contains besides its users: organizations, roles, groups, clients, identity providers. */
import { UsageError } from '../../errors.ts';
import { type JsonObject, firstText, objectOf, objectsIn } from '../../lib/json-value.ts';
import type { Input } from '../../lib/input.ts';
import type { SourceApp, SourceApps, RealmRoles, SourceRole } from '../../records/resource.ts';
import type {
  ApplicationPart,
  GroupPart,
  OrganizationPart,
  Parts,
  ProviderPart,
  RolePart,
  SourceIdp,
} from '../source.ts';
import { readApp } from './clients.ts';
import { readTexts } from './fields.ts';
import type { KeycloakOptions } from './options.ts';
import { groupKey, isBuiltInClient, isBuiltInRole, roleKeys } from './memberships.ts';
import { readIdp } from './identity-providers.ts';
import { readOrganization } from './organizations.ts';
import { realmItems } from './form.ts';

type Chosen = Pick<KeycloakOptions, 'realmName' | 'allRealms'>;

/**
 * Returns the realms' own roles and groups. `includes` also has Keycloak's built-in roles. Throws `InputError`, and
 * `UsageError` if two groups have the same path and different roles.
 */
export async function readRealmRoles(inputs: readonly Input[], options: Chosen) {
  const found: RealmRoles[] = [];
  for await (const { realm, name } of chosenRealms(inputs, options, ['roles', 'groups'])) {
    const roles = readRoles(realm['roles']);
    const groups = readGroups(realm['groups'], '');
    if (roles.length + groups.length === 0) continue;
    const ofGroups = groups.map(({ path }) => ({ key: groupKey(path), name: path, group: 'groups' }));
    const own = roles.filter(({ key }) => !isBuiltInRole(key, name));
    // Of two groups with one path, the first counts.
    const byPath = new Map(groups.toReversed().map((group) => [group.path, group]));
    const inGroups = new Map<string, string[]>();
    for (const group of groups) {
      const { path } = group;
      const included = rolesOfGroup(group, byPath);
      const other = inGroups.get(path) ?? included;
      if (included.toSorted().join('\n') !== other.toSorted().join('\n')) throw samePath(name, path);
      inGroups.set(path, included);
    }
    found.push({
      realm: name,
      roles: [...own.map(({ key, name: role, group }) => ({ key, name: role, group })), ...ofGroups],
      includes: [
        ...roles.map(({ key, includes }) => [key, includes] as const),
        ...Array.from(inGroups, ([path, included]) => [groupKey(path), included] as const),
      ],
    });
  }
  return found;
}

/** Group names may have slashes, so `b` in `a` and `a/b` have one path, and users name a group by its path alone. */
const samePath = (realm: string, path: string) =>
  new UsageError(
    `realm ${realm} has two groups with the path ${JSON.stringify(path)} and different roles; the export does not say which one a user is in`,
    'Rename one of them in the old system, and export again.',
  );

/** Returns the clients of the realms. Throws `InputError`. */
export async function readRealmApps(inputs: readonly Input[], options: Chosen): Promise<SourceApps> {
  const apps: SourceApp[] = [];
  let builtIn = 0;
  for await (const { realm, name } of chosenRealms(inputs, options, ['clients'])) {
    const clients = objectsIn(realm['clients']);
    const own = clients.filter((client) => !isBuiltInClient(firstText(client, 'clientId'), name));
    builtIn += clients.length - own.length;
    apps.push(...own.map((client) => readApp(client, name)));
  }
  return { apps, builtIn };
}

/** Returns the identity providers of the realms. Throws `InputError`. */
export async function readRealmIdps(inputs: readonly Input[], options: Chosen) {
  const idps: SourceIdp[] = [];
  for await (const { realm } of chosenRealms(inputs, options, ['identityProviders']))
    idps.push(...objectsIn(realm['identityProviders']).map(readIdp));
  return idps;
}

/** Returns the roles of a group, which include those of its parents. */
function rolesOfGroup({ path, parent, roles }: Group, groups: ReadonlyMap<string, Group>): string[] {
  const above = parent.length < path.length ? groups.get(parent) : undefined;
  return [...(above === undefined ? [] : rolesOfGroup(above, groups)), ...roles];
}

/** Returns what the realms contain, without what is built into Keycloak. Throws `InputError`. */
export async function readRealmParts(inputs: readonly Input[], options: Chosen): Promise<Parts> {
  const parts: { readonly [Kind in keyof Parts]: Parts[Kind][number][] } = {
    organizations: [],
    roles: [],
    groups: [],
    applications: [],
    identityProviders: [],
  };
  const members = ['roles', 'groups', 'clients', 'identityProviders'];
  for await (const { realm, name, organizations } of chosenRealms(inputs, options, members)) {
    parts.organizations.push(...organizations);
    const roles = readRoles(realm['roles']).filter(({ key }) => !isBuiltInRole(key, name));
    parts.roles.push(...roles.map(({ key, description, includes }) => ({ key, description, includes })));
    const groups = readGroups(realm['groups'], '');
    parts.groups.push(...groups.map(({ path, roles: own }) => ({ path, roles: own })));
    const clients = objectsIn(realm['clients']).map(readClient);
    parts.applications.push(...clients.filter((client) => !isBuiltInClient(client.name, name)));
    parts.identityProviders.push(...objectsIn(realm['identityProviders']).map(readProvider));
  }
  return parts;
}

/** Yields the realm named `realmName`, the only one with users in a list of realms, or all, with these members. Throws `InputError`. */
async function* chosenRealms(
  inputs: readonly Input[],
  { realmName, allRealms = realmName !== undefined }: Chosen,
  members: readonly string[],
) {
  for (const input of inputs) {
    const found: { realm: Record<string, unknown>; organizations: OrganizationPart[] }[] = [];
    for await (const { root, name, value } of realmItems(input, members)) {
      const { realm, organizations } = (found[root] ??= { realm: {}, organizations: [] });
      const known = realm[name];
      if (name === 'organizations') organizations.push(...objectsIn(value).map(countMembers));
      else if (Array.isArray(known) && Array.isArray(value)) known.push(...(value as unknown[]));
      else realm[name] = value;
    }
    // A realm without any requested member leaves a gap.
    const all = found.filter(Boolean);
    const holders = all.filter(({ realm }) => realm['users'] ?? realm['federatedUsers']);
    for (const one of holders.length === 1 && !allRealms ? holders : all) {
      const name = firstText(one.realm, 'realm');
      if (realmName === undefined || one.realm['realm'] === realmName) yield { ...one, name };
    }
  }
}

function countMembers(value: JsonObject): OrganizationPart {
  const { members, id: _, notMigrated: __, ...organization } = readOrganization(value);
  return { ...organization, members: members.length };
}

type RealmRole = RolePart & SourceRole;

const byKey = (one: RealmRole, other: RealmRole) => (one.key < other.key ? -1 : 1);

/** Returns the roles. Keycloak writes them in hash order, so they are sorted: two exports give the same body. */
function readRoles(value: unknown) {
  const { realm, client } = objectOf(value);
  const ofRealm = objectsIn(realm).map((role) => readRole('realm:', 'realm', role));
  const ofClients = Object.entries(objectOf(client)).flatMap(([clientId, roles]) =>
    objectsIn(roles).map((role) => readRole(`client:${clientId}:`, clientId, role)),
  );
  return [...ofRealm.sort(byKey), ...ofClients.sort(byKey)];
}

function readRole(prefix: string, group: string, role: JsonObject): RealmRole {
  const composites = objectOf(role['composites']);
  const name = firstText(role, 'name');
  return {
    key: `${prefix}${name}`,
    name,
    group,
    description: firstText(role, 'description'),
    includes: roleKeys(composites['realm'], composites['client']),
  };
}

interface Group extends GroupPart {
  /** Path of the parent group. */
  readonly parent: string;
}

/** Returns the groups with their subgroups. Keycloak writes the path, but files written by hand may leave it out. */
function readGroups(value: unknown, above: string): Group[] {
  return objectsIn(value).flatMap((group) => {
    const name = firstText(group, 'name');
    const path = firstText(group, 'path') || `${above}/${name}`;
    const roles = roleKeys(group['realmRoles'], group['clientRoles']);
    // A name may contain slashes, which appear unchanged in a path.
    const parent = above || path.slice(0, -name.length - 1);
    return [{ path, parent, roles }, ...readGroups(group['subGroups'], path)];
  });
}

function readClient(client: JsonObject): ApplicationPart {
  const confidential = client['bearerOnly'] === true ? 'bearer only' : 'confidential';
  return {
    name: firstText(client, 'clientId'),
    protocol: firstText(client, 'protocol') || 'openid-connect',
    access: client['publicClient'] === true ? 'public' : confidential,
    redirectUris: readTexts(client['redirectUris']),
    isEnabled: client['enabled'] !== false,
  };
}

function readProvider(provider: JsonObject): ProviderPart {
  return {
    alias: firstText(provider, 'alias'),
    kind: firstText(provider, 'providerId'),
    isEnabled: provider['enabled'] !== false,
  };
}
