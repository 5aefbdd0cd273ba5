/** Roles of a source, and the ids of what they become at the target. */
import { createHash } from 'node:crypto';

export interface SourceRole {
  /** `realm:admin`, `client:app:viewer`, `group:/staff`, `role:editor`, `organization:admin`. */
  readonly key: string;
  readonly name: string;
  /** What it belongs to, as an administrator reads it: `realm`, `app`, `groups`. */
  readonly group: string;
}

/** The roles of a realm, or of a source without realms. */
export interface RealmRoles {
  /** Empty where the source has none, or does not name it. */
  readonly realm: string;
  readonly roles: readonly SourceRole[];
  /** Who has the first has the others as well: composite roles, and the roles of a group. */
  readonly includes: readonly (readonly [key: string, keys: readonly string[]])[];
}

/** `default`: the old provider gives it to each user. `built in`: it is for the old provider alone. */
export type RoleKind = 'own' | 'built in' | 'default';

/** Longest key of a role that the service takes. */
export const maxRoleKey = 200;

/** Of a role that a user has in an organization. Clerk writes `org:admin` itself. */
export const organizationRole = (name: string): string => `organization:${name.replace(/^org:/, '')}`;

/** The same for the same name in every run, as numeric as others are. */
export const deriveProjectId = (orgId: string, name: string): string => deriveId('project', orgId, name);

/** Of the grant of a project to another organization. */
export const deriveProjectGrantId = (projectId: string, orgId: string): string =>
  deriveId('project grant', projectId, orgId);

/** 18 digits, the same for the same words. */
export function deriveId(...words: readonly string[]): string {
  const number = createHash('sha256').update(words.join('\0')).digest().readBigUInt64BE(0);
  return String(10n ** 17n + (number % (9n * 10n ** 17n)));
}
