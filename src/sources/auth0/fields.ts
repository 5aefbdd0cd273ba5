/** The loosely typed fields of an export in, texts and flags out; what cannot be read is a problem by name. */
import type { WantedKeys } from '../../lib/json-pick.ts';
import type { Oddities } from '../../lib/stencil-samples.ts';
import type { Auth0Options } from './options.ts';

export type Json = Readonly<Record<string, unknown>>;

/** All that is read of a user, and what texts are treated alike. */
const wantedKeys = {
  user_id: 'word',
  email: 'address',
  email_verified: true,
  username: 'userName',
  given_name: 'name',
  family_name: 'name',
  name: 'label',
  nickname: 'name',
  phone_number: true,
  phone_verified: true,
  locale: true,
  gender: true,
  blocked: true,
  identities: {
    provider: true,
    connection: true,
    // The name of the connection, of which there are many, may stand before it with a `|`.
    user_id: 'part',
    profileData: { email: 'address', name: 'name', username: 'name' },
  },
  connection: true,
  provider: true,
  user_metadata: true,
  app_metadata: true,
  password_hash: true,
  custom_password_hash: true,
  mfa_factors: true,
  multifactor: true,
} as const;

/** What `--metadata all` carries besides. */
export const facts = [
  'created_at',
  'updated_at',
  'last_login',
  'last_password_reset',
  'logins_count',
] as const;

export function wantedOf({ metadata }: Pick<Auth0Options, 'metadata'>): WantedKeys {
  if (metadata !== 'all') return wantedKeys;
  return { ...wantedKeys, ...Object.fromEntries(facts.map((fact) => [fact, true])) };
}

/** The id says which provider an account has, and the name of a connection may stand before an id. */
export const oddities: Oddities = {
  word: ['auth0|a', 'google-oauth2|b', 'waad|connection|c', 'Username-Password-Authentication|d'],
};

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Absent and null are the empty text; a number is its digits, because ids come in both forms. */
export function readText(source: Json, field: string, problems: string[]): string {
  const value = source[field];
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(value);
  problems.push(`${field} is not a text`);
  return '';
}

/** Absent, null and the empty text of a CSV are undefined. */
export function readFlag(source: Json, field: string, problems: string[]): boolean | undefined {
  const value = source[field];
  if (typeof value === 'boolean') return value;
  if (value === undefined || value === null || value === '') return undefined;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (word === 'true') return true;
  if (word === 'false') return false;
  problems.push(`${field} is neither true nor false`);
  return undefined;
}

/** The objects of a list; absent, null and anything else is none. */
export function readObjects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
