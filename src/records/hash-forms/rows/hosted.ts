/** How hosted vendors deliver hashes. */
import {
  ambiguous,
  encrypted,
  malformed,
  notGiven,
  peppered,
  redacted,
  unsupported,
} from '../../mcf/algorithm.ts';
import { decodeText } from '../encodings.ts';
import { digestBytes } from '../form.ts';
import type { HashDecoder, HashRow } from '../row.ts';
import { wordpressRows } from './applications.ts';
import { ldapRows } from './directories.ts';
import { djangoRows, werkzeugRows } from './frameworks.ts';
import { inBase64, cryptRows, isMcf, mcf, md5 } from './strings.ts';

const fusionAuth = (algorithm: string, row: HashRow): HashRow => ({
  algorithm,
  ...inBase64,
  ...row,
});

const encryptedScrypt = unsupported('scrypt in the form of Firebase, whose result is encrypted');

/** Firebase: the parameters belong to the project, and the signer key is its secret. */
const firebaseRows: readonly HashRow[] = [
  // The base64 of a text that begins with "REDACTE".
  {
    hash: 'UkVEQUNURU<>',
    refuse: redacted('who exported was not allowed to see hashes (firebaseauth.configs.getHashConfig)'),
  },
  { hash: 'fakeHash:<>', refuse: unsupported('a password of the emulator') },
  {
    kdf: 'firebase',
    set: {
      memCost: ['<.memCost>', '<.mem_cost>', '14'],
      rounds: ['<.rounds>', '8'],
      salt: '<.salt>',
      separator: ['<.saltSeparator>', '<.base64_salt_separator>', 'Bw=='],
      signerKey: ['<.signerKey>', '<.base64_signer_key>'],
    },
    secret: 'base64_signer_key',
    refuse: encryptedScrypt,
  },
];

interface SaltedDigests {
  /** Name of the input that names the digest. */
  readonly name: string;
  readonly digests: string;
  readonly salt: string;
  readonly order: string;
  readonly row: HashRow;
}

/** Returns the rows of a digest, with the salt at the end of the password that another input names. */
export function saltedDigests({ name, digests, salt, order, row }: SaltedDigests): readonly HashRow[] {
  const when = { ...row.when, [name]: digests };
  return [
    { ...row, when: { ...when, [salt]: '' }, of: '<digest>(password)' },
    { ...row, when: { ...when, [order]: 'prefix' }, of: '<digest>(salt + password)' },
    { ...row, when: { ...when, [order]: '<:suffix|postfix>' }, of: '<digest>(password + salt)' },
    { when, refuse: malformed(`${order.slice(1)} is neither of the two ends of the password`) },
  ];
}

const clerk = (algorithm: string, row: HashRow): HashRow => ({ ...row, algorithm });

/** PBKDF2 of Clerk. A hash that names another digest than its hasher is not read. */
const clerkPbkdf2 = (digest: string, row: HashRow): HashRow => ({
  hash: new RegExp(
    `^(?:(?![^$]*sha-?(?:1|256|512))[^$]*|[^$]*sha-?${digest.slice(3)}(?!\\d)[^$]*)\\$(?<rounds>\\d+)\\$(?<salt>[^$]*)\\$(?<key>[^$]*)`,
    'i',
  ),
  kdf: 'pbkdf2',
  set: { digest },
  ...row,
});

const pepperedHash = peppered('a secret (pepper) was added to the password before it was hashed');

