/** Reads roles, groups, required actions and links. What the target cannot store becomes a note. */
import { formatCounted } from '../../lib/format.ts';
import { addLink, addMetadata, addNote, type UserRecord } from '../../records/user.ts';
import { isObject, objectOf, objectsIn, readJsonId } from '../../lib/json-value.ts';
import type { RoleKind } from '../../records/resource.ts';
import type { RecordParts } from '../source.ts';
import { readTexts, type User } from './fields.ts';
import type { KeycloakOptions } from './options.ts';

/** Roles that Keycloak gives to every user. They get no note. */
const defaultRoles = new Set(['offline_access', 'uma_authorization']);
const defaultRoleClient = 'account';
/** Clients that Keycloak creates in every realm. */
const builtInClients = new Set(
  'account account-console admin-cli broker realm-management security-admin-console'.split(' '),
);

/** Reports whether Keycloak itself created the client. The master realm also has a client for each realm. */
export function isBuiltInClient(clientId: string, realm: string) {
  return builtInClients.has(clientId) || (realm === 'master' && clientId.endsWith('-realm'));
}

/** Reports whether a role, given by its key, belongs to Keycloak itself. */
export function isBuiltInRole(key: string, realm: string) {
  return isDefaultRoleKey(key) || isBuiltInClient(clientIn(key), realm);
}

/**
 * Returns the client in a key such as `client:app:viewer`. Empty if id or role contain a colon, which is never so for
 * Keycloak's own roles.
 */
function clientIn(key: string) {
  const [kind, clientId = '', ...role] = key.split(':');
  return kind === 'client' && role.length === 1 ? clientId : '';
}

/**
 * Adds roles, groups, actions and consents. Keycloak writes them in hash order, so they are sorted: two exports of a
 * user give the same body.
 */
export function readMemberships(draft: UserRecord, user: User, options: KeycloakOptions) {
  readKeys(draft, 'group', readTexts(user.groups), options);
  readKeys(draft, 'role', listRoles(user), options);
  // VERIFY_EMAIL only means that the address is unverified, and that is carried.
  const actions = readTexts(user.requiredActions).filter((action) => action !== 'VERIFY_EMAIL');
  if (actions.length > 0) addNote(draft, 'required-action:not-migrated', actions.toSorted().join(', '));
  const consents = objectsIn(user.clientConsents).length;
  if (consents > 0) addNote(draft, 'consent:not-migrated', formatCounted(consents, 'client'));
}

function readKeys(
  draft: UserRecord,
  what: 'group' | 'role',
  keys: readonly string[],
  { metadata, carriesRoles }: KeycloakOptions,
) {
  const isCarried = metadata === 'all';
  if (keys.length === 0 || (!isCarried && carriesRoles)) return;
  addNote(draft, `${what}:${isCarried ? 'as-metadata' : 'not-migrated'}`, formatCounted(keys.length, what));
  if (isCarried) addMetadata(draft, `${what}s`, JSON.stringify(keys.toSorted()));
}

function isDefaultRole(role: string) {
  return role.startsWith('default-roles-') || defaultRoles.has(role);
}

function listRoles({ realmRoles, clientRoles, applicationRoles }: User) {
  const roles = readTexts(realmRoles).filter((role) => !isDefaultRole(role));
  for (const clients of [clientRoles, applicationRoles])
    for (const [client, names] of Object.entries(objectOf(clients)))
      if (client !== defaultRoleClient) for (const role of readTexts(names)) roles.push(`${client}/${role}`);
  return roles;
}

/** Returns a user's direct roles (except those that every user has), groups and aliases of identity providers. */
export function readRecordParts(value: unknown): RecordParts {
  const user: User = objectOf(value);
  const { groups, federatedIdentities } = user;
  return {
    roles: rolesOf(user).filter((key) => !isDefaultRoleKey(key)),
    groups: readTexts(groups),
    identityProviders: objectsIn(federatedIdentities).flatMap((link) => readTexts(link['identityProvider'])),
  };
}

/** Returns the keys of all roles and groups that a user has directly. */
export function readRoleKeys(value: unknown) {
  const user: User = objectOf(value);
  return [...rolesOf(user), ...readTexts(user.groups).map(groupKey)];
}

const rolesOf = ({ realmRoles, clientRoles, applicationRoles }: User) => [
  ...roleKeys(realmRoles, clientRoles),
  ...roleKeys([], applicationRoles),
];

export const groupKey = (path: string) => `group:${path}`;

export function kindOfRole(key: string, realm: string): RoleKind {
  if (key.startsWith('group:')) return 'own';
  if (isDefaultRoleKey(key)) return 'default';
  return isBuiltInRole(key, realm) ? 'built in' : 'own';
}

const ofRealm = 'realm:';

function isDefaultRoleKey(key: string) {
  return key.startsWith(ofRealm)
    ? isDefaultRole(key.slice(ofRealm.length))
    : clientIn(key) === defaultRoleClient;
}

/** Returns the keys of the roles in an object, from `["admin"]` and `{"app": ["viewer"]}`. */
export function roleKeys(realm: unknown, clients: unknown) {
  const ofClients = Object.entries(objectOf(clients)).flatMap(([clientId, roles]) =>
    readTexts(roles).map((role) => `client:${clientId}:${role}`),
  );
  return [...readTexts(realm).map((role) => `realm:${role}`), ...ofClients];
}

/** Reads `federatedIdentities`, and the `socialLinks` of the oldest exports. */
export function readLinks(draft: UserRecord, user: User, options: KeycloakOptions) {
  const links = [
    ...readObjects(draft, user.federatedIdentities, ['identityProvider', 'userId', 'userName']),
    ...readObjects(draft, user.socialLinks, ['socialProvider', 'socialUserId', 'socialUsername']),
  ];
  for (const link of links.sort(byText)) {
    const [alias = '', id, name = ''] = link.map((value) => readJsonId(value ?? ''));
    if (id === undefined)
      addNote(draft, 'idp:missing-id', `${alias}: the id must be a string or a safe integer`);
    else addLink(draft, options, alias, id, name);
  }
}

const byText = (one: readonly unknown[], other: readonly unknown[]) =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;

/** Returns the values under these names for each link. */
function readObjects(draft: UserRecord, value: unknown, names: readonly string[]) {
  if ((value ?? undefined) === undefined) return [];
  const links: readonly unknown[] = [value].flat();
  if (!links.every(isObject)) addNote(draft, 'idp:missing-id', 'a link is not an object');
  return links.filter(isObject).map((link) => names.map((name) => link[name]));
}
