/** The options of a conversion from Keycloak, and the choice of the realm to read. */
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

export interface FoundRealm {
  /** Position in a list of realms, or else 0. */
  readonly root: number;
  readonly name: string;
  readonly holdsUsers: boolean;
}

/**
 * Returns the realm to read from a list, or undefined if none has users. Throws `UsageError` if there is more than one
 * choice or the requested realm does not exist.
 */
export function chooseRealm(input: string, found: readonly FoundRealm[], requested: string | undefined) {
  if (requested !== undefined) {
    const chosen = found.find(({ name }) => name === requested);
    if (chosen === undefined)
      throw unknownRealm(
        input,
        found.map(({ name }) => name),
        requested,
      );
    return chosen;
  }
  const candidates = found.filter(({ holdsUsers }) => holdsUsers);
  if (candidates.length > 1)
    throw severalRealms(
      input,
      candidates.map(({ name }) => name),
    );
  return candidates[0];
}

export function unknownRealm(input: string, names: readonly string[], requested: string) {
  return new UsageError(
    `${input}: there is no realm ${quoted(requested)}`,
    `It holds ${list(names)}; name one of them with --realm-name.`,
  );
}

export function severalRealms(input: string, names: readonly string[]) {
  return new UsageError(
    `${input}: more than one realm holds users: ${list(names)}`,
    'Choose one with --realm-name.',
  );
}

function list(names: readonly string[]) {
  return names.length === 0 ? 'no realm' : names.map(quoted).join(', ');
}

function quoted(name: string) {
  return JSON.stringify(name);
}
