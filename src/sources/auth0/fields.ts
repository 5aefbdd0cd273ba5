/** The loosely typed fields of an export in, texts and flags out; what cannot be read is a problem by name. */

export type Json = Readonly<Record<string, unknown>>;

/** All that is read of a user. */
export const wantedKeys = {
  user_id: true,
  email: true,
  email_verified: true,
  username: true,
  given_name: true,
  family_name: true,
  name: true,
  nickname: true,
  phone_number: true,
  phone_verified: true,
  locale: true,
  gender: true,
  blocked: true,
  identities: {
    provider: true,
    connection: true,
    user_id: true,
    profileData: { email: true, name: true, username: true },
  },
  connection: true,
  provider: true,
  user_metadata: true,
  app_metadata: true,
  created_at: true,
  updated_at: true,
  last_login: true,
  last_password_reset: true,
  logins_count: true,
  password_hash: true,
  custom_password_hash: true,
  mfa_factors: true,
  multifactor: true,
} as const;

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
