/**
 * `custom_password_hash` of Auth0's bulk import schema:
 * auth0.com/docs/manage-users/user-migration/bulk-user-import-database-schema-and-examples.
 */
import { malformed, unsupported, unverifiable } from '../../mcf/algorithm.ts';
import { decodeText, type TextEncoding } from '../encodings.ts';
import { type HashDecoder, type HashRow, kdfOf, type Read } from '../row.ts';
import { ldapRows } from './directories.ts';
import { saltedDigests } from './hosted.ts';
import { mcf, pbkdf2String } from './strings.ts';

const encodings: Readonly<Record<string, TextEncoding>> = {
  hex: 'hex',
  base64: 'base64',
  utf8: 'text',
  'utf-8': 'text',
};

/**
 * Reads key and salt. The schema has no default for the encoding of a digest: a text of hexadecimal digits is
 * hexadecimal.
 */
const readBytes: Read = (text) => {
  const bytesOf = (part: string, fallback: TextEncoding) => {
    const [value, named] = [text(`.${part}.value`), text(`.${part}.encoding`)];
    const encoding = named === '' ? fallback : encodings[named.toLowerCase()];
    if (value === '') return Buffer.alloc(0);
    return encoding === undefined ? undefined : decodeText(value, encoding);
  };
  const key = bytesOf('hash', 'hex-or-base64');
  const salt = bytesOf('salt', 'text');
  if (key === undefined) return malformed('hash.value cannot be read in its encoding');
  if (salt === undefined) return malformed('salt.value cannot be read in its encoding');
  return { key, salt, hmacKey: bytesOf('hash.key', 'text') };
};

const of = (algorithm: string, row: HashRow): HashRow => ({
  ...row,
  when: { ...row.when, '.algorithm': algorithm },
});

const hmac: HashRow = {
  when: { '.hash.digest': '<digest:md5|sha1|sha224|sha256|sha384|sha512>' },
  read: readBytes,
  title: 'an HMAC of the password',
};

const algorithms: readonly HashRow[] = [
  of('argon2', { ...mcf, hash: '$argon2<>' }),
  of('argon2', { refuse: malformed('it is not an Argon2 hash') }),
  of('bcrypt', { ...mcf, hash: '$2<>' }),
  of('bcrypt', { refuse: malformed('it is not a bcrypt hash') }),
  of('pbkdf2', pbkdf2String),
  of('pbkdf2', { refuse: malformed('it is not a hash of PBKDF2') }),
  // Costs that are not set are the defaults of Node's crypto, as in Auth0.
  of('scrypt', {
    kdf: 'scrypt',
    read: readBytes,
    set: {
      n: ['<.cost>', '16384'],
      r: ['<.blockSize>', '8'],
      p: ['<.parallelization>', '1'],
      length: '<.keylen>',
    },
  }),
  ...saltedDigests({
    name: '.algorithm',
    digests: '<digest:md4|md5|sha1|sha256|sha512>',
    salt: '.salt.value',
    order: '.salt.position',
    row: { read: readBytes },
  }),
  ...(
    [
      ['.salt.value', '', 'password'],
      ['.salt.position', 'prefix', 'salt + password'],
      ['.salt.position', 'suffix', 'password + salt'],
    ] as const
  ).map(([name, pattern, both]) =>
    of('hmac', { ...hmac, when: { ...hmac.when, [name]: pattern }, of: `hmac-<digest>(hmacKey, ${both})` }),
  ),
  of('hmac', { refuse: unsupported('an HMAC of the password') }),
];

const notUtf8 = unverifiable('the password was hashed as <.password.encoding>, not as UTF-8');

/** Node's names of encodings, and the formula of what is hashed under them. */
const passwordEncodings: readonly (readonly [names: string, typed: string])[] = [
  ['<:utf16le|utf-16le|utf16-le|utf-16-le|ucs2|ucs-2>', 'utf-16le(password)'],
  ['<:latin1|binary>', 'latin1(password)'],
];

const rows: readonly HashRow[] = [
  {
    when: { '.password.encoding': '[<:utf8|utf-8|ascii>]' },
    as: [
      ...algorithms,
      of('ldap', { hash: '{<>', as: ldapRows }),
      of('ldap', { refuse: malformed('hash.value has no scheme in braces') }),
      { refuse: unsupported('algorithm <.algorithm>') },
    ],
  },
  ...passwordEncodings.flatMap(([names, typed]) =>
    algorithms.map((row): HashRow => ({
      ...row,
      when: { ...row.when, '.password.encoding': names },
      ...(kdfOf(row) !== undefined && { typed, refuse: notUtf8 }),
    })),
  ),
  { refuse: notUtf8 },
];

const auth0Rows: readonly HashRow[] = [
  { when: { '.': '' }, refuse: malformed('custom_password_hash is not an object') },
  { when: { '.hash.value': '' }, refuse: malformed('custom_password_hash has no hash.value') },
  {
    read: (text) => ({ hash: text('.hash.value').trim(), raw: text('.hash.value') }),
    as: rows,
  },
];

export const auth0 = {
  auth0: {
    title: 'Auth0, `custom_password_hash` of its import',
    rows: auth0Rows,
    converts: 'bcrypt, Argon2, PBKDF2, scrypt, MD5, `{MD5}`',
    refuses: 'SHA-1, SHA-256, SHA-512, MD4, HMAC, `{SSHA}`, passwords that are not hashed as UTF-8',
  },
} satisfies Record<string, HashDecoder>;
