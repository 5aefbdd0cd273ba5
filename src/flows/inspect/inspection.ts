/** What an inspection finds in an export: plain data, the form of `idport inspect --format json`. */
import type { Summary } from '../../records/summary.ts';
import type {
  ApplicationPart,
  GroupPart,
  OrganizationPart,
  ProviderPart,
  RolePart,
} from '../../sources/parts.ts';

export interface Inspection {
  /** Name of the source: `keycloak`. */
  readonly source: string;
  readonly inputs: readonly string[];
  readonly targetProfile: string;
  readonly users: Pick<
    Summary,
    'read' | 'written' | 'withNotes' | 'rejected' | 'skipped' | 'machines' | 'inactive'
  >;
  readonly passwords: readonly PasswordCount[];
  readonly secondFactors: readonly Counted[];
  /** Fields of the source that are filled in at least one record, in the order of the export. */
  readonly fields: readonly { readonly name: string; readonly filled: number }[];
  readonly duplicates: readonly Counted[];
  readonly organizations: readonly OrganizationPart[];
  /** `users` have it directly. */
  readonly roles: readonly (RolePart & { readonly users: number })[];
  readonly groups: readonly (GroupPart & { readonly users: number })[];
  readonly applications: readonly ApplicationPart[];
  readonly identityProviders: readonly (ProviderPart & { readonly users: number })[];
  readonly rejections: readonly Counted[];
  readonly lost: readonly Counted[];
}

export interface Counted {
  readonly what: string;
  readonly count: number;
}

export interface PasswordCount {
  /** `none` is users without a password, `placeholder` those with the placeholder password. */
  readonly algorithm: string;
  readonly users: number;
  readonly isAccepted: boolean;
  /** Why not, and what to do about it; empty where it is accepted. */
  readonly problem: string;
  readonly remedy: string;
}