export const hosted = {
  /** The hash contains its own parameters, except for scrypt, whose parameters are next to it. */
  appwrite: {
    title: 'Appwrite',
    rows: [
      { algorithm: '<:argon2|bcrypt|phpass>' },
      { ...md5, algorithm: 'md5' },
      {
        algorithm: 'scrypt',
        kdf: 'scrypt',
        set: { n: '<.costCpu>', r: '<.costMemory>', p: '<.costParallel>', salt: '<.salt>' },
      },
      { algorithm: 'scryptmod[ified]', as: firebaseRows },
      { algorithm: 'plaintext', kdf: 'plain' },
      // Any digest of PHP. The version names it, or else its length does.
      ...(['sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const).map((digest): HashRow => ({
        algorithm: 'sha',
        when: { '.version': `[${digest}]` },
        hash: `<:hex${2 * digestBytes[digest]}>`,
        of: `${digest}(password)`,
      })),
      { algorithm: 'sha', refuse: unsupported('a digest of <.version>') },
      { refuse: unsupported('the algorithm <algorithm>') },
    ],
    converts: 'Argon2, bcrypt, phpass, MD5, scrypt',
    refuses: 'SHA, Firebase scrypt',
  },
  /** Read by `password_hasher`. Hashes that Clerk made itself are bcrypt. */
  clerk: {
    title: 'Clerk',
    rows: [
      clerk('[<:bcrypt|argon2i|argon2id|phpass>]', mcf),
      // By its name phpass over an MD5. Clerk does not document it.
      clerk('md5_phpass', {
        hash: '$<:P|H>$<>',
        doubt:
          'Clerk does not document md5_phpass: if it hashes an MD5 of the password, this hash matches no password',
      }),
      clerk('md5_phpass', { refuse: malformed('it is not a phpass hash') }),
      clerk('md5', md5),
      clerk('pbkdf2_sha256', clerkPbkdf2('sha256', inBase64)),
      clerk('pbkdf2_sha256_django', { as: djangoRows }),
      clerk('pbkdf2_sha512', clerkPbkdf2('sha512', {})),
      clerk('pbkdf2_sha512_hex', clerkPbkdf2('sha512', { salt: 'hex' })),
      clerk('pbkdf2_sha1', clerkPbkdf2('sha1', { salt: 'hex-or-text' })),
      clerk('pbkdf2_sha<:1|256|512>[_hex]', {
        refuse: malformed('it is not PBKDF2 with the digest that its hasher names'),
      }),
      // Documented as base64, but Werkzeug writes hexadecimal.
      clerk('scrypt_werkzeug', {
        hash: '<method>$<salt>$<key>',
        read(text) {
          const hex = decodeText(text('key'), 'hex-or-base64')?.toString('hex') ?? '';
          return { hash: `${text('method')}$${text('salt')}$${hex}` };
        },
        as: werkzeugRows,
      }),
      clerk('scrypt_firebase', {
        hash: '<key>$<salt>$<signerKey>$<separator>$<rounds>$<memCost><>',
        kdf: 'firebase',
        refuse: encryptedScrypt,
      }),
      clerk('scrypt_<:werkzeug|firebase>', { refuse: malformed('the parameters of scrypt cannot be read') }),
      clerk('bcrypt_sha256_django', {
        hash: '[bcrypt_sha256][$]$2<rest>',
        set: { text: 'bcrypt_sha256$$2<rest>' },
      }),
      clerk('bcrypt_sha256_django', mcf),
      // The form is `digest$pepper`.
      clerk('bcrypt_peppered', {
        hash: '<text:60>$<pepper>',
        typed: 'password + pepper',
        refuse: pepperedHash,
      }),
      clerk('bcrypt_peppered', {
        typed: 'password + secret',
        secret: 'pepper',
        refuse: pepperedHash,
      }),
      clerk('ldap_ssha', { hash: '{<>', as: ldapRows }),
      clerk('ldap_ssha', { read: (text) => ({ hash: `{SSHA}${text('hash')}` }), as: ldapRows }),
      clerk('sha256', { of: 'sha256(password)' }),
      // The form is `salt$hash`. Whether the salt comes before the password is not documented, so a check tries both.
      clerk('md5_salted', {
        hash: '<salt:+>$<key:hex32>',
        of: ['md5(salt + password)', 'md5(password + salt)'],
        refuse: ambiguous('the order of salt and password is not documented'),
      }),
      clerk('md5_salted', { refuse: ambiguous('the order of salt and password is not documented') }),
      clerk('sha256_salted', { refuse: unsupported('salted SHA-256') }),
      clerk('sha512_symfony', { refuse: unsupported('iterated SHA-512 in the form of Symfony') }),
      clerk('hmac_sha256_utf16_b64', { refuse: unsupported('an HMAC of the password') }),
      clerk('awscognito', {
        refuse: notGiven('the hash is in a user pool of Cognito, which gives none out'),
      }),
      { refuse: unsupported('the hasher <algorithm>') },
    ],
    converts: 'bcrypt, Argon2, phpass, MD5, PBKDF2, scrypt of Werkzeug',
    refuses: 'peppered, prehashed, salted MD5 and SHA, Cognito, Firebase',
  },
  firebase: { title: 'Firebase', rows: firebaseRows, converts: '', refuses: 'scrypt of Firebase' },
  /** Read by `encryptionScheme`. `rounds` is the `factor`, for which an import has defaults. Salt and hash are base64. */
  fusionauth: {
    title: 'FusionAuth',
    rows: [
      ...['salt', 'rounds'].map((name): HashRow => ({
        algorithm: '',
        when: { [name]: '<:+>' },
        refuse: unsupported('a scheme without a name'),
      })),
      // A file for the import may have plain text passwords. A hash without its scheme would be taken for one.
      {
        algorithm: '',
        hash: /^(?:[\w+/-]{22,}={0,2}|[./\w]{31}|\$.{20,})$/,
        refuse: ambiguous('there is no encryptionScheme, and it may be a hash'),
      },
      { algorithm: '', kdf: 'plain' },
      {
        algorithm: 'salted-<>',
        when: { salt: '' },
        refuse: malformed('the salt is missing'),
      },
      fusionAuth('bcrypt', isMcf),
      fusionAuth('bcrypt', {
        set: { cost: ['<rounds>', '10'], text: '$2a$<cost>$<salt><hash>' },
      }),
      fusionAuth('salted-pbkdf2-hmac-sha256[-512]', {
        kdf: 'pbkdf2',
        set: { digest: 'sha256', rounds: '24000' },
      }),
      fusionAuth('salted-pbkdf2-hmac-sha512-512', {
        kdf: 'pbkdf2',
        set: { digest: 'sha512', rounds: '24000' },
      }),
      fusionAuth('salted-<digest:md5|sha256>', {
        of: '<digest>(password + salt)',
        again: '',
      }),
      fusionAuth('salted-hmac-sha256', { when: { rounds: '1' }, of: 'hmac-sha256(salt, password)' }),
      fusionAuth('salted-hmac-sha256', { refuse: unsupported('an HMAC of the password, repeated') }),
      // The plug-in in FusionAuth's guide for WordPress stores the whole phpass text in base64.
      fusionAuth('example-wordpress-phpass', {
        read: (text) => ({ text: Buffer.from(text('hash'), 'base64').toString('latin1') }),
      }),
      { refuse: unsupported('the scheme <algorithm>') },
    ],
    converts: 'bcrypt, PBKDF2, `salted-md5` with factor 1',
    refuses: '`salted-sha256`, `salted-hmac-sha256`, `salted-md5` with other factors',
  },
  /** bcrypt, crypt(3), phpass or a salted digest. */
  kinde: {
    title: 'Kinde',
    rows: [
      { algorithm: '<:bcrypt|argon2|argon2i|argon2id>' },
      { algorithm: 'crypt', as: cryptRows },
      { algorithm: 'wordpress', as: wordpressRows },
      ...(['hex', 'text'] as const).flatMap((salt) =>
        saltedDigests({
          name: 'algorithm',
          digests: '<digest:md5|sha256>',
          salt: 'salt',
          order: '.salt_position',
          row: { when: { '.salt_format': salt === 'hex' ? salt : '<>' }, salt },
        }),
      ),
      { refuse: unsupported('the algorithm <algorithm>') },
    ],
    converts: 'bcrypt, crypt(3), phpass, MD5',
    refuses: 'SHA-256',
  },
  /** The import form of a hash, for customers who kept the file that they once imported. Okta does not export hashes. */
  okta: {
    title: 'Okta, the import form',
    rows: [
      { when: { '.': '' }, refuse: notGiven('Okta does not export hashes') },
      {
        when: { '.algorithm': 'BCRYPT' },
        set: { cost: '<.workFactor>', text: '$2a$<cost>$<.salt><.value>' },
      },
      {
        when: { '.algorithm': 'PBKDF2', '.digestAlgorithm': '<digest>[_HMAC]' },
        kdf: 'pbkdf2',
        set: { rounds: '<.iterationCount>', salt: '<.salt>', key: '<.value>' },
        ...inBase64,
      },
      ...saltedDigests({
        name: '.algorithm',
        digests: '<digest:MD5|SHA-1|SHA-256|SHA-512>',
        salt: '.salt',
        order: '.saltOrder',
        row: { set: { key: '<.value>', salt: '<.salt>' }, ...inBase64 },
      }),
      { refuse: unsupported('the algorithm <.algorithm>') },
    ],
    converts: 'bcrypt, PBKDF2, MD5',
    refuses: 'SHA-1, SHA-256, SHA-512',
  },
  /** The salt is the text of the base64, not its bytes. */
  stytch: {
    title: 'Stytch',
    rows: [
      {
        algorithm: '[scrypt]',
        kdf: 'scrypt',
        set: {
          n: ['<.N>', '<.scryptCostParameter>', '32768'],
          r: ['<.r>', '<.scryptRParameter>', '8'],
          p: ['<.p>', '<.scryptPParameter>', '1'],
        },
        key: 'base64',
      },
      mcf,
    ],
    converts: 'scrypt',
  },
  /** A hash string, or an object if the database encrypts the column. */
  supabase: {
    title: 'Supabase',
    rows: [{ hash: '{<>', refuse: encrypted('Supabase encrypts its columns here') }, mcf],
    converts: 'bcrypt, Argon2',
    refuses: 'Firebase scrypt, encrypted columns',
  },
  /** Hash strings, and Firebase's scrypt under its own name. The signer key is a setting of the core. */
  supertokens: {
    title: 'SuperTokens',
    rows: [
      {
        hash: '$f_scrypt$<key>$<salt>$m=<memCost:#>$r=<rounds:#>[$s=<separator>]',
        kdf: 'firebase',
        set: { separator: 'Bw==' },
        secret: 'base64_signer_key',
        refuse: encryptedScrypt,
      },
      {
        hash: '$f_scrypt$<>',
        refuse: encryptedScrypt,
      },
      mcf,
    ],
    converts: 'bcrypt, Argon2',
    refuses: 'Firebase scrypt',
  },
} satisfies Record<string, HashDecoder>;
