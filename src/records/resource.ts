/** What users need at the target besides themselves: organizations, projects with their parts, and identity providers. */
import type { JsonObject } from '../lib/json-value.ts';

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
  readonly settings: JsonObject;
}
