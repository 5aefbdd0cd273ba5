/**
 * Mappings that need no file: the built-in ones, as text to print and as data, and the one for tables with usual column
 * names.
 */
import { UsageError } from '../../errors.ts';
import { readOwnFile } from '../../lib/own-files.ts';
import { builtInNames } from './built-in-names.ts';
import { unsaid } from './mapping/paths.ts';
import type { Mapping } from './mapping/schema.ts';

/** First line of a mapping. Editors use it to complete and check the mapping. */
export const schemaComment =
  '# yaml-language-server: $schema=./node_modules/idport/schema/idport.mapping.schema.json\n';

/** Returns the text to print. Throws `UsageError` if the source is read without a mapping. */
export function mappingText(name: string) {
  const text = builtInText(name);
  if (text !== undefined) return schemaComment + text;
  throw new UsageError(
    `${name} has no mapping to print`,
    'docs/mapping.md shows one; `idport migrate devise --print-map` prints one for a table of users.',
  );
}

/** Returns the text of the file in maps/, which the build copies into the package. Undefined for other sources. */
export function builtInText(name: string) {
  return isBuiltIn(name) ? readMap(name, 'yaml') : undefined;
}

/** Returns a built-in mapping. The build has parsed it already, because YAML and its schema take a fifth of a second. */
export async function builtInMapping(name: string): Promise<Mapping | undefined> {
  if (!isBuiltIn(name)) return undefined;
  if (!import.meta.url.endsWith('.ts')) return JSON.parse(readMap(name, 'json')) as Mapping;
  const { readMapping } = await import('./mapping/read.ts');
  return readMapping(builtInText(name)!, name);
}

function isBuiltIn(name: string) {
  return name === 'auth0' || name === 'ldif' || (builtInNames as readonly string[]).includes(name);
}

function readMap(name: string, ending: 'yaml' | 'json') {
  return readOwnFile(new URL(`./maps/${name === 'ldif' ? 'ldap' : name}.${ending}`, import.meta.url));
}

/** Sources without a built-in mapping. */
export const unmapped = new Set(['csv', 'json', 'sql']);

const isNo = (column: string) => ({ column, is: 'no' as const });

/** Holds if the column says yes or has other content, such as the time of a block, but not for a no or a word for nothing. */
const isSet = (column: string) => ({
  all: [{ present: column }, { not: { column, is: [false, ...unsaid] } }],
});

/** Mapping of columns with usual names. A file with these columns needs no mapping. */
export const defaultMapping: Mapping = {
  idport: 1,
  source: { columns: 'optional' },
  user: {
    id: ['id', 'userId', 'user_id', 'uuid', '_id.$oid'],
    userName: ['userName', 'username', 'user_name', 'login'],
    email: ['email', 'emailAddress', 'email_address', 'mail'],
    emailVerified: {
      any: [
        { column: 'emailVerified' },
        { column: 'email_verified' },
        { present: 'email_verified_at' },
        { present: 'confirmed_at' },
      ],
    },
    givenName: ['givenName', 'given_name', 'firstName', 'first_name'],
    familyName: ['familyName', 'family_name', 'lastName', 'last_name'],
    fullName: ['fullName', 'full_name', 'name'],
    nickName: ['nickName', 'nickname'],
    displayName: ['displayName', 'display_name'],
    language: ['language', 'preferredLanguage', 'locale'],
    gender: 'gender',
    phone: ['phone', 'phoneNumber', 'phone_number'],
    phoneVerified: { any: [{ column: 'phoneVerified' }, { column: 'phone_verified' }] },
    state: {
      inactive: {
        any: [
          ...'disabled blocked banned suspended isDisabled is_disabled isBlocked is_blocked isBanned is_banned'
            .split(' ')
            .map(isSet),
          ...'active isActive is_active enabled'.split(' ').map(isNo),
        ],
      },
    },
    otp: {
      from: ['otpSecret', 'otp_secret', 'totpSecret', 'totp_secret'],
      // Some programs keep a secret for users who have no second factor.
      when: {
        not: {
          any: 'otpEnabled otp_enabled totpEnabled totp_enabled mfaEnabled mfa_enabled twoFactorEnabled two_factor_enabled has_2fa'
            .split(' ')
            .map(isNo),
        },
      },
    },
  },
  password: {
    from: [
      'passwordHash',
      'password_hash',
      'hashedPassword',
      'hashed_password',
      'password_digest',
      'encrypted_password',
      'password',
    ],
    format: 'auto',
    pepper: 'unknown',
    prehash: 'unknown',
  },
};
