/** Reads one line of the password export that Auth0's support sends. */
import { isObject, readJsonId } from '../../lib/json-value.ts';
import { BrokenRecord } from '../broken-record.ts';
import type { ClaimingRow } from '../table/claims.ts';

/** Why a line is not joined; never a part of what it holds. */
export type LineProblem =
  | 'it is not JSON'
  | 'it is not a JSON object'
  | 'it holds no password hash'
  | 'an id in it is neither a text nor an integer below 2^53'
  | 'it holds neither an id nor an email';

/** Reads all shapes seen: `_id` as text or `{$oid}`, `_ID`, ids with and without `auth0|`, email in `identifiers`. */
export function readPasswordLine(value: unknown): ClaimingRow | LineProblem {
  if (value instanceof BrokenRecord) return 'it is not JSON';
  if (!isObject(value)) return 'it is not a JSON object';
  const hash = value['passwordHash'] ?? value['password_hash'];
  if (typeof hash !== 'string' || hash === '') return 'it holds no password hash';
  const ids = [value['alt_id'], value['_id'], value['_ID'], value['user_id']].map(readId);
  if (ids.includes(undefined)) return 'an id in it is neither a text nor an integer below 2^53';
  const [alternateId = '', ...others] = ids;
  const id = others.find((one) => one !== '') ?? '';
  const email = comparable(value['email']) || emailOf(value['identifiers']);
  if (alternateId === '' && id === '' && email === '') return 'it holds neither an id nor an email';
  const connection = typeof value['connection'] === 'string' ? value['connection'] : '';
  return { alternateId, id, email, connection, text: hash.trim() };
}

/** How an email address is compared: Auth0 keeps one account an address and connection whatever its case. */
export function comparable(email: unknown): string {
  return typeof email === 'string' ? email.trim().toLowerCase() : '';
}

export const databasePrefix = 'auth0|';

/** An id within the database: Auth0 writes it before and after the user's id has taken on `auth0|`. */
export function databaseId(id: string): string {
  return id.startsWith(databasePrefix) ? id.slice(databasePrefix.length) : id;
}

/** Undefined for what is no id: joined by it, a password could become that of another user. */
function readId(value: unknown): string | undefined {
  const id = readJsonId((isObject(value) && Object.hasOwn(value, '$oid') ? value['$oid'] : value) ?? '');
  if (id === undefined) return undefined;
  const inside = databaseId(id.trim());
  return inside === '' ? '' : databasePrefix + inside;
}

/** Newer exports list what a user may log in with instead of one address. */
function emailOf(identifiers: unknown): string {
  if (!Array.isArray(identifiers)) return '';
  for (const identifier of identifiers) {
    if (isObject(identifier) && identifier['type'] === 'email') return comparable(identifier['value']);
  }
  return '';
}
