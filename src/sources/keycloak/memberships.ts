/** Reads roles, groups, required actions and links; what has no place in the target becomes a note. */
import { formatCounted } from '../../lib/quantity.ts';
import { addLink, addMetadata, addNote, type UserDraft } from '../../records/user-draft.ts';
import { isObject, type JsonObject } from '../../lib/json-value.ts';
import { readTexts, type User } from './fields.ts';
import type { KeycloakOptions } from './options.ts';

/** Roles that Keycloak gives to total: nobody misses them. */
const everybodysRoles = new Set(['offline_access', 'uma_authorization']);
const everybodysPrefix = 'default-roles-';
const everybodysClients = new Set(['account']);

export function readMemberships(draft: UserDraft, user: User, options: KeycloakOptions): void {
  const groups = readTexts(user.groups);
  if (groups.length > 0) addNote(draft, 'group:not-migrated', formatCounted(groups.length, 'group'));
  const roles = countRoles(user);
  if (roles > 0) addNote(draft, 'role:not-migrated', formatCounted(roles, 'role'));
  if (options.metadata === 'all') {
    if (roles > 0) addMetadata(draft, 'roles', JSON.stringify(listRoles(user)));
    if (groups.length > 0) addMetadata(draft, 'groups', JSON.stringify(groups));
  }

  // VERIFY_EMAIL says no more than that the address is not verified, which is carried.
  const actions = readTexts(user.requiredActions).filter((action) => action !== 'VERIFY_EMAIL');
  if (actions.length > 0) addNote(draft, 'required-action:not-migrated', actions.join(', '));
}

function countRoles(user: User): number {
  let roles = 0;
  for (const role of readTexts(user.realmRoles)) if (!isEverybodys(role)) roles++;
  for (const clients of [user.clientRoles, user.applicationRoles]) {
    if (!isObject(clients)) continue;
    for (const client in clients) {
      if (!everybodysClients.has(client)) roles += readTexts(clients[client]).length;
    }
  }
  return roles;
}

function isEverybodys(role: string): boolean {
  return role.startsWith(everybodysPrefix) || everybodysRoles.has(role);
}

function listRoles(user: User): readonly string[] {
  const roles = [];
  for (const role of readTexts(user.realmRoles)) {
    if (!isEverybodys(role)) roles.push(role);
  }
  for (const clients of [user.clientRoles, user.applicationRoles]) {
    if (isObject(clients)) roles.push(...clientRoles(clients));
  }
  return roles;
}

/** `federatedIdentities`, and `socialLinks` of the oldest exports. */
export function readLinks(draft: UserDraft, user: User, options: KeycloakOptions): void {
  for (const link of objects(user.federatedIdentities)) {
    addLink(draft, options, text(link['identityProvider']), text(link['userId']), text(link['userName']));
  }
  for (const link of objects(user.socialLinks)) {
    addLink(
      draft,
      options,
      text(link['socialProvider']),
      text(link['socialUserId']),
      text(link['socialUsername']),
    );
  }
}

function clientRoles(clients: JsonObject): string[] {
  return Object.keys(clients)
    .filter((client) => !everybodysClients.has(client))
    .flatMap((client) => readTexts(clients[client]).map((role) => `${client}/${role}`));
}

const noObjects: readonly JsonObject[] = [];

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : noObjects;
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
