/**
 * What the mapping of Auth0 (table/maps/auth0.yaml) reads besides the fields of a user: data from other files, and the
 * accounts. Databases are for the join of passwords, all others for links.
 */
import {
  firstText,
  type JsonObject,
  isObject,
  isText,
  objectsIn,
  objectOf,
  readJsonId,
} from '../../lib/json-value.ts';
import { isProblem } from '../../records/mcf/algorithm.ts';
import { recognise } from '../../records/mcf/recognise.ts';
import { canonicalBase32 } from '../../records/otp.ts';
import type { Note } from '../../records/user.ts';
import { containerOf } from '../table/mapping/paths.ts';
import type { PreparedRow } from '../table/mapping/reader.ts';
import { userOf } from './files.ts';
import type { Account } from '../table/claims.ts';

export interface Factor {
  readonly kind: 'otp_secret' | 'recovery_code' | 'other';
  /** The base32 secret, or the hash of the recovery code. Secret. For other kinds, the name of the factor. */
  readonly value: string;
}

/** What other files know about the records of a batch, by position. */
export interface JoinedBatch {
  /** Hashes by position, empty for users without one. Secret. Undefined if there are no password files. */
  readonly hashes?: readonly string[];
  /** Why there is no hash although there are lines. */
  readonly refusals?: ReadonlyMap<number, 'conflict' | 'ambiguous'>;
  readonly factors?: ReadonlyMap<number, readonly Factor[]> | undefined;
}

export function prepareUser(record: JsonObject, joined: JoinedBatch, place: number): PreparedRow {
  const row = userOf(record);
  const notes: Note[] = [];
  const refusal = joined.refusals?.get(place);
  if (refusal !== undefined)
    notes.push({ code: refusal === 'conflict' ? 'password:conflicting-lines' : 'password:ambiguous-join' });
  const roles = row['app_metadata'] === undefined ? [] : readRoleKeys(row);
  if (roles.length > 0) notes.push({ code: 'role:not-migrated', detail: roles.join(', ').slice(0, 200) });
  const factors = readFactors(row, joined.factors?.get(place) ?? [], notes);
  return {
    row,
    extra: {
      '@identities': readLinks(row, notes),
      '@passwordHash': joined.hashes?.[place] ?? '',
      ...factors,
    },
    notes,
    problems: problemsOf(row),
  };
}

const texts = 'user_id email nickname username given_name family_name name phone_number locale gender'.split(
  ' ',
);
const flags = ['email_verified', 'phone_verified', 'blocked'];

/** Checks the types of known fields. Any other type is damage. */
function problemsOf(user: JsonObject) {
  const problems: string[] = [];
  for (const field of texts)
    if (readJsonId(user[field] ?? '') === undefined)
      problems.push(`${field} must be a string or a safe integer`);
  for (const field of flags) {
    const value = user[field] ?? '';
    const isFlag = typeof value === 'boolean' || (isText(value) && /^(?:true|false|)$/i.test(value.trim()));
    if (!isFlag) problems.push(`${field} must be true or false`);
  }
  return problems;
}

/** Names of one-time passwords in `multifactor`. They are carried if the multi-factor export has the secret. */
const otpProviders = new Set(['google-authenticator', 'guardian', 'otp', 'totp']);

/** Reads factors from the multi-factor export, from `mfa_factors` of the bulk import schema, and from `multifactor`. */
function readFactors(
  { mfa_factors: own, multifactor }: JsonObject,
  joined: readonly Factor[],
  notes: Note[],
): JsonObject | undefined {
  if (joined.length === 0 && own === undefined && multifactor === undefined) return undefined;
  const valuesOf = (expected: Factor['kind']) =>
    joined.filter(({ kind }) => kind === expected).map(({ value }) => value);
  const listed = objectsIn(own);
  const secrets = listed.flatMap(({ totp }) => (isObject(totp) ? firstText(totp, 'secret') : []));
  const codes = new Set(valuesOf('recovery_code'));
  const hashes = [...codes].flatMap((code) => {
    const found = recognise(code.trim());
    return isProblem(found) ? [] : found.mcf;
  });
  const lost = codes.size - hashes.length;
  if (lost > 0) notes.push({ code: 'mfa:recovery-codes', detail: lost === 1 ? '1 code' : `${lost} codes` });
  // A one-time password without a secret is malformed, not absent.
  const otp = [...valuesOf('otp_secret'), ...secrets].map((secret) => secret || '-');
  const hasOtp = otp.some((secret) => canonicalBase32(secret) !== undefined);
  return {
    '@otp': otp,
    '@recoveryCodes': hashes,
    '@factors': [
      ...valuesOf('other'),
      ...listed.filter(({ totp }) => !isObject(totp)).map((factor) => Object.keys(factor)[0] ?? 'unknown'),
      ...namesOf(multifactor).filter((name) => !hasOtp || !otpProviders.has(name)),
    ],
  };
}

/** Reads a list, which JSON has as a list and a table as words with commas. */
function namesOf(value: unknown) {
  if (typeof value === 'string') return value.split(',');
  return Array.isArray(value) ? value.filter(isText) : [];
}

interface Identity {
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

/** Returns the keys of a user's roles. Never throws, whatever the record contains. */
export function readRoleKeys(value: unknown) {
  const metadata = membersOf(membersOf(value)['app_metadata']);
  const authorization = membersOf(metadata['authorization']);
  const named = [
    ['role', metadata['roles']],
    ['role', authorization['roles']],
    ['group', authorization['groups']],
    ['permission', authorization['permissions']],
  ] as const;
  return named.flatMap(([kind, value]) => textsIn(value).map((name) => `${kind}:${name}`));
}

/** Lists of users have metadata as JSON text. */
const membersOf = (value: unknown) => objectOf(containerOf(value));

function textsIn(value: unknown) {
  return [value]
    .flat()
    .filter(isText)
    .filter((text) => text.trim() !== '');
}
