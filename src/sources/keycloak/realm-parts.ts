/** Reads what a realm holds beside its users: organizations, roles, groups, clients, identity providers. */
import { filteredValues } from '../../json/filtered-values.ts';
import { scanJson, type ScanItem } from '../../json/scan.ts';
import { withHead } from '../../lib/head.ts';
import type { Input } from '../../lib/input.ts';
import { isObject, type JsonObject, firstText, objectsIn } from '../../lib/json-value.ts';
import type { SourceApp, SourceApps } from '../../records/application.ts';
import type { RealmRoles, SourceRole } from '../../records/role.ts';
import { elementsOf, parseBatch } from '../elements.ts';
import type {
  ApplicationPart,
  GroupPart,
  OrganizationPart,
  Parts,
  ProviderPart,
  RolePart,
  SourceIdp,
} from '../parts.ts';
import { readApp } from './clients.ts';
import { readTexts } from './fields.ts';
import { recogniseForm, layouts } from './form.ts';
import { groupKey, isBuiltInClient, isBuiltInRole, roleKeys } from './memberships.ts';
import { readIdp } from './identity-providers.ts';
import { readOrganization } from './organizations.ts';
import { readYamlRealms } from './yaml.ts';

const headBytes = 64 * 1024;

/** Members of a realm object that are read here; below `spec.realm` in a custom resource, in each element of a list. */
const requested = /^(?:\d+\.|spec\.realm\.)?(?:realm|roles|groups|clients|identityProviders)(?:\.|$)/;

type Realm = JsonObject;

/** All roles and groups of the realms, also those that Keycloak itself puts there. Throws `InputError`. */
export async function readRealmRoles(
  inputs: readonly Input[],
  realmName: string | undefined,
): Promise<RealmRoles[]> {
  const found: RealmRoles[] = [];
  for await (const realm of chosenRealms(inputs, realmName)) {
    const roles = readRoles(realm['roles']);
    const groups = readGroups(realm['groups'], '');
    if (roles.length + groups.length === 0) continue;
    const ofGroups = groups.map(({ path }) => ({ key: groupKey(path), name: path, group: 'groups' }));
    const name = firstText(realm, 'realm');
    const own = roles.filter(({ key }) => !isBuiltInRole(key, name));
    found.push({
      realm: name,
      roles: [...own.map(({ key, name: role, group }) => ({ key, name: role, group })), ...ofGroups],
      includes: [
        ...roles.map(({ key, includes }) => [key, includes] as const),
        ...groups.map(({ path }) => [groupKey(path), rolesOfGroup(path, groups)] as const),
      ],
    });
  }
  return found;
}

/** The realm named `realmName`, or all that the inputs hold. Throws `InputError`. */
async function* chosenRealms(inputs: readonly Input[], realmName: string | undefined): AsyncGenerator<Realm> {
  for (const input of inputs) {
    for await (const { realm } of readRealms(input)) {
      if (realmName === undefined || realm['realm'] === realmName) yield realm;
    }
  }
}

/** Throws `InputError`. */
export async function readRealmApps(
  inputs: readonly Input[],
  realmName: string | undefined,
): Promise<SourceApps> {
  const apps: SourceApp[] = [];
  let builtIn = 0;
  for await (const realm of chosenRealms(inputs, realmName)) {
    const clients = objectsIn(realm['clients']);
    const name = firstText(realm, 'realm');
    const own = clients.filter((client) => !isBuiltInClient(firstText(client, 'clientId'), name));
    builtIn += clients.length - own.length;
    apps.push(...own.map((client) => readApp(client, name)));
  }
  return { apps, builtIn };
}

/** Throws `InputError`. */
export async function readRealmIdps(
  inputs: readonly Input[],
  realmName: string | undefined,
): Promise<SourceIdp[]> {
  const idps: SourceIdp[] = [];
  for await (const realm of chosenRealms(inputs, realmName))
    idps.push(...objectsIn(realm['identityProviders']).map(readIdp));
  return idps;
}

/** A group has the roles of those above it. */
function rolesOfGroup(path: string, groups: readonly GroupPart[]): string[] {
  const above = groups.filter((group) => path === group.path || path.startsWith(`${group.path}/`));
  return above.flatMap(({ roles }) => roles);
}

/** Of the realm named `realmName`, or of all that the inputs hold; without what Keycloak itself puts there. Throws `InputError`. */
export async function readRealmParts(
  inputs: readonly Input[],
  realmName: string | undefined,
): Promise<Parts> {
  const parts = {
    organizations: [] as OrganizationPart[],
    roles: [] as RolePart[],
    groups: [] as GroupPart[],
    applications: [] as ApplicationPart[],
    identityProviders: [] as ProviderPart[],
  };
  for (const input of inputs) {
    for await (const { realm, organizations } of readRealms(input)) {
      const realmOf = firstText(realm, 'realm');
      if (realmName !== undefined && realmOf !== realmName) continue;
      parts.organizations.push(...organizations);
      const roles = readRoles(realm['roles']).filter(({ key }) => !isBuiltInRole(key, realmOf));
      parts.roles.push(...roles.map(({ key, description, includes }) => ({ key, description, includes })));
      parts.groups.push(...readGroups(realm['groups'], ''));
      parts.applications.push(
        ...objectsIn(realm['clients'])
          .map(readClient)
          .filter(({ name }) => !isBuiltInClient(name, realmOf)),
      );
      parts.identityProviders.push(...objectsIn(realm['identityProviders']).map(readProvider));
    }
  }
  return parts;
}

