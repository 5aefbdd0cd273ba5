/** The options of a conversion from Keycloak, and the choice of the realm that is read. */
import type { UserOptions } from '../../records/user.ts';
import type { SharedOptions } from '../source.ts';
import { UsageError } from '../../errors.ts';

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

/** What the reader needs to know of the realm of a record. */
export interface KeycloakContext {
  /** Empty where the input does not say. */
  readonly realm: string;
  /** True for the elements of `federatedUsers`. */
  readonly federated: boolean;
}

export interface FoundRealm {
  /** Place in a list of realms, else 0. */
  readonly root: number;
  readonly name: string;
  readonly holdsUsers: boolean;
}

/** The realm to read of a list, or undefined where none holds users. Throws `UsageError` where that is not clear. */
export function chooseRealm(
  input: string,
  found: readonly FoundRealm[],
  requested: string | undefined,
): FoundRealm | undefined {
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

export function unknownRealm(input: string, names: readonly string[], requested: string): UsageError {
  return new UsageError(
    `${input}: there is no realm ${quoted(requested)}`,
    `It holds ${list(names)}; name one of them with --realm-name.`,
  );
}

export function severalRealms(input: string, names: readonly string[]): UsageError {
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
