/**
 * Reads the credentials of a user in both shapes that Keycloak has written. New (version 8 and later): `secretData` and
 * `credentialData` as JSON in strings. Legacy: `hashedSaltedValue` next to the type. One file can have both, so the
 * shape decides, never the version.
 */
import { encodeBase32 } from '../../lib/base32.ts';
import { canonicalBase32, otpObstacle } from '../../records/otp.ts';
import { addNote, type UserRecord } from '../../records/user.ts';
import { firstText, isObject, objectOf, readJsonCount } from '../../lib/json-value.ts';
import { type Credential, isSecretWithheld, readData } from './fields.ts';
import type { KeycloakOptions } from './options.ts';
import { readPassword } from './password.ts';

/** Types without anything worth reporting. */
const ignored = new Set(['secret', 'cert', 'spnego']);

export function readCredentials(
  draft: UserRecord,
  credentials: readonly unknown[],
  options: KeycloakOptions,
) {
  let passwords = 0;
  for (const item of credentials.toSorted((a, b) => priority(a) - priority(b))) {
    if (!isObject(item)) {
      addNote(draft, 'password:malformed', 'a credential is not an object');
      continue;
    }
    const credential = item as Credential;
    const type = firstText(item, 'type').toLowerCase();
    switch (type) {
      case 'password':
        if (passwords++ === 0) readPassword(draft, credential, options);
        else addNote(draft, 'password:extra');
        break;
      case 'otp':
      case 'totp':
      case 'hotp':
        if (draft.otpSecret === '') readOtp(draft, credential, type, options);
        else addNote(draft, 'otp:extra');
        break;
      case 'password-history':
        addNote(draft, 'password:history');
        break;
      case 'webauthn':
      case 'webauthn-passwordless':
        addNote(draft, 'mfa:webauthn', type);
        break;
      case 'recovery-authn-codes':
        addNote(draft, 'mfa:recovery-codes');
        break;
      default:
        if (!ignored.has(type))
          addNote(draft, 'mfa:other', type === '' ? 'a credential without a type' : type);
    }
  }
}

/** Credentials without one come last, in their own order. */
function priority(credential: unknown) {
  const value = objectOf(credential)['priority'];
  const number = typeof value === 'number' ? value : readJsonCount(value);
  return Number.isFinite(number) ? number : Number.MAX_SAFE_INTEGER;
}

/**
 * Reads a one-time password. Keycloak stores the secret as raw text unless `secretEncoding` says BASE32
 * (keycloak#9434).
 */
function readOtp(draft: UserRecord, credential: Credential, type: string, options: KeycloakOptions) {
  const secretData = readData(credential, 'secretData');
  const parameters = readData(credential, 'credentialData') ?? credential;
  const secret = secretData?.['value'] ?? credential.hashedSaltedValue ?? credential.value;
  if (isSecretWithheld(credential)) return addNote(draft, 'otp:not-exported');
  if (typeof secret !== 'string' || secret === '') return addNote(draft, 'otp:malformed', 'no secret');
  if (type === 'hotp' || parameters['subType'] === 'hotp') return addNote(draft, 'otp:hotp');
  // Old versions wrote 0 for the default.
  const digits = readJsonCount(parameters['digits'] ?? 0);
  const period = readJsonCount(parameters['period'] ?? 0);
  if (Number.isNaN(digits + period))
    return addNote(draft, 'otp:malformed', 'digits or period is not a number');
  const obstacle = otpObstacle({
    algorithm: firstText(parameters, 'algorithm') || 'HmacSHA1',
    digits: digits || 6,
    period: period || 30,
  });
  if (obstacle !== undefined) return addNote(draft, 'otp:parameters', obstacle);
  const base32 = toBase32(secret, parameters['secretEncoding'], options.otpSecret);
  if (base32 === undefined) addNote(draft, 'otp:malformed', 'not base32');
  else draft.otpSecret = base32;
}

function toBase32(secret: string, encoding: unknown, rule: KeycloakOptions['otpSecret']) {
  const declared = typeof encoding === 'string' && encoding.toUpperCase() === 'BASE32';
  if (declared || rule === 'base32') return canonicalBase32(secret);
  const looksLikeBase32 = rule === 'auto' && /^[A-Z2-7]{16,}=*$/.test(secret);
  return looksLikeBase32 ? canonicalBase32(secret) : encodeBase32(Buffer.from(secret, 'utf8'));
}
