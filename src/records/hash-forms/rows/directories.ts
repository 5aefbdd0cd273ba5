/** `userPassword` of directories, and what the servers around them store. */
import {
  ambiguous,
  encrypted,
  ldapScheme,
  malformed,
  none,
  unsupported,
  unverifiable,
} from '../../mcf/algorithm.ts';
import { encodeMd5Checksum } from '../../mcf/derive.ts';
import { fromBase64, readText } from '../encodings.ts';
import type { HashDecoder, HashRow, Read } from '../row.ts';
import { cryptRows, mcf } from './strings.ts';

const saltBehind = [
  ['key', 'digest'],
  ['salt', 'rest'],
] as const;
const pbkdf2: HashRow = { kdf: 'pbkdf2', key: 'base64' };

/** OpenLDAP's pw-apr1: the base64 of a `$apr1$` or `$1$` digest followed by the salt. */
const readMd5Crypt: Read = (text) => {
  const blob = fromBase64(text('key'));
  const salt = blob && readText(blob.subarray(16));
  if (blob === undefined || salt === undefined || salt === '')
    return malformed('digest and salt cannot be read');
  const key = encodeMd5Checksum(blob.subarray(0, 16));
  return { salt, key, text: `$1$${salt}$${key}` };
};

/** A mark as in /etc/shadow: before a hash, before or behind its scheme, or alone. A password in plain text may begin like one. */
export const lockedHash = /^(?:(?!\{(?:clear|plain\}))\{[^}]*\}[!*]|[!*]+(?:\{|\$\w+\$|$))/i;

/** RFC 2307 and its many descendants. A value without a scheme is the password itself. */
export const ldapRows: readonly HashRow[] = [
  { hash: lockedHash, refuse: none() },
  { hash: '(i){[DES-]CRYPT}<hash>', as: cryptRows },
  // Names that OpenLDAP, ApacheDS and Dovecot use.
  {
    hash: '(i){<:ARGON2|ARGON2I|ARGON2ID|BCRYPT|BLF-CRYPT|SHA256-CRYPT|SHA512-CRYPT|MD5-CRYPT|CRYPT-BCRYPT|CRYPT-SHA-256|CRYPT-SHA-512>}<text>',
  },
  {
    hash: '(i){[S]MD5}<key>',
    of: 'md5(password + salt)',
    key: 'base64',
    layout: saltBehind,
    refuse: unverifiable('the salt is bytes that are not text'),
  },
  {
    hash: '(i){<scheme:SHA|SSHA>}<key>',
    of: 'sha1(password + salt)',
    key: 'base64',
    layout: saltBehind,
    title: 'LDAP scheme {<scheme>}',
  },
  {
    hash: /^\{(?<scheme>S?SHA-?(?<bits>224|256|384|512))\}(?<key>.*)$/is,
    of: 'sha<bits>(password + salt)',
    key: 'base64',
    layout: saltBehind,
    title: 'LDAP scheme {<scheme>}',
  },
  // OpenLDAP writes passlib's base64, 389 Directory Server the usual one.
  {
    ...pbkdf2,
    hash: '(i){PBKDF2[<:-|_><digest:SHA1|SHA256|SHA512>]}<rounds>$<salt>$<key>',
    set: { digest: 'sha1' },
    salt: 'base64',
  },
  {
    hash: '(i){APR1}<key>',
    kdf: 'apr1',
    read: readMd5Crypt,
    refuse: unsupported('LDAP scheme {APR1}'),
  },
  { hash: '(i){BSDMD5}<key>', read: readMd5Crypt },
  { when: { raw: '{<:CLEAR|CLEARTEXT|PLAIN>}<text>' }, kdf: 'plain' },
  {
    hash: '(i){BASE64}<text>',
    kdf: 'plain',
    read: (text) => ({ text: Buffer.from(text('text'), 'base64').toString('utf8') }),
  },
  // 389 Directory Server before its plug-ins were written in Rust.
  {
    ...pbkdf2,
    hash: '(i){PBKDF2_SHA256}<key>',
    set: { digest: 'sha256' },
    layout: [
      ['rounds', 4],
      ['salt', 64],
      ['key', 256],
    ],
  },
  // Crowd and Jira. The number of rounds is fixed in the program.
  {
    ...pbkdf2,
    hash: '(i){PKCS5S2}<key>',
    set: { digest: 'sha1', rounds: '10000' },
    layout: [
      ['salt', 16],
      ['key', 32],
    ],
  },
  // ForgeRock writes `rounds:blob`, Oracle Identity Cloud `rounds$blob`. The key comes before the salt.
  {
    ...pbkdf2,
    hash: '(i){PBKDF2[-HMAC-<digest:SHA256|SHA512>]}<rounds:#><::|$><key>',
    set: { digest: 'sha1' },
    layout: saltBehind,
  },
  { hash: '{<scheme:+>}<>', read: (text) => ldapScheme(text('scheme')) },
  {
    hash: '$<>',
    refuse: ambiguous('a hash string without a scheme in braces; a directory would take it for the password'),
  },
  { hash: /\uFFFD/, refuse: malformed('its bytes are not text') },
  { kdf: 'plain' },
];

export const directories = {
  crowd: {
    title: 'Atlassian Crowd, Jira',
    rows: [
      { hash: '{<>', as: ldapRows },
      { hash: '<:hex>', refuse: ambiguous('digits without a scheme in braces') },
      { refuse: unverifiable('it has no scheme in braces') },
    ],
    converts: '`{PKCS5S2}`',
    refuses: '`{SSHA}`',
  },
  /** ForgeRock and Oracle Identity Cloud: a scheme in braces, or an encrypted object. */
  forgerock: {
    title: 'ForgeRock, Ping Advanced Identity Cloud, Oracle Identity Cloud',
    rows: [
      { hash: /^\{\s*(?:"[^]*\}|\})$/, refuse: encrypted('ForgeRock encrypts this password ($crypto)') },
      { hash: '{<>', as: ldapRows },
      mcf,
    ],
    converts: '`{PBKDF2-HMAC-SHA256}`, `{PBKDF2-HMAC-SHA512}`',
    refuses: '`$crypto` objects, `{SSHA512}`',
  },
  /** A value that begins with a blank has no scheme. */
  ldap: {
    title: 'LDAP directories',
    rows: [{ when: { raw: /^\s/ }, kdf: 'plain' }, ...ldapRows],
    converts: '`{CRYPT}`, `{ARGON2}`, `{BCRYPT}`, `{PBKDF2…}`, `{PKCS5S2}`, `{MD5}`, `{BSDMD5}`, plain text',
    refuses: '`{SSHA}`, `{SHA}`, `{SSHA256}`, `{SSHA512}`, `{SMD5}` with a binary salt',
  },
  shadow: {
    title: '/etc/shadow, htpasswd',
    rows: [{ hash: '{<>', as: ldapRows }, ...cryptRows],
    converts: 'bcrypt, `$1$`, `$5$`, `$6$`',
    refuses: 'yescrypt, `$apr1$`, `{SHA}`, DES',
  },
} satisfies Record<string, HashDecoder>;
