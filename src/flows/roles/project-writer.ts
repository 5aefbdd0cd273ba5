/** Writes the project of the roles into a body, once it is known which roles and organizations it needs. */
import { UsageError } from '../../errors.ts';
import { note } from '../../events.ts';
import { formatCounted, formatNames } from '../../lib/format.ts';
import { lowerCase } from '../../lib/strings.ts';
import { cut, onOneLine } from '../../records/text.ts';
import { deriveProjectGrantId, maxRoleKey, type TargetOrg } from '../../records/resource.ts';
import { entryWriter, type ImportBodyWriter } from '../../targets/import-body.ts';
import { createRenamer, isTooLong, type RoleSettings } from './choose-roles.ts';

export interface ProjectSettings extends RoleSettings {
  /** Name of a new project. Empty for an existing one. */
  readonly name: string;
}

export type ProjectWriter = ReturnType<typeof createProjectWriter>;

interface Role {
  readonly displayName: string;
  readonly group: string;
}

export function createProjectWriter(settings: ProjectSettings) {
  const { projectId, owner, name, memberKey } = settings;
  const roles = defineRoles(settings);
  const refuseTwins = createTwinCheck();
  for (const key of roles.keys()) refuseTwins(key);
  const granted = new Set<string>();
  let grants = 0;
  return {
    /** Adds the roles of a user. */
    add(roleKeys: readonly string[], org: TargetOrg | undefined) {
      grants += 1;
      for (const key of roleKeys) {
        const displayName = key === memberKey ? 'Member of an organization' : onOneLine(key);
        if (roles.has(key)) continue;
        refuseTwins(key);
        roles.set(key, { displayName, group: '' });
      }
      if (org !== undefined && org.orgId !== owner) granted.add(org.orgId);
    },
    /** To be called before the body is closed. */
    async write(writer: ImportBodyWriter) {
      const write = entryWriter(writer, owner);
      if (name !== '') await write('projects', { projectId, project: { name, projectRoleAssertion: true } });
      const roleKeys = Array.from(roles.keys(), onOneLine);
      for (const [key, role] of roles) {
        await write('projectRoles', { projectId, roleKey: onOneLine(key), ...role });
      }
      for (const grantedOrgId of granted) {
        const projectGrant = { projectId, grantedOrgId, roleKeys };
        await write('projectGrants', {
          grantId: deriveProjectGrantId(projectId, grantedOrgId),
          projectGrant,
        });
      }
    },
    notice() {
      const project = name === '' ? `project ${projectId}` : `the project ${JSON.stringify(name)}`;
      const others =
        granted.size === 0 ? '' : `, which is granted to ${formatCounted(granted.size, 'organization')}`;
      const keys =
        roles.size === 0
          ? 'No user of the export has a role.'
          : `The keys are ${formatNames([...roles.keys()], 3)}: --role-map renames them.`;
      const text = `The body has ${formatCounted(roles.size, 'role')} of ${project}${others}, and ${formatCounted(grants, 'user grant')}. ${keys}`;
      return note('role:written', text);
    },
  };
}

/**
 * Returns a function that throws `UsageError` for keys that differ only in case or control characters. The service would keep
 * only the first of them.
 */
function createTwinCheck(): (key: string) => void {
  const seen = new Map<string, string>();
  return (key) => {
    const stored = lowerCase(onOneLine(key));
    const twin = seen.get(stored);
    if (twin === undefined) return void seen.set(stored, key);
    const both = `${JSON.stringify(twin)} and ${JSON.stringify(key)}`;
    const isCase = lowerCase(twin) === lowerCase(key);
    throw new UsageError(
      `the roles ${both} differ in ${isCase ? 'upper and lower case' : 'control characters'} only, and the service takes one of them`,
      'Give one of them another key with --role-map, or both the same.',
    );
  };
}

/** Returns all roles that the source defines, by key as the map has it. If roles become one, the first gives the name. */
function defineRoles({ realms, map, members }: RoleSettings) {
  const rename = createRenamer(map);
  const found = new Map<string, Role>();
  const define = (source: string, role: Role) => {
    const key = rename(source);
    if (onOneLine(key) === '' || isTooLong(key) || found.has(key)) return;
    const displayName = cut(onOneLine(key === source ? role.displayName : key), maxRoleKey);
    found.set(key, { displayName, group: cut(onOneLine(role.group), maxRoleKey) });
  };
  for (const { roles } of realms) {
    for (const { key, name, group } of roles) define(key, { displayName: name || key, group });
  }
  for (const key of members?.keys ?? []) define(key, { displayName: key, group: '' });
  return found;
}