interface FoundRealm {
  readonly realm: Realm;
  readonly organizations: readonly OrganizationPart[];
}

async function* readRealms(input: Input): AsyncGenerator<FoundRealm> {
  const { head, blocks } = await withHead(input.blocks(), headBytes);
  const form = recogniseForm(head);
  if (form === 'yaml') {
    for await (const realm of readYamlRealms(input.name, blocks)) {
      yield { realm, organizations: objectsIn(realm['organizations']).map(countMembers) };
    }
    return;
  }
  // Lists of users hold nothing else.
  if (form === 'sequence' || form === 'users') return void (await blocks.return(undefined));
  const organizations = new Map<number, OrganizationPart[]>();
  const take = (item: ScanItem & { kind: 'batch' }, path: readonly string[], root: number): void => {
    if (path.at(-1) !== 'organizations') return;
    const found = objectsIn([...parseBatch({ input: input.name, elements: elementsOf(item), context: 0 })]);
    organizations.set(root, [...(organizations.get(root) ?? []), ...found.map(countMembers)]);
  };
  const rest = withoutElements(input.name, blocks, layouts[form], take);
  for await (const value of filteredValues(rest, requested)) {
    const realms = form === 'realms' ? objectsIn(value) : [realmIn(value)];
    for (const [root, realm] of realms.entries()) {
      yield { realm, organizations: organizations.get(root) ?? [] };
    }
  }
}

/**
 * The document with 0 in the place of every run of elements of its large lists, which `take` gets instead: what is left
 * is moderate in size, however many users there are.
 */
async function* withoutElements(
  name: string,
  blocks: AsyncIterable<Uint8Array>,
  layout: (typeof layouts)['realm'],
  take: (item: ScanItem & { kind: 'batch' }, path: readonly string[], root: number) => void,
): AsyncGenerator<Uint8Array> {
  const zero = Buffer.from('0');
  const pending: Uint8Array[] = [];
  /** Offset of the first byte in `pending`. */
  let start = 0;
  async function* record(): AsyncGenerator<Uint8Array> {
    for await (const block of blocks) {
      // The scanner's blocks may be used again.
      pending.push(Uint8Array.from(block));
      yield block;
    }
  }
  function* upTo(end: number, isKept: boolean): Generator<Uint8Array> {
    while (start < end && pending.length > 0) {
      const part = pending[0]!.subarray(0, end - start);
      const rest = pending[0]!.subarray(part.length);
      start += part.length;
      if (isKept) yield part;
      if (rest.length === 0) pending.shift();
      else pending[0] = rest;
    }
  }
  let path: readonly string[] = [];
  let root = 0;
  for await (const item of scanJson(name, record(), layout)) {
    if (item.kind === 'open') ({ path, root } = item);
    if (item.kind !== 'batch' && item.kind !== 'long') continue;
    yield* upTo(item.offset, true);
    yield zero;
    // What is dropped is not yielded, so it is walked through here.
    const length = item.kind === 'long' ? item.length : item.bytes.length;
    Array.from(upTo(item.offset + length, false));
    if (item.kind === 'batch') take(item, path, root);
  }
  yield* upTo(Number.POSITIVE_INFINITY, true);
}

function realmIn(value: unknown): Realm {
  if (!isObject(value)) return {};
  const { spec } = value;
  return isObject(spec) && isObject(spec['realm']) ? spec['realm'] : value;
}

function countMembers(value: JsonObject): OrganizationPart {
  const { members, id: _, notMigrated: __, ...organization } = readOrganization(value);
  return { ...organization, members: members.length };
}

type RealmRole = RolePart & SourceRole;

function readRoles(value: unknown): RealmRole[] {
  if (!isObject(value)) return [];
  const { realm, client } = value;
  const ofRealm = objectsIn(realm).map((role) => readRole('realm:', 'realm', role));
  const ofClients = Object.entries(isObject(client) ? client : {}).flatMap(([clientId, roles]) =>
    objectsIn(roles).map((role) => readRole(`client:${clientId}:`, clientId, role)),
  );
  return [...ofRealm, ...ofClients];
}

function readRole(prefix: string, group: string, role: JsonObject): RealmRole {
  const composites = isObject(role['composites']) ? role['composites'] : {};
  const name = firstText(role, 'name');
  return {
    key: `${prefix}${name}`,
    name,
    group,
    description: firstText(role, 'description'),
    includes: roleKeys(composites['realm'], composites['client']),
  };
}

/** Keycloak writes the path; files written by hand may leave it out. */
function readGroups(value: unknown, above: string): GroupPart[] {
  return objectsIn(value).flatMap((group) => {
    const path = firstText(group, 'path') || `${above}/${firstText(group, 'name')}`;
    const roles = roleKeys(group['realmRoles'], group['clientRoles']);
    return [{ path, roles }, ...readGroups(group['subGroups'], path)];
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
