/** Reads the flags that migrate roles and clients of the source to a project. */
import { resolve } from 'node:path';
import { warning } from '../events.ts';
import { UsageError } from '../errors.ts';
import type { OrgSettings } from '../flows/orgs/choose-org.ts';
import { createRenamer, type RoleMap } from '../flows/roles/choose-roles.ts';
import type { ProjectSettings } from '../flows/roles/project-writer.ts';
import { readRoleMembers } from '../flows/orgs/read-members.ts';
import { deriveProjectId, maxRoleKey, organizationRole, type RealmRoles } from '../records/resource.ts';
import { loadProvider } from '../sources/index.ts';
import { describeSource } from '../sources/recognise.ts';
import { requireRepeatable } from '../lib/input.ts';
import { openInputs } from '../storage/open-input.ts';
import type { CommandContext } from './context.ts';
import type { AppFlags, OrgFlags, RoleFlags } from '../flags/conversion.ts';
import { readPairs, readText } from './read-text.ts';
import type { OpenedSource } from '../flows/read/read-users.ts';

/** Returns how to migrate roles. Undefined if roles are not migrated. Throws `UsageError` and `InputError`. */
export async function readRoleSettings(
  flags: RoleFlags & { readonly org: string } & Pick<OrgFlags, 'furtherMemberships'>,
  { provider: name, inputs, options }: OpenedSource,
  orgs: OrgSettings | undefined,
  context: CommandContext,
): Promise<ProjectSettings | undefined> {
  const { roleMembers: paths = [] } = flags;
  if (flags.roles === undefined) return undefined;
  const owner = flags.org.trim();
  const project = parseProject(flags.roles, owner);
  const provider = await loadProvider(name);
  if (provider.roles !== undefined) requireRepeatable(inputs, '--roles reads the roles before the users');
  const map =
    flags.roleMap === undefined ? [] : parseRoleMap(flags.roleMap, readText(flags.roleMap, context.cwd));
  const settings = { ...project, owner, map, memberKey: chooseMemberKey(flags, map) };
  const defined = (await provider.roles?.read(inputs, options)) ?? [];
  const others = (orgs?.members?.places ?? []).flatMap(({ roles }) => roles.map(organizationRole));
  if (settings.memberKey !== '') others.push(memberKey);
  if (defined.length > 0) warnOfUnused(map, defined, others, context);
  if (paths.length === 0) return { ...settings, realms: defined };
  const read = await readRoleMembers(openInputs(paths, context), context);
  // Roles that the files include in others apply in each realm.
  const { includes } = read.roles;
  const realms =
    defined.length === 0
      ? [read.roles]
      : defined.map((realm) => ({ ...realm, includes: [...realm.includes, ...includes] }));
  return { ...settings, realms, members: read.members };
}

/**
 * Returns the key of the role that stands for further memberships, which have no role of the project. Empty if they are
 * not granted.
 */
function chooseMemberKey({ furtherMemberships }: Pick<OrgFlags, 'furtherMemberships'>, map: RoleMap) {
  if (furtherMemberships !== 'grants') return '';
  const key = createRenamer(map)(memberKey);
  if (key !== '') return key;
  throw new UsageError(`--role-map leaves out ${memberKey}, which --further-memberships=grants writes`);
}

const memberKey = 'organization:member';

/** Reads `project:<id>` or `new:<name>`. */
function parseProject(text: string, owner: string) {
  const name = text.slice(text.indexOf(':') + 1).trim();
  if (text.startsWith('project:')) return { projectId: name, name: '' };
  return { projectId: deriveProjectId(owner, name), name };
}

/**
 * Reads two columns: the key of a role in the source, and its key at the target. An empty second cell leaves the role
 * out.
 */
const parseRoleMap = (name: string, text: string) => [
  ...readPairs(name, text, {
    expected: 'the key of a role, and its key at the target',
    example: `realm:admin,administrator. Without the second key, the role is left out. A key has at most ${maxRoleKey} characters.`,
    what: 'role',
    values: 'keys',
    fits: ({ length, 1: target = '' }) => length <= 2 && target.length <= maxRoleKey,
  }),
];

/** Warns of keys that match no role: a mistyped key would keep a role that should be left out. */
function warnOfUnused(
  map: RoleMap,
  realms: readonly RealmRoles[],
  others: readonly string[],
  { emit }: CommandContext,
) {
  const keys = [...realms.flatMap(({ roles }) => roles.map(({ key }) => key)), ...others];
  const isUsed = ([source]: RoleMap[number]) => {
    const rename = createRenamer([[source, '']]);
    return keys.some((key) => rename(key) === '');
  };
  const unused = map.filter((row) => !isUsed(row)).map(([source]) => source);
  if (unused.length === 0) return;
  const text = `--role-map names roles that the export does not define: ${unused.join(', ')}.`;
  emit(warning('role:unknown', text));
}

/** Returns the clients to migrate. Undefined if clients are not migrated. Throws `UsageError` and `InputError`. */
export async function readApps(
  { apps: flag, org }: AppFlags & { readonly org: string },
  { provider: name, inputs, options }: OpenedSource,
) {
  if (flag === undefined) return undefined;
  const owner = org.trim();
  const project = parseProject(flag, owner);
  const provider = await loadProvider(name);
  if (provider.apps === undefined) {
    throw new UsageError(`${describeSource(name)} holds no clients that --apps could migrate`);
  }
  requireRepeatable(inputs, '--apps reads the clients before the users');
  return { ...project, owner, ...(await provider.apps(inputs, options)) };
}

/** Returns the path of `--app-secrets`. Throws `UsageError` if the run uses that file for something else. */
export function nameAppSecrets(
  { appSecrets }: { readonly appSecrets?: string | undefined },
  { cwd, outputs }: CommandContext,
) {
  outputs.claim('the file of --app-secrets', appSecrets);
  return appSecrets && resolve(cwd, appSecrets);
}
