/** `userPassword` of directories: a scheme in braces and what it has stored. */
import { malformed, nameOf, unverifiable } from '../mcf/algorithm.ts';
import {
  ambiguous,
  type Decoded,
  digestBytes,
  md5Of,
  pbkdf2Of,
  type HashParts,
  refuseDigest,
  unsupported,
} from './decoded.ts';
import { decodeCrypt, decodeDirect } from './direct.ts';
import { fromBase64, readText, toCount } from './encodings.ts';
import { encodeMd5Checksum } from '../mcf/repeated-digests.ts';
import type { DigestName } from './form.ts';

/** RFC 2307 and its many descendants. A value without a scheme is the password itself. */
export function decodeLdap({ hash }: HashParts): Decoded {
  const match = /^\{([^}]+)\}(.*)$/s.exec(hash);
  if (match === null) {
    if (hash.startsWith('$'))
      return ambiguous(
        'a hash string without a scheme in braces; a directory would take it for the password',
      );
    return hash.includes('\uFFFD') ? malformed('its bytes are no text') : { plain: hash };
  }
  const [, name = '', value = ''] = match;
  const scheme = name.toUpperCase();
  if (scheme === 'CRYPT' || scheme === 'DES-CRYPT') return decodeCrypt(value);
  if (direct.has(scheme)) return decodeDirect(value);
  const digest = digests.get(scheme);
  if (digest !== undefined) return decodeDigest(scheme, digest, value);
  const pbkdf2 = /^PBKDF2(?:[-_](SHA1|SHA256|SHA512))?$/.exec(scheme);
  if (pbkdf2 !== null && value.includes('$')) return decodePbkdf2(pbkdf2[1] ?? 'SHA1', value);
  return blobs.get(scheme)?.(value) ?? unsupported(`LDAP scheme {${nameOf(name)}}`);
}

/** Whose value is a hash string: OpenLDAP's, ApacheDS', Dovecot's names. */
const direct = new Set(
  'ARGON2 ARGON2I ARGON2ID BCRYPT BLF-CRYPT SHA256-CRYPT SHA512-CRYPT MD5-CRYPT CRYPT-BCRYPT CRYPT-SHA-256 CRYPT-SHA-512'.split(
    ' ',
  ),
);

const digests = new Map<string, DigestName>([
  ['MD5', 'md5'],
  ['SMD5', 'md5'],
  ['SHA', 'sha1'],
  ['SSHA', 'sha1'],
]);
for (const bits of ['224', '256', '384', '512'] as const) {
  for (const scheme of [`SHA${bits}`, `SHA-${bits}`, `SSHA${bits}`, `SSHA-${bits}`]) {
    digests.set(scheme, `sha${bits}`);
  }
}

/** Base64 of the digest, and of the salt behind it. */
function decodeDigest(scheme: string, digest: DigestName, value: string): Decoded {
  const blob = fromBase64(value);
  const bytes = digestBytes[digest];
  if (blob === undefined || blob.length < bytes) return malformed(`the value of {${scheme}} cannot be read`);
  const expected = blob.subarray(0, bytes);
  const salt = blob.subarray(bytes);
  if (digest === 'md5') return decodeMd5(expected, salt);
  const salted = { join: ['password' as const, { base64: salt.toString('base64') }] };
  return refuseDigest(
    `LDAP scheme {${scheme}}`,
    { digest, of: salt.length === 0 ? 'password' : salted },
    expected,
  );
}

function decodeMd5(expected: Buffer, salt: Buffer): Decoded {
  const text = readText(salt);
  if (text !== undefined) return md5Of('suffix', text, expected);
  const of = { join: ['password' as const, { base64: salt.toString('base64') }] };
  const refused = refuseDigest('LDAP scheme {SMD5}', { digest: 'md5', of }, expected);
  return { ...refused, ...unverifiable('the salt is bytes that are no text') };
}

/** OpenLDAP writes passlib's base64, 389 Directory Server the usual one. */
function decodePbkdf2(digest: string, value: string): Decoded {
  const [rounds, salt = '', key = ''] = value.split('$');
  return pbkdf2Of(digest.toLowerCase(), toCount(rounds), fromBase64(salt), fromBase64(key));
}

const blobs = new Map<string, (value: string) => Decoded>([
  ['APR1', (value) => decodeMd5Crypt('APR1', value)],
  ['BSDMD5', (value) => decodeMd5Crypt('BSDMD5', value)],
  ['CLEAR', (value) => ({ plain: value })],
  ['BASE64', (value) => ({ plain: Buffer.from(value, 'base64').toString('utf8') })],
  ['PBKDF2_SHA256', decode389Blob],
  ['PKCS5S2', decodeAtlassian],
  ['PBKDF2', (value) => decodeForgeRockBlob('sha1', value)],
  ['PBKDF2-HMAC-SHA256', (value) => decodeForgeRockBlob('sha256', value)],
  ['PBKDF2-HMAC-SHA512', (value) => decodeForgeRockBlob('sha512', value)],
]);

/** OpenLDAP's pw-apr1: base64 of the digest of `$apr1$` or `$1$`, and of the salt behind it. */
function decodeMd5Crypt(scheme: 'APR1' | 'BSDMD5', value: string): Decoded {
  const blob = fromBase64(value);
  const salt = blob === undefined ? undefined : readText(blob.subarray(16));
  if (blob === undefined || salt === undefined || salt === '') {
    return malformed(`the value of {${scheme}} cannot be read`);
  }
  const checksum = encodeMd5Checksum(blob.subarray(0, 16));
  return scheme === 'BSDMD5'
    ? decodeDirect(`$1$${salt}$${checksum}`)
    : unsupported('LDAP scheme {APR1}', { kind: 'apr1', salt, checksum });
}

/** 389 Directory Server before its plug-ins in Rust: rounds, a salt of 64 bytes and a key of 256. */
function decode389Blob(value: string): Decoded {
  const blob = fromBase64(value);
  if (blob?.length !== 324) return malformed('the value of {PBKDF2_SHA256} does not have 324 bytes');
  return pbkdf2Of('sha256', blob.readUInt32BE(0), blob.subarray(4, 68), blob.subarray(68));
}

/** Crowd's and Jira's; the rounds are in the program. */
const atlassianRounds = 10_000;

function decodeAtlassian(value: string): Decoded {
  const blob = fromBase64(value);
  if (blob?.length !== 48) return malformed('the value of {PKCS5S2} does not have 48 bytes');
  return pbkdf2Of('sha1', atlassianRounds, blob.subarray(0, 16), blob.subarray(16));
}

/** ForgeRock has `rounds:blob`, Oracle Identity Cloud `rounds$blob`; the key comes before the salt. */
function decodeForgeRockBlob(digest: 'sha1' | 'sha256' | 'sha512', value: string): Decoded {
  const [, rounds, text = ''] = /^(\d+)[:$](.*)$/s.exec(value) ?? [];
  const blob = fromBase64(text);
  const bytes = digestBytes[digest];
  if (blob === undefined || blob.length <= bytes) return malformed('key and salt cannot be read');
  return pbkdf2Of(digest, toCount(rounds), blob.subarray(bytes), blob.subarray(0, bytes));
}
