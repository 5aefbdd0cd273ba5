/**
 * What users need at the target besides themselves: organizations, projects with their roles and applications, identity
 * providers. What the source says of them, and the ids that they get.
 */
import { createHash } from 'node:crypto';

export type ResourceKind = 'org' | 'project' | 'role' | 'grant' | 'app' | 'idp';

export interface Resource {
  readonly kind: ResourceKind;
  /** Organization that contains the resource, or that is the resource. */
  readonly org: string;
  /** Project that a role, a project grant or an application belongs to. Empty for others. */
  readonly parent: string;
  /** Empty if it has no id of its own. */
  readonly id: string;
  /** Name, key of a role, or organization that a project is granted to. */
  readonly name: string;
  /** Decides which call creates an application or an identity provider, such as `oidc`. */
  readonly type: string;
  /** Settings of the call that creates it. */
  readonly settings: Readonly<Record<string, unknown>>;
}

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

/** The rule of `--org-by`. */
export type OrgRule =
  | { readonly by: 'realm' }
  /** Membership in an organization of the source. */
  | { readonly by: 'organization' }
  /** Membership in a group whose path begins like this. `*` is the key. */
  | { readonly by: 'group'; readonly path: readonly string[] }
  /** Domain of the email address. */
  | { readonly by: 'domain' }
  /** An attribute, or a column of a table. */
  | { readonly by: 'attribute'; readonly name: string };

export interface TargetOrg {
  readonly orgId: string;
  /** Name at the source, under which the service creates a missing organization. Empty if the organization must exist. */
  readonly name: string;
  readonly domains: readonly string[];
  /** Whether it is inactive at the source. */
  readonly isInactive?: boolean | undefined;
}

/** Returns an existing organization, of which only the id has to be known. */
export const orgById = (orgId: string): TargetOrg => ({ orgId, name: '', domains: [] });

export interface SourceOrg {
  /** Keys by which a map or a record may name it. Messages use the first. */
  readonly keys: readonly string[];
  readonly name: string;
  readonly domains: readonly string[];
}

/**
 * Returns the id of an organization to be created. It is numeric like other ids, and the same for the same name in
 * every run. Case is ignored, as in the service's comparison of names.
 */
export const deriveOrgId = (name: string) => deriveNumericId('organization', name.trim().toLowerCase());

/** A client of the source. */
export interface SourceApp {
  /** Empty if the source has no realms. */
  readonly realm: string;
  /** Client id at the source. */
  readonly clientId: string;
  /** What its application is, with settings named as in the import body. Undefined if the client does not become one. */
  readonly app: Pick<Resource, 'type' | 'settings'> | undefined;
  /** Texts for the report: what does not move, or why nothing does. */
  readonly lost: readonly string[];
}

export interface SourceApps {
  readonly apps: readonly SourceApp[];
  /** Number of clients that are built into the source. They are left out. */
  readonly builtIn: number;
}

/** Longest name that the service accepts. */
export const maxAppName = 200;

/** Returns the id of an application. It is the same for the same client in every run. */
export const deriveAppId = (projectId: string, name: string) =>
  deriveNumericId('application', projectId, name);

/**
 * Reports whether the service generates a secret for the application. An absent method counts as basic, because exports
 * leave out defaults.
 */
export const hasSecret = ({ authMethodType }: { readonly authMethodType?: unknown }) =>
  authMethodType === undefined || secretMethods.includes(authMethodType);

const secretMethods: readonly unknown[] = [
  'OIDC_AUTH_METHOD_TYPE_BASIC',
  'OIDC_AUTH_METHOD_TYPE_POST',
  'API_AUTH_METHOD_TYPE_BASIC',
];
