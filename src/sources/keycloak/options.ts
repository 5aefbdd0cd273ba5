/** The options of a conversion from Keycloak, and the refusal of realms. */
import type { UserOptions } from '../../records/user.ts';
import type { SharedOptions } from '../source.ts';
import { UsageError } from '../../errors.ts';

export interface KeycloakOptions extends UserOptions, Pick<SharedOptions, 'plaintext' | 'pbkdf2Encoding'> {
  /** Realm to read, if an input has several. */
  readonly realmName: string | undefined;
  /** Attribute that is tried first for the phone. */
  readonly phoneAttribute: string | undefined;
  readonly serviceAccounts: 'skip' | 'machine-users';
  /** How one-time password secrets are stored. Keycloak's own rule is `raw`, unless the credential says BASE32. */
  readonly otpSecret: 'raw' | 'base32' | 'auto';
  /** Whether several realms are read, because each one becomes an organization. */
  readonly allRealms?: boolean;
  /** Whether members of organizations are carried. */
  readonly carriesMembers?: boolean;
  /** Whether roles and groups are carried. */
  readonly carriesRoles?: boolean;
}

/** What the reader needs to know about the realm of a record. */
export interface KeycloakContext {
  /** Empty if the input does not name it. */
  readonly realm: string;
  /** Whether the record is an element of `federatedUsers`. */
  readonly federated: boolean;
}

export function unknownRealm(input: string, names: readonly string[], requested = '') {
  return names.length === 0
    ? new UsageError(`${input}: there is no realm`, 'Check that the address names the database of Keycloak.')
    : new UsageError(
        `${input}: there is no realm ${JSON.stringify(requested)}`,
        `It holds ${list(names)}; name one of them with --realm-name.`,
      );
}

export function severalRealms(input: string, names: readonly string[]) {
  return new UsageError(
    `${input}: more than one realm holds users: ${list(names)}`,
    'Choose one with --realm-name.',
  );
}

const list = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(', ');
