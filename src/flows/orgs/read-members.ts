/** Reads members: of organizations from a realm and the files of `--memberships`, of roles from the files of `--role-members`. */
import { createHash } from 'node:crypto';
import { createMembershipList } from '../../compact/membership-table.ts';
import { type InputCode, InputError } from '../../errors.ts';
import { shownNotice, type RunContext, warning } from '../../events.ts';
import type { Input } from '../../lib/input.ts';
import { isObject, type JsonObject, readJsonId } from '../../lib/json-value.ts';
import { formatCounted, formatNames } from '../../lib/format.ts';
import type { SourceOrg } from '../../records/resource.ts';
import { loadProvider } from '../../sources/index.ts';
import { memberId, memberName, type OrgMembership } from './choose-org.ts';
import { BrokenRecord } from '../../sources/raw-record.ts';
import { parseBatch } from '../../sources/elements.ts';
import type { OpenedSource } from '../read/read-users.ts';
import { openRows } from '../../sources/table/forms/open.ts';
import { indexIn } from '../../lib/group-by.ts';

/** `memberships` are the files of `--memberships`. Throws `InputError`. */
export async function readMembers(
  { provider: name, inputs, options }: OpenedSource,
  memberships: readonly Input[],
  context: RunContext,
) {
  const draft = createDraft();
  const provider = await loadProvider(name);
  const disabled: string[] = [];
  const losses = new Map<string, string[]>();
  for await (const found of provider.organizations?.(inputs, options) ?? []) {
    context.signal.throwIfAborted();
    const { members, isEnabled, notMigrated, ...org } = found;
    draft.orgOf(org);
    for (const { name, roles } of members) draft.add(memberName(name), { org, roles });
    if (!isEnabled) disabled.push(org.name);
    for (const what of notMigrated) losses.set(what, [...(losses.get(what) ?? []), org.name]);
  }
  if (disabled.length > 0) {
    const text = `Disabled at the source, and active at the service: ${formatNames(disabled, shown)}. Deactivate them after the import.`;
    context.emit(warning('org:disabled', text));
  }
  if (losses.size > 0) {
    const all = [...losses].map(([what, names]) => `${what} (${formatNames(names, shown)})`);
    const text = `Not migrated from organizations: ${all.join('; ')}.`;
    context.emit(warning('org:not-migrated', text));
  }
  for (const input of memberships) await readFile(input, draft, context);
  return draft.finish();
}

const shown = 100;

type MembersDraft = ReturnType<typeof createDraft>;

function createDraft() {
  const list = createMembershipList();
  const orgs = new Map<string, SourceOrg>();
  const places: OrgMembership[] = [];
  /** Indexes in `places` by organization and roles. */
  const indexes = new Map<string, number>();
  const hash = createHash('sha256');
  /** Returns the first organization with the key. */
  const orgOf = (org: SourceOrg) => {
    const [key = ''] = org.keys;
    const known = orgs.get(key);
    if (known === undefined) orgs.set(key, org);
    return known ?? org;
  };
  return {
    orgOf,
    add(member: string, { org: { keys }, org, roles }: OrgMembership) {
      const key = JSON.stringify([keys[0], ...roles]);
      const index = indexIn(indexes, key);
      if (index === places.length) places.push({ org: orgOf(org), roles });
      hash.update(`${JSON.stringify([member, key])}\n`);
      list.add(member, index);
    },
    finish: () => ({
      memory: list.toMemory(),
      orgs: [...orgs.values()],
      places,
      digest: hash.digest('hex'),
    }),
  };
}

/** Reads a file of JSON, JSON lines or CSV with one membership a record. */
async function readFile(input: Input, draft: MembersDraft, context: RunContext) {
  let inactive = 0;
  for await (const found of readEach(input, readMembership, noMembership, context)) {
    if (found.isActive) draft.add(memberId(found.userId), found.place);
    else inactive++;
  }
  if (inactive === 0) return;
  const text = `${formatCounted(inactive, 'membership')} of ${input.name} left out: not active, or an invitation.`;
  context.emit(warning('org:inactive-membership', text));
}

/** What is wrong with a record that cannot be read, and what it needs. */
interface Unreadable {
  readonly code: InputCode;
  readonly problem: string;
  readonly hint: string;
}

const noMembership: Unreadable = {
  code: 'input:membership',
  problem: 'is not a membership',
  hint: 'Each needs the id of a user (user_id) and of an organization (organization_id, org_id, or organization with an id).',
};

