/** How a user's organization is found, and what it is at the target. */
import { deriveNumericId } from './role.ts';

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
}

/** Returns an existing organization, of which only the id has to be known. */
export const orgById = (orgId: string): TargetOrg => ({ orgId, name: '', domains: [] });

/** Membership of a user in an organization of the source. */
export interface Membership {
  /** One of the organization's keys. */
  readonly key: string;
  /** Names at the source, without the part that names the organization: `admin`. */
  readonly roles: readonly string[];
}

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
