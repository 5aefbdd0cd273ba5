/** What users need at the target besides themselves: organizations, projects with their parts, identity providers. */
import type { JsonObject } from '../lib/json-value.ts';

export type ResourceKind = 'org' | 'project' | 'role' | 'grant' | 'app' | 'idp';

/** As the source has it. */
export interface Resource {
  readonly kind: ResourceKind;
  /** The organization that it is in, or is. */
  readonly org: string;
  /** The project that a role, a project grant or an application is part of; empty for others. */
  readonly parent: string;
  /** Empty where it has none of its own. */
  readonly id: string;
  /** The key of a role; the organization that a project is granted to. */
  readonly name: string;
  /** Of applications and identity providers, for example `oidc`: which call creates them. */
  readonly type: string;
  /** Of the call that creates it. */
  readonly settings: JsonObject;
}
