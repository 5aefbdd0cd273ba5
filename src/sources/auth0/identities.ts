/** The accounts of a user: databases are for the join of passwords, all others for links. */
import { isObject, type JsonObject, objectsIn, readJsonId } from '../../lib/json-value.ts';
import type { Note } from '../../records/user.ts';
import type { Account } from '../table/claim-users.ts';

export interface Identity {
  /** Auth0's strategy: `auth0` is a database, `google-oauth2`, `samlp` and others are not. Empty if unknown. */
  readonly provider: string;
  /** Name of the connection. Empty if unknown. */
  readonly connection: string;
  /** The user's id at the provider, without the connection's name in front. */
  readonly userId: string;
  /** The user's name or address at the provider. */
  readonly displayName: string;
}

const databaseProvider = 'auth0';
export const databasePrefix = `${databaseProvider}|`;

/**
 * Returns `identities` if the export has them. Otherwise returns what the user id shows: `provider|id` or, for
 * enterprise connections, `provider|connection|id`. Columns named `connection` and `provider` add to it.
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

/** Returns the logins at other identity providers. Adds a note about each whose id was rounded. */
export function readLinks(user: JsonObject, notes: Note[]): readonly Identity[] {
  const entries = objectsIn(user['identities']);
  return readIdentities(user).filter((identity, place) => {
    const { provider, connection, userId } = identity;
    if (mayBeDatabase(identity)) return false;
    if (userId !== '' || typeof entries[place]?.['user_id'] !== 'number') return true;
    const detail = `${connection || provider}: its id is a number that JSON readers round; export it as text`;
    notes.push({ code: 'idp:missing-id', detail });
    return false;
  });
}

/** Reports whether an account may have a password: it is a database, or nothing shows what it is. */
function mayBeDatabase({ provider }: Identity) {
  return provider === databaseProvider || provider === '';
}

/** Returns what a row of the password export may know about a user. */
export function readAccount(user: JsonObject): Account {
  const id = qualifiedId(user);
  const connections: string[] = [];
  const linked: string[] = [];
  const identities = readIdentities(user);
  let known = identities.length > 0;
  for (const identity of identities) {
    if (!mayBeDatabase(identity)) continue;
    if (identity.connection === '') known = false;
    else connections.push(identity.connection);
    const account = databaseId(identity.userId);
    if (account !== '' && databasePrefix + account !== id) linked.push(databasePrefix + account);
  }
  // A single id does not show which other accounts are linked to the user.
  if (connections.length === 0 && !Array.isArray(user['identities'])) known = false;
  return { id, email: comparable(user['email']), linked, connections: known ? connections : undefined };
}

/** Returns an address for comparisons. Auth0 has one account per address and connection, regardless of case. */
export function comparable(email: unknown) {
  return typeof email === 'string' ? email.trim().toLowerCase() : '';
}

/** Returns the id within the database. Auth0 writes it both with and without the `auth0|` of the user ID. */
export function databaseId(id: string) {
  return id.startsWith(databasePrefix) ? id.slice(databasePrefix.length) : id;
}

/** Returns the user ID. Files for a bulk import only have the id within the database, to which Auth0 adds `auth0|`. */
function qualifiedId(user: JsonObject) {
  const id = textOf(user['user_id']);
  return id === '' || id.includes('|') ? id : databasePrefix + id;
}

type UserIdParts = Pick<Identity, 'provider' | 'connection' | 'userId'>;

const nothing: UserIdParts = { provider: '', connection: '', userId: '' };

/** Reads an entry of `identities`. If it has no provider or id (a CSV with few columns), the user id completes it. */
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

function displayNameOf(profile: unknown) {
  if (!isObject(profile)) return '';
  const { email, name, username } = profile;
  return textOf(email) || textOf(name) || textOf(username);
}

/** Returns an id as text. A number that JSON.parse has rounded is not an ID. */
function textOf(value: unknown) {
  return readJsonId(value) ?? '';
}
