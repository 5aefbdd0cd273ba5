/**
 * What the mapping of Auth0 (table/maps/auth0.yaml) reads besides the fields of a user: accounts, and data from other
 * files.
 */
import { firstText, type JsonObject, isObject, isText, objectsIn, readJsonId } from '../../lib/json-value.ts';
import { isProblem } from '../../records/mcf/algorithm.ts';
import { recognise } from '../../records/mcf/recognise.ts';
import { canonicalBase32 } from '../../records/otp.ts';
import type { Note } from '../../records/user.ts';
import type { PreparedRow } from '../table/mapping/reader.ts';
import { type Cells, userOf } from './columns.ts';
import { readLinks } from './identities.ts';
import type { Factor } from './mfa.ts';

export interface Auth0Context {
  readonly cells: Cells;
  /** Undefined if there are no other files. */
  readonly joined: JoinedBatch | undefined;
}

/** What other files know about the records of a batch, by position. */
export interface JoinedBatch {
  /** Hashes by position, empty for users without one. Secret. Undefined if there are no password files. */
  readonly hashes?: readonly string[];
  /** Why there is no hash although there are lines. */
  readonly refusals?: ReadonlyMap<number, 'conflict' | 'ambiguous'>;
  readonly factors?: ReadonlyMap<number, readonly Factor[]>;
}

export function prepareUser(record: JsonObject, { cells, joined }: Auth0Context, place: number): PreparedRow {
  const row = userOf(record, cells);
  const notes: Note[] = [];
  const refusal = joined?.refusals?.get(place);
  if (refusal !== undefined)
    notes.push({ code: refusal === 'conflict' ? 'password:conflicting-lines' : 'password:ambiguous-join' });
  const factors = readFactors(row, joined?.factors?.get(place) ?? [], notes);
  return {
    row,
    extra: {
      '@identities': readLinks(row, notes),
      '@passwordHash': joined?.hashes?.[place] ?? '',
      ...factors,
    },
    notes,
    problems: problemsOf(row),
  };
}

const texts = ['user_id', 'email', 'nickname', 'username', 'given_name', 'family_name', 'name'].concat([
  'phone_number',
  'locale',
  'gender',
]);
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
  const codes = new Set(valuesOf('recovery-code'));
  const hashes = [...codes].flatMap((code) => {
    const found = recognise(code.trim());
    return isProblem(found) ? [] : found.mcf;
  });
  const lost = codes.size - hashes.length;
  if (lost > 0) notes.push({ code: 'mfa:recovery-codes', detail: lost === 1 ? '1 code' : `${lost} codes` });
  // A one-time password without a secret is malformed, not absent.
  const otp = [...valuesOf('otp'), ...secrets].map((secret) => secret || '-');
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
function namesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(',');
  return Array.isArray(value) ? value.filter(isText) : [];
}
