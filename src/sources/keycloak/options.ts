/** The options of a conversion from Keycloak. */
import type { UserOptions } from '../../records/build-user.ts';
import type { SharedOptions } from '../source.ts';

/** What `kc.sh export --dir` writes: `<realm>-realm.json`, `<realm>-users-<n>.json`, `<realm>-federated-users-<n>.json`. */
export const fileNames =
  /^(?<realm>.+?)-(?:(?<half>realm)|(?<kind>users|federated-users)-(?<number>\d+))\.json(?:\.gz)?$/;

export interface KeycloakOptions extends UserOptions, Pick<SharedOptions, 'plaintext' | 'pbkdf2Encoding'> {
  /** Which realm, where an input holds several. */
  readonly realmName: string | undefined;
  /** The attribute that is tried first for the phone. */
  readonly phoneAttribute: string | undefined;
  readonly serviceAccounts: 'skip' | 'machine-users';
  /** How one-time password secrets are stored: Keycloak's own rule is `raw` unless the credential says BASE32. */
  readonly otpSecret: 'raw' | 'base32' | 'auto';
  /** Each realm becomes an organization: several are read. */
  readonly allRealms?: boolean;
  /** Members of organizations are carried. */
  readonly carriesMembers?: boolean;
  /** Roles and groups are carried. */
  readonly carriesRoles?: boolean;
}

/** What the reader needs to know of the realm a record stands in. */
export interface KeycloakContext {
  /** Empty where the input does not say. */
  readonly realm: string;
  /** True for the elements of `federatedUsers`. */
  readonly federated: boolean;
}
