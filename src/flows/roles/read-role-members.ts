/** Reads the files of `--role-members`: which user has which role or permission, and what a role includes. */
import { createMembershipList } from '../../compact/membership-table.ts';
import { InputError } from '../../errors.ts';
import type { RunContext } from '../../events.ts';
import { indexIn } from '../../lib/group-by.ts';
import type { Input } from '../../lib/input.ts';
import { isObject } from '../../lib/json-value.ts';
import { memberId } from '../orgs/choose-org.ts';
import { namesIn, readMemberId, textIn, readRows } from '../orgs/read-members.ts';

/** Also returns the roles that include permissions. Throws `InputError`. */
export async function readRoleMembers(inputs: readonly Input[], context: RunContext) {
  const list = createMembershipList();
  const indexes = new Map<string, number>();
  const includes = new Map<string, readonly string[]>();
  for (const input of inputs) {
    let place = 0;
    for await (const row of readRows(input, context)) {
      place++;
      const found = readRoleRow(row);
      if (found === undefined) {
        throw new InputError(
          'input:role-member',
          input.name,
          `record ${place} names no role of a user`,
          'Each needs the id of a user (user_id) and roles or permissions (role, roles, permissions, permission_name); or the name of a role and its permissions.',
        );
      }
      for (const key of found.keys) indexIn(indexes, key);
      if (found.userId === '') {
        const [role = '', ...permissions] = found.keys;
        includes.set(role, permissions);
        continue;
      }
      for (const key of found.keys) list.add(memberId(found.userId), indexIn(indexes, key));
    }
  }
  const members = { memory: list.toMemory(), keys: [...indexes.keys()] };
  return { members, roles: { realm: '', roles: [], includes: [...includes] } };
}

/** Reads a row as Auth0's Management API and others list them. Undefined for anything else. */
function readRoleRow(row: unknown) {
  if (!isObject(row)) return undefined;
  const userId = readMemberId(row);
  const roles = [row['role'] ?? row['role_name'] ?? row['roleName'], row['roles']].flatMap(namesIn);
  const permissions = [
    ...(row['permission_name'] === undefined ? [] : [row]),
    ...[row['permissions'] ?? []].flat(),
  ];
  const keys = [
    ...roles.map((name) => `role:${name}`),
    ...permissions.map(permissionKey).filter((key) => key !== undefined),
  ];
  if (userId !== '') return keys.length === 0 ? undefined : { userId, keys };
  // A row that defines a role has that role as its first key, then what it includes.
  const own = roles[0] ?? textIn(row, 'name');
  if (own === '' || !Array.isArray(row['permissions'])) return undefined;
  return { userId, keys: [`role:${own}`, ...keys.filter((key) => key !== `role:${own}`)] };
}

/** Returns `permission:https://api.example.com:read:orders`, or a key without the API if the list does not name it. */
function permissionKey(value: unknown) {
  if (typeof value === 'string') return value === '' ? undefined : `permission:${value}`;
  if (!isObject(value)) return undefined;
  const name = textIn(value, 'permission_name', 'permissionName', 'name', 'value');
  const api = textIn(value, 'resource_server_identifier', 'resourceServerIdentifier');
  if (name === '') return undefined;
  return api === '' ? `permission:${name}` : `permission:${api}:${name}`;
}
