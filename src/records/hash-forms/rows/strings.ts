/** Hash strings that show their own form, in variants that no hash string of the target has. */
import { ambiguous, none, prehashed, unsupported } from '../../mcf/algorithm.ts';
import { toBcryptBase64 } from '../../mcf/base64.ts';
import type { HashRow } from '../row.ts';

/** Any hash string. */
export const mcf: HashRow = {};
export const isMcf: HashRow = { hash: '$<>' };
export const inBase64 = { salt: 'base64', key: 'base64' } as const;
export const md5: HashRow = { of: 'md5(password)', key: 'hex-or-base64' };
export const md5Hex: HashRow = { hash: '<:hex32>', of: 'md5(password)' };

/** WordPress adds slashes to everything that a form sends, and does not remove them from a password. */
export const wordpressPassword = 'add-slashes(trim(password))';
export const wordpressHmac = `base64(hmac-sha384("wp-sha384", ${wordpressPassword}))`;

/** `$pbkdf2-sha256$i=600000,l=32$salt$key`, and `$pbkdf2-sha1$1000$salt$key`, which the target writes without `-sha1`. */
export const pbkdf2String: HashRow = {
  hash: '$pbkdf2[-<digest>]$[l=<l:#>,][i=]<rounds:#>[,l=<length:#>]$<salt>$<key>',
  kdf: 'pbkdf2',
  set: { digest: 'sha1', length: '<l>' },
  ...inBase64,
};

const passlib = prehashed('bcrypt over a SHA-256 of the password, as passlib writes it');
const drupal = prehashed('Drupal has hashed an MD5 of the password, not the password');
const django = prehashed('Django has hashed a SHA-256 of the password with bcrypt, not the password');
const firebase = unsupported('scrypt in the form of Firebase');

/** Variants that the table of algorithms does not read directly. */
export const stringRows: readonly HashRow[] = [
  {
    hash: /^\$argon2(?<variant>id?|d)\$v=(?<version>\d+)\$(?=[^$]*m=(?<m>\d+))(?=[^$]*t=(?<t>\d+))(?=[^$]*p=(?<p>\d+))[mtp]=\d+,[mtp]=\d+,[mtp]=\d+\$(?<salt>[^$]+)\$(?<key>[^$]+)$/,
    kdf: 'argon2',
    ...inBase64,
  },
  {
    hash: '$pbkdf2-<digest:sha224|sha384>$<>',
    refuse: ambiguous('Ory Kratos writes SHA-3 under the name of <digest>; name the source'),
  },
  pbkdf2String,
  // `n` is N itself, `ln` is its logarithm.
  {
    hash: '$scrypt$[ln=<ln:#>][n=<n:#>],r=<r:#>,p=<p:#>$<salt:+>$<key:+>',
    kdf: 'scrypt',
    ...inBase64,
  },
  {
    hash: '$wp$<rest>',
    set: { text: '$<rest>' },
    typed: wordpressHmac,
    refuse: prehashed('WordPress 6.8 hashes an HMAC of the password with bcrypt, not the password'),
  },
  // Version 2 is an HMAC whose key is the text of the salt. Version 1 is a plain SHA-256.
  {
    hash: '$bcrypt-sha256$v=2,t=<version:2a|2b|2y>,r=<cost:#>$<salt:22>$<key:31>',
    set: { text: '$<version>$<cost>$<salt><key>' },
    typed: 'base64(hmac-sha256(salt, password))',
    refuse: passlib,
  },
  {
    hash: '$bcrypt-sha256$<version:2a|2b|2y>,<cost:#>$<salt:22>$<key:31>',
    set: { text: '$<version>$<cost>$<salt><key>' },
    typed: 'base64(sha256(password))',
    refuse: passlib,
  },
  { hash: '$bcrypt-sha256$<>', refuse: passlib },
  // AdonisJS writes bcrypt's salt and digest in standard base64. bcrypt's alphabet has the same values. The version is
  // the code of a letter.
  {
    hash: '$bcrypt$v=<version:97|98>$r=<cost:#>$<salt:22>$<key:31>',
    set: { text: '$2<letter>$<cost>$<salt><key>' },
    read: (text) => ({
      letter: String.fromCodePoint(Number(text('version'))),
      salt: toBcryptBase64(text('salt')),
      key: toBcryptBase64(text('key')),
    }),
  },
  // The form that Supabase stores, with the project's key in every hash.
  {
    hash: '$fbscrypt$v=1,n=<memCost:#>,r=<rounds:#>,p=<p:#>,[ss=<separator>,]sk=<signerKey:+>$<salt:+>$<key:+>',
    kdf: 'firebase',
    refuse: firebase,
  },
  {
    hash: /^\$apr1\$(?<salt>[^$]+)\$(?<key>[./0-9A-Za-z]{22})$/,
    kdf: 'apr1',
    refuse: unsupported('MD5 in the form of Apache, `$apr1$`'),
  },
  {
    hash: 'bcrypt_sha256$<text>',
    typed: 'hex(sha256(password))',
    refuse: django,
  },
  // Drupal hashed the MD5 hashes of its predecessors again.
  { hash: 'U$<rest>', set: { text: '$<rest>' }, typed: 'hex(md5(password))', refuse: drupal },
];

/** What crypt(3) writes, including its oldest form, DES, which has no identifier. */
export const cryptRows: readonly HashRow[] = [
  // A mark in front locks the account.
  { hash: /^[!*]|^x?$/, refuse: none() },
  {
    hash: /^(?<salt>[./0-9A-Za-z]{2})(?<key>[./0-9A-Za-z]{11})$/,
    kdf: 'des',
    refuse: unsupported('DES in the form of crypt(3)'),
  },
  // Longer passwords have several checksums.
  { hash: /^[./0-9A-Za-z]{2}(?:[./0-9A-Za-z]{11})+$/, refuse: unsupported('DES in the form of crypt(3)') },
  mcf,
];
