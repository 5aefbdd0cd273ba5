/** How the organization of a user is found, and its place at the target. */
import { deriveId } from './role.ts';

/** `--org-by`. */
export type OrgRule =
  | { readonly by: 'realm' }
  /** Members of organizations of the source. */
  | { readonly by: 'organization' }
  /** Members of a group whose path begins so: `*` is the key. */
  | { readonly by: 'group'; readonly path: readonly string[] }
  /** Domain of the email address. */
  | { readonly by: 'domain' }
  /** An attribute, or a column of a table. */
  | { readonly by: 'attribute'; readonly name: string };

export interface TargetOrg {
  readonly orgId: string;
  /** As the source has it; the service creates a missing organization under this name. Empty where it must exist. */
  readonly name: string;
  readonly domains: readonly string[];
}

/** Of a user in an organization of the source. */
export interface Membership {
  /** One of the keys of the organization. */
  readonly key: string;
  /** As the source names them, without what says that they are of an organization: `admin`. */
  readonly roles: readonly string[];
}

/** An organization as the source describes it. */
export interface SourceOrg {
  /** Keys by which a map or a record may name it. The first is the one in messages. */
  readonly keys: readonly string[];
  readonly name: string;
  readonly domains: readonly string[];
}

/**
 * The id of an organization that is to be created, as numeric as others are: the same for the same name in every run. The
 * service compares names without regard to case.
 */
export const deriveOrgId = (name: string): string => deriveId('organization', name.trim().toLowerCase());
