/** What an export contains besides its users, in a form that fits every source. */
import type { ProviderKind } from '../wire/identity-providers.ts';

export interface OrganizationPart {
  /** Key by which the source names it: its alias, or else its name. */
  readonly key: string;
  readonly name: string;
  readonly domains: readonly { readonly name: string; readonly isVerified: boolean }[];
  readonly isEnabled: boolean;
  readonly members: number;
}

export interface RolePart {
  /** For example `realm:admin` or `client:app:viewer`. */
  readonly key: string;
  readonly description: string;
  /** Keys of the roles that this role includes. */
  readonly includes: readonly string[];
}

export interface GroupPart {
  /** From the root, such as `/staff/dev`. */
  readonly path: string;
  /** Keys of the roles that its members have. */
  readonly roles: readonly string[];
}

export interface ApplicationPart {
  readonly name: string;
  readonly protocol: string;
  readonly access: 'public' | 'confidential' | 'bearer only';
  readonly redirectUris: readonly string[];
  readonly isEnabled: boolean;
}

export interface ProviderPart {
  readonly alias: string;
  readonly kind: string;
  readonly isEnabled: boolean;
}

/** What an identity provider of the source becomes: the call that creates it, and what does not move. */
export interface SourceIdp {
  readonly alias: string;
  readonly name: string;
  /** The settings lack the name and the client secret. Undefined if the service cannot create the provider. */
  readonly made: { readonly kind: ProviderKind; readonly settings: object } | undefined;
  /** Client secret in the export. Empty if there is none. */
  readonly secret: string;
  /** What does not move, or why the provider cannot be created. */
  readonly lost: readonly string[];
}

/** What the inputs contain, in the order of the export. */
export interface Parts {
  readonly organizations: readonly OrganizationPart[];
  readonly roles: readonly RolePart[];
  readonly groups: readonly GroupPart[];
  readonly applications: readonly ApplicationPart[];
  readonly identityProviders: readonly ProviderPart[];
}

/** What a user has, with the names of `Parts`. */
export interface RecordParts {
  /** Keys. */
  readonly roles: readonly string[];
  /** Paths. */
  readonly groups: readonly string[];
  /** Aliases. */
  readonly identityProviders: readonly string[];
}
