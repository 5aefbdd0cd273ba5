/** The accounts of a user: databases for the join of passwords, all others for links. */
import { isObject, type JsonObject, objectsIn, readJsonId } from '../../lib/json-value.ts';
import type { Note } from '../../records/user.ts';
import type { Account } from '../table/claim-users.ts';

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

const databaseProvider = 'auth0';
export const databasePrefix = `${databaseProvider}|`;

/**
 * `identities` where the export has them; else what the user id itself shows: `provider|id`, or for enterprise
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

/** Logins at other identity providers; a note for one whose id was rounded. */
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

/** What may hold a password: a database, or a connection that nothing shows to be anything else. */
function mayBeDatabase({ provider }: Identity) {
  return provider === databaseProvider || provider === '';
}

/** What a row of the password export may know of a user. */
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
  // One id does not show what else is linked to it.
  if (connections.length === 0 && !Array.isArray(user['identities'])) known = false;
  return { id, email: comparable(user['email']), linked, connections: known ? connections : undefined };
}

/** How an email address is compared: Auth0 keeps one account an address and connection whatever its case. */
export function comparable(email: unknown): string {
  return typeof email === 'string' ? email.trim().toLowerCase() : '';
}

/** An id within the database: Auth0 writes it before and after the user's id has taken on `auth0|`. */
export function databaseId(id: string): string {
  return id.startsWith(databasePrefix) ? id.slice(databasePrefix.length) : id;
}

/** Files for a bulk import name the id within the database alone; Auth0 puts `auth0|` before it. */
function qualifiedId(user: JsonObject) {
  const id = textOf(user['user_id']);
  return id === '' || id.includes('|') ? id : databasePrefix + id;
}

type UserIdParts = Pick<Identity, 'provider' | 'connection' | 'userId'>;

const nothing: UserIdParts = { provider: '', connection: '', userId: '' };

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

function displayNameOf(profile: unknown) {
  if (!isObject(profile)) return '';
  const { email, name, username } = profile;
  return textOf(email) || textOf(name) || textOf(username);
}

/** A number that JSON.parse has rounded is not an id. */
function textOf(value: unknown) {
  return readJsonId(value) ?? '';
}
