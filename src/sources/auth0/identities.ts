/** Reads the accounts behind a user: database accounts for the join, all others for links. */
import { type JsonObject, readJsonId, objectsIn } from '../../lib/json-value.ts';

export interface Identity {
  /** Auth0's strategy: `auth0` is a database, `google-oauth2`, `samlp`, ... are others; empty where unknown. */
  readonly provider: string;
  /** Name of the connection; empty where unknown. */
  readonly connection: string;
  /** The user's id there, without the name of the connection before it. */
  readonly userId: string;
  /** What the user is called there. */
  readonly displayName: string;
}

export const databaseProvider = 'auth0';

/**
 * `identities` where the export has them; else what the user id itself says: `provider|id`, or for enterprise
 * connections `provider|connection|id`. Columns named `connection` and `provider` help where there is no list.
 */
export function readIdentities(user: JsonObject): Identity[] {
  const own = (): UserIdParts => splitUserId(textOf(user['user_id']));
  const listed = objectsIn(user['identities']);
  if (listed.length > 0)
    return listed.map((entry, place) => readIdentity(entry, place === 0 ? own : () => nothing));
  const { provider, connection, userId } = own();
  const named = textOf(user['connection']);
  const known = provider || textOf(user['provider']);
  if (known === '' && named === '') return [];
  const ownName = known === databaseProvider ? '' : known;
  return [{ provider: known, connection: named || connection || ownName, userId, displayName: '' }];
}

type UserIdParts = Pick<Identity, 'provider' | 'connection' | 'userId'>;

const nothing: UserIdParts = { provider: '', connection: '', userId: '' };

/** The common user, recognised without a closer look: one identity, which is a database account. */
export function hasDatabaseAccountOnly(user: JsonObject): boolean {
  const listed = user['identities'];
  return (
    Array.isArray(listed) &&
    listed.length === 1 &&
    (listed[0] as JsonObject | null)?.['provider'] === databaseProvider
  );
}

/** What may hold a password: a database, or a connection of which nothing says that it is none. */
export function mayBeDatabase(identity: Identity): boolean {
  return identity.provider === databaseProvider || identity.provider === '';
}

/** `identities` without a provider or an id (a CSV with few columns) are completed from the user id. */
function readIdentity(entry: JsonObject, fallback: () => UserIdParts): Identity {
  const provider = textOf(entry['provider']) || fallback().provider;
  const connection = textOf(entry['connection']);
  const userId = textOf(entry['user_id']) || fallback().userId;
  return {
    provider,
    connection,
    userId:
      connection !== '' && userId.startsWith(`${connection}|`) ? userId.slice(connection.length + 1) : userId,
    displayName: displayNameOf(entry['profileData']),
  };
}

function splitUserId(id: string): UserIdParts {
  const [provider = '', ...rest] = id.split('|');
  if (rest.length === 0) return { provider: '', connection: '', userId: id };
  if (rest.length === 1 || provider === databaseProvider) {
    return { provider, connection: '', userId: rest.join('|') };
  }
  return { provider, connection: rest[0] ?? '', userId: rest.slice(1).join('|') };
}

function displayNameOf(profile: unknown): string {
  if (typeof profile !== 'object' || profile === null) return '';
  const { email, name, username } = profile as JsonObject;
  return textOf(email) || textOf(name) || textOf(username);
}

/** A number that JSON.parse has rounded is no id. */
function textOf(value: unknown): string {
  return readJsonId(value) ?? '';
}
