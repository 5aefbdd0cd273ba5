/** Reads the second factors of a user: one-time password, recovery codes, and notes about all others. */
import { maxRecoveryCodes } from '../../records/field-rules.ts';
import { isProblem } from '../../records/mcf/algorithm.ts';
import { recognise } from '../../records/mcf/recognise.ts';
import { canonicalBase32 } from '../../records/otp.ts';
import { addNote } from '../../records/build-user.ts';
import type { UserRecord } from '../../records/user.ts';
import type { Factor } from './mfa.ts';
import { isObject, type JsonObject, objectsIn } from '../../lib/json-value.ts';

/** From the multi-factor export, from `mfa_factors` of the bulk import schema, and what `multifactor` names. */
export function readFactors(draft: UserRecord, user: JsonObject, joined: readonly Factor[]): void {
  const valuesOf = (expected: Factor['kind']): string[] =>
    joined.filter(({ kind }) => kind === expected).map(({ value }) => value);
  for (const secret of valuesOf('otp')) takeOtp(draft, secret);
  for (const factor of objectsIn(user['mfa_factors'])) {
    const totp = factor['totp'];
    if (isObject(totp)) takeOtp(draft, typeof totp['secret'] === 'string' ? totp['secret'] : '');
    else addNote(draft, 'mfa:other', nameOf(Object.keys(factor)[0] ?? 'unknown'));
  }
  const codes = valuesOf('recovery-code');
  if (codes.length > 0) takeCodes(draft, codes);
  for (const name of valuesOf('other')) noteOther(draft, name);
  for (const name of namesOf(user['multifactor'])) {
    if (draft.otpSecret === '' || !otpProviders.has(name)) noteOther(draft, name);
  }
}

/** What `multifactor` calls a one-time password; it is carried once the multi-factor export brings its secret. */
const otpProviders = new Set(['google-authenticator', 'guardian', 'otp', 'totp']);

function takeOtp(draft: UserRecord, secret: string): void {
  const base32 = canonicalBase32(secret);
  if (base32 === undefined) addNote(draft, 'otp:malformed', 'not base32');
  else if (draft.otpSecret === '') draft.otpSecret = base32;
  else if (draft.otpSecret !== base32) addNote(draft, 'otp:extra');
}

function takeCodes(draft: UserRecord, codes: readonly string[]): void {
  const hashes: string[] = [];
  for (const code of new Set(codes)) {
    const found = recognise(code.trim());
    if (!isProblem(found)) hashes.push(found.mcf);
  }
  const carried = hashes.slice(0, maxRecoveryCodes);
  draft.recoveryCodeHashes = carried;
  const lost = new Set(codes).size - carried.length;
  if (lost > 0) addNote(draft, 'mfa:recovery-codes', lost === 1 ? '1 code' : `${lost} codes`);
}

function noteOther(draft: UserRecord, name: string): void {
  const isKey = /webauthn/i.test(name);
  addNote(draft, isKey ? 'mfa:webauthn' : 'mfa:other', nameOf(name));
}

function nameOf(name: string): string {
  return name.slice(0, 60);
}

/** A list in JSON, words with commas in a table. */
function namesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(',').filter((name) => name.trim() !== '');
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
