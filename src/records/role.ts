/** Roles of a source, and the ids of what they become at the target. */
import { createHash } from 'node:crypto';

export interface SourceRole {
  /** For example `realm:admin`, `client:app:viewer`, `group:/staff`, `role:editor` or `organization:admin`. */
  readonly key: string;
  readonly name: string;
  /** What the role belongs to, as shown to administrators: `realm`, `app`, `groups`. */
  readonly group: string;
}

/** Roles of a realm, or of a source without realms. */
export interface RealmRoles {
  /** Empty if the source has no realms or does not name the realm. */
  readonly realm: string;
  readonly roles: readonly SourceRole[];
  /** Users with the first role have the others as well: composite roles, and roles of a group. */
  readonly includes: readonly (readonly [key: string, keys: readonly string[]])[];
}

/** `default`: the old provider gives the role to every user. `built in`: it only matters to the old provider itself. */
export type RoleKind = 'own' | 'built in' | 'default';

/** Longest role key that the service accepts. */
export const maxRoleKey = 200;

/** Returns the key of a role that a user has in an organization. Clerk itself writes `org:admin`. */
export const organizationRole = (name: string) => `organization:${name.replace(/^org:/, '')}`;

/** Returns the id of a project. It is numeric like other ids, and the same for the same name in every run. */
export const deriveProjectId = (orgId: string, name: string) => deriveNumericId('project', orgId, name);

/** Returns the id of a project's grant to another organization. */
export const deriveProjectGrantId = (projectId: string, orgId: string) =>
  deriveNumericId('project grant', projectId, orgId);

/** Returns 18 digits that are always the same for the same words. */
export function deriveNumericId(...words: readonly string[]) {
  const number = createHash('sha256').update(words.join('\0')).digest().readBigUInt64BE(0);
  return String(10n ** 17n + (number % (9n * 10n ** 17n)));
}
