/**
 * Reads the credentials of a user in both shapes that Keycloak has written.
 * New (8 and later): `secretData` and `credentialData` as JSON in strings. Legacy: `hashedSaltedValue` next to the
 * type. One file can hold both; the shape decides, never the version.
 */
import { addNote } from '../../records/build-user.ts';
import type { UserRecord } from '../../records/user.ts';
import { isObject, readJsonCount } from '../../lib/json-value.ts';
import type { Credential } from './fields.ts';
import type { KeycloakOptions } from './options.ts';
import { readOtp } from './otp.ts';
import { readPassword } from './password.ts';

/** Types that carry nothing of a user worth reporting. */
const ignored = new Set(['secret', 'cert', 'spnego']);

export function readCredentials(
  draft: UserRecord,
  credentials: readonly unknown[],
  options: KeycloakOptions,
): void {
  let passwords = 0;
  for (const item of byPriority(credentials)) {
    if (!isObject(item)) {
      addNote(draft, 'password:malformed', 'a credential is not an object');
      continue;
    }
    const credential = item as Credential;
    const type = typeof credential.type === 'string' ? credential.type.toLowerCase() : '';
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

/** Ascending `priority` where credentials have one, else as they stand. */
function byPriority(credentials: readonly unknown[]): readonly unknown[] {
  if (credentials.length < 2 || !credentials.some((item) => priority(item) !== none)) return credentials;
  return credentials.toSorted((a, b) => priority(a) - priority(b));
}

/** Behind all that have one. */
const none = Number.MAX_SAFE_INTEGER;

function priority(credential: unknown): number {
  const value = isObject(credential) ? (credential as Credential).priority : undefined;
  const number = typeof value === 'number' ? value : readJsonCount(value);
  return Number.isFinite(number) ? number : none;
}
