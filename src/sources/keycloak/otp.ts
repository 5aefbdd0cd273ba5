/** Reads a one-time password credential into its base32 secret. */
import { encodeBase32 } from '../../lib/base32.ts';
import { readJsonCount } from '../../lib/json-value.ts';
import { canonicalBase32, otpObstacle } from '../../records/otp.ts';
import { addNote } from '../../records/build-user.ts';
import type { UserRecord } from '../../records/user.ts';
import { type Credential, isSecretWithheld, readData } from './fields.ts';
import type { KeycloakOptions } from './options.ts';

/** Keycloak stores the secret as raw text unless `secretEncoding` says BASE32 (keycloak#9434). */
export function readOtp(
  draft: UserRecord,
  credential: Credential,
  type: string,
  options: KeycloakOptions,
): void {
  const legacy = credential.hashedSaltedValue;
  const secretData = readData(credential, 'secretData');
  const parameters = readData(credential, 'credentialData') ?? credential;
  const secret = secretData?.['value'] ?? legacy ?? credential.value;
  if (isSecretWithheld(credential)) return addNote(draft, 'otp:not-exported');
  if (typeof secret !== 'string' || secret === '') return addNote(draft, 'otp:malformed', 'no secret');
  if (type === 'hotp' || parameters['subType'] === 'hotp') return addNote(draft, 'otp:hotp');
  // Rows written by old versions have 0 where the usual number is meant.
  const digits = readJsonCount(parameters['digits'] ?? 0);
  const period = readJsonCount(parameters['period'] ?? 0);
  if (Number.isNaN(digits + period)) return addNote(draft, 'otp:malformed', 'digits or period is no number');
  const obstacle = otpObstacle({
    algorithm: typeof parameters['algorithm'] === 'string' ? parameters['algorithm'] : 'HmacSHA1',
    digits: digits || 6,
    period: period || 30,
  });
  if (obstacle !== undefined) return addNote(draft, 'otp:parameters', obstacle);
  const base32 = toBase32(secret, parameters['secretEncoding'], options.otpSecret);
  if (base32 === undefined) addNote(draft, 'otp:malformed', 'not base32');
  else draft.otpSecret = base32;
}

function toBase32(secret: string, encoding: unknown, rule: KeycloakOptions['otpSecret']): string | undefined {
  const declared = typeof encoding === 'string' && encoding.toUpperCase() === 'BASE32';
  if (declared || rule === 'base32') return canonicalBase32(secret);
  const looksLikeBase32 = rule === 'auto' && /^[A-Z2-7]{16,}=*$/.test(secret);
  return looksLikeBase32 ? canonicalBase32(secret) : encodeBase32(Buffer.from(secret, 'utf8'));
}
