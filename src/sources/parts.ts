/** What an export holds besides its users, in words that fit every source. */
import type { ProviderKind } from '../wire/identity-providers.ts';

export interface OrganizationPart {
  /** By which the source names it: its alias, else its name. */
  readonly key: string;
  readonly name: string;
  readonly domains: readonly { readonly name: string; readonly isVerified: boolean }[];
  readonly isEnabled: boolean;
  readonly members: number;
}

export interface RolePart {
  /** `realm:admin`, `client:app:viewer`. */
  readonly key: string;
  readonly description: string;
  /** Keys of the roles that it includes. */
  readonly includes: readonly string[];
}

export interface GroupPart {
  /** From the root: `/staff/dev`. */
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

/** What a provider of the source becomes: the call that makes it, and what does not move. */
export interface SourceIdp {
  readonly alias: string;
  readonly name: string;
  /** The settings lack the name and the client secret. Undefined where the service cannot be told to make it. */
  readonly made: { readonly kind: ProviderKind; readonly settings: object } | undefined;
  /** As the export has it; empty where it has none. */
  readonly secret: string;
  /** Why it cannot be made; else what of it does not move. */
  readonly lost: readonly string[];
}

/** Lists in the order of the export. */
export interface Parts {
  readonly organizations: readonly OrganizationPart[];
  readonly roles: readonly RolePart[];
  readonly groups: readonly GroupPart[];
  readonly applications: readonly ApplicationPart[];
  readonly identityProviders: readonly ProviderPart[];
}

/** What a user has, by the names of `Parts`. */
export interface RecordParts {
  /** Keys. */
  readonly roles: readonly string[];
  /** Paths. */
  readonly groups: readonly string[];
  /** Aliases. */
  readonly identityProviders: readonly string[];
}