const noRole: Unreadable = {
  code: 'input:role-member',
  problem: 'names no role of a user',
  hint: 'Each needs the id of a user (user_id) and roles or permissions (role, roles, permissions, permission_name); or the name of a role and its permissions.',
};

/** Yields what each record of a file says. Throws `InputError` for one that cannot be read. */
async function* readEach<Found>(
  input: Input,
  read: (row: unknown) => Found | undefined,
  { code, problem, hint }: Unreadable,
  context: RunContext,
) {
  let number = 0;
  for await (const row of readRows(input, context)) {
    number++;
    const found = read(row);
    if (found === undefined) throw new InputError(code, input.name, `record ${number} ${problem}`, hint);
    yield found;
  }
}

/** Statuses in WorkOS and Stytch of members who are not, or not yet, in the organization. */
const inactiveStatuses = new Set(['inactive', 'pending', 'invited']);

/** Reads a membership as Auth0, Clerk, WorkOS or Logto list it. Undefined if one of the two ids is missing. */
function readMembership(row: unknown) {
  if (!isObject(row)) return undefined;
  const organization = objectIn(row, 'organization', 'org');
  const userId = readMemberId(row);
  const id =
    textIn(row, 'organization_id', 'organizationId', 'org_id', 'orgId', 'tenant_id', 'tenantId') ||
    textIn(organization, 'id') ||
    textIn(row, 'organization', 'org');
  const slug = textIn(organization, 'slug');
  const name =
    textIn(organization, 'display_name', 'name') ||
    textIn(row, 'organization_name', 'organizationName', 'org_name', 'orgName') ||
    slug ||
    id;
  if (userId === '' || id === '') return undefined;
  const org = { keys: [id, slug, name].filter((key) => key !== ''), name, domains: [] };
  // `org:admin` of Clerk, `{ slug: 'admin' }` of WorkOS, `[{ id, name: 'admin' }]` of Auth0 and Logto.
  const roles = roleFields.map((names) => row[names.find((name) => Boolean(row[name])) ?? '']);
  return {
    userId,
    place: { org, roles: [...new Set(roles.flatMap(namesIn))].toSorted() },
    isActive: !inactiveStatuses.has(textIn(row, 'status')),
  };
}

const roleFields = [
  ['role', 'role_name', 'roleName', 'organization_role_name', 'organization_role_id', 'user_role'],
  ['roles', 'organizationRoles', 'organization_roles', 'roleNames'],
];

/** Returns the names in a name, an object with a name, or a list of either. */
function namesIn(value: unknown) {
  return [value]
    .flat()
    .map((one) =>
      isObject(one) ? textIn(one, 'name', 'key', 'slug', 'role_id', 'id') : (readJsonId(one) ?? ''),
    )
    .filter((name) => name !== '');
}

/** Returns the id of the user whom a record is about. Empty if there is none. */
function readMemberId(row: JsonObject) {
  const user = objectIn(row, 'public_user_data', 'user');
  return textIn(row, 'user_id', 'userId') || textIn(user, 'user_id', 'userId', 'id');
}

function objectIn(row: JsonObject, ...names: readonly string[]) {
  return names.map((name) => row[name]).find(isObject) ?? {};
}

/** Returns the first of the fields that has a text or a number. */
function textIn(row: JsonObject, ...names: readonly string[]) {
  return names.map((name) => readJsonId(row[name])).find(Boolean) ?? '';
}

/** Yields undefined for a broken record. Throws `InputError` for a file that cannot be read. */
async function* readRows(input: Input, { emit, signal }: RunContext): AsyncGenerator {
  const rows = await openRows({
    input,
    source: {},
    named: new Set(),
    table: undefined,
    notify: (notice) => emit(shownNotice(notice)),
  });
  try {
    for await (const elements of rows.batches) {
      signal.throwIfAborted();
      for (const row of parseBatch({ input: input.name, elements })) {
        yield row instanceof BrokenRecord ? undefined : row;
      }
    }
  } finally {
    await rows.close();
  }
}

/** Also returns the roles that include permissions. Throws `InputError`. */
export async function readRoleMembers(inputs: readonly Input[], context: RunContext) {
  const list = createMembershipList();
  const indexes = new Map<string, number>();
  const includes = new Map<string, readonly string[]>();
  for (const input of inputs) {
    for await (const found of readEach(input, readRoleRow, noRole, context)) {
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
