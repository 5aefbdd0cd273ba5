/** How web frameworks and their libraries store passwords. */
import { encrypted, malformed, none, peppered, prehashed, unsupported } from '../../mcf/algorithm.ts';
import { fromBase64 } from '../encodings.ts';
import type { HashDecoder, HashRow, Read } from '../row.ts';
import { inBase64, isMcf, mcf, md5Hex } from './strings.ts';
import { ldapRows } from './directories.ts';

/** Hashes have the form `algorithm$…`. The salt is text, even if it looks like something else. */
export const djangoRows: readonly HashRow[] = [
  { hash: '!<>', refuse: none() },
  md5Hex,
  {
    hash: 'pbkdf2_<digest:sha256|sha1>$<rounds>$<salt>$<key>',
    kdf: 'pbkdf2',
    key: 'base64',
  },
  {
    hash: 'scrypt$<n>$<salt>$<r>$<p>$<key>',
    kdf: 'scrypt',
    key: 'base64',
  },
  { hash: '<:argon2|bcrypt$>$<rest>', set: { text: '$<rest>' } },
  {
    hash: '<digest:md5|sha1>$<salt>$<key>',
    of: '<digest>(salt + password)',
    title: 'salted SHA-1 in the form of Django',
  },
  { hash: '[bcrypt_sha256]$<>' },
  {
    // Before less than that, the name may be a password in plain text, or its beginning.
    hash: '<name>$<:20><>',
    refuse: unsupported("<name>, which is not one of Django's hashers that the target knows"),
  },
];

const prfs = ['sha1', 'sha256', 'sha512'];

/** Reads base64 whose first byte is the version. */
const readIdentity: Read = (text) => {
  const blob = fromBase64(text('hash'));
  if (blob === undefined) return malformed('it is not base64');
  if (blob[0] === 0 && blob.length === 49) {
    return { digest: 'sha1', rounds: '1000', salt: blob.subarray(1, 17), key: blob.subarray(17) };
  }
  if (blob[0] !== 1 || blob.length < 13) return unsupported('a format of ASP.NET Identity that is not known');
  const digest = prfs[blob.readUInt32BE(1)];
  const end = 13 + blob.readUInt32BE(9);
  if (digest === undefined || end < 29 || blob.length < end + 16) {
    return malformed('the header of the hash does not fit its length');
  }
  const rounds = String(blob.readUInt32BE(5));
  return { digest, rounds, salt: blob.subarray(13, end), key: blob.subarray(end) };
};

/** The providers before ASP.NET Identity: a digest of the salt and the password in UTF-16. */
const membershipRows: readonly HashRow[] = [
  { algorithm: '0', kdf: 'plain' },
  { algorithm: '2', refuse: encrypted('the password is encrypted with the key of the machine') },
  { when: { salt: '' }, refuse: malformed('the salt is missing') },
  {
    hash: /^[\w+/-]{27}=?$/,
    of: 'sha1(salt + utf-16le(password))',
    ...inBase64,
    title: 'a digest of ASP.NET Membership',
  },
  // The key of the HMAC is the salt, repeated to the size that the class expects.
  {
    read(text) {
      const bytes = fromBase64(text('salt'));
      return bytes === undefined ? malformed('the salt is not base64') : { salt: Buffer.alloc(64, bytes) };
    },
    of: 'hmac-sha256(salt, utf-16le(password))',
    key: 'base64',
    title: 'a digest of ASP.NET Membership',
  },
];

export const identityRows: readonly HashRow[] = [
  isMcf,
  { hash: '<hash>|<algorithm>|<salt>[|<>]', as: membershipRows },
  { kdf: 'pbkdf2', read: readIdentity },
];

/** Also used by Flask: `method:parameters$salt$hex`. The salt is text. */
export const werkzeugRows: readonly HashRow[] = [
  {
    hash: 'pbkdf2[:<digest>][:<rounds>]$<salt>$<key>',
    kdf: 'pbkdf2',
    set: { digest: 'sha256', rounds: '1000000' },
  },
  {
    hash: 'scrypt[:<n>][:<r>][:<p>]$<salt>$<key>',
    kdf: 'scrypt',
    set: { n: '32768', r: '8', p: '1' },
  },
  { hash: 'plain$<>$<text>', kdf: 'plain' },
  {
    hash: '<digest:md5|sha1|sha224|sha256|sha384|sha512>$$<key:+>',
    of: '<digest>(password)',
    title: 'an HMAC with <digest>, as Werkzeug before 3.0 wrote it',
  },
  {
    hash: '<digest:md5|sha1|sha224|sha256|sha384|sha512>$<salt>$<key:+>',
    of: 'hmac-<digest>(salt, password)',
    title: 'an HMAC with <digest>, as Werkzeug before 3.0 wrote it',
  },
  { hash: '<name>[:<>]$<>$<:20><>', refuse: unsupported('the method <name>') },
  { refuse: malformed('it is not of the form method$salt$hash') },
];

const saltAndKey: HashRow = { kdf: 'scrypt', set: { n: '16384', r: '16', p: '1' }, typed: 'nfkc(password)' };

/** Also Lucia: `salt:key`. The text of the salt's hexadecimal digits is hashed, so upper case is not what was hashed. */
const betterAuthRows: readonly HashRow[] = [
  isMcf,
  {
    hash: /^(?:s2:)?(?=[0-9a-f]*[A-F])[0-9a-fA-F]{32}:/,
    refuse: malformed('the salt is in upper case'),
  },
  { ...saltAndKey, hash: 's2:<salt:+>:<key:hex>' },
  { ...saltAndKey, hash: '<salt:hex32>:<key:hex>' },
  {
    ...saltAndKey,
    hash: '<salt:+>:<key:hex>',
    set: { n: '16384', r: '8', p: '1' },
  },
  { refuse: malformed('it is not of the form salt:key') },
];

/** A digest that is applied many times. Without a salt, there are no braces either. */
function iterated(digest: string): HashRow {
  const salted = 'password + braced';
  return {
    read: (text) => ({ braced: text('salt') === '' ? '' : `{${text('salt')}}` }),
    set: { rounds: '5000' },
    of: `${digest}(${salted})`,
    again: salted,
    key: 'base64',
    title: `iterated ${digest} in the form of Symfony`,
  };
}

/** 64 bytes. */
const iteratedSha512: HashRow = { hash: /^[\w+/-]{86}(?:==)?$/, algorithm: '', ...iterated('sha512') };

/** bcrypt of the password, or of a SHA-512 if it is longer than 72 bytes. */
const symfonyRows: readonly HashRow[] = [
  { hash: '$2<>', typed: 'sha512-if-long(password)' },
  iteratedSha512,
  mcf,
];

export const jakartaRows: readonly HashRow[] = [
  {
    hash: 'PBKDF2WithHmac<digest:SHA1|SHA224|SHA256|SHA384|SHA512>:<rounds:#>:<salt:+>:<key:+>',
    kdf: 'pbkdf2',
    ...inBase64,
  },
  { refuse: unsupported('a form of Jakarta Security that is not PBKDF2') },
];

/** Salt and key in one value. A secret follows the salt. */
const springPbkdf2: HashRow = {
  kdf: 'pbkdf2',
  salted: 'salt + secret',
  key: 'hex-or-base64',
  layout: [
    ['salt', 8],
    ['key', 'rest'],
  ],
};

/** The delegating encoder: `{id}` followed by what that encoder wrote. */
export const springRows: readonly HashRow[] = [
  { hash: '{<:bcrypt|argon2|argon2@SpringSecurity_v5_8>}<text>' },
  {
    ...springPbkdf2,
    hash: '{pbkdf2}<key>',
    set: { digest: 'sha1', rounds: '185000' },
  },
  {
    ...springPbkdf2,
    hash: '{pbkdf2@SpringSecurity_v5_8}<key>',
    set: { digest: 'sha256', rounds: '310000' },
    layout: [
      ['salt', 16],
      ['key', 'rest'],
    ],
  },
  // `$e0801$salt$key`: the parameters are one hexadecimal number.
  {
    hash: '{scrypt[@SpringSecurity_v5_8]}$<bits>$<salt>$<key>',
    kdf: 'scrypt',
    read(text) {
      const bits = Number.parseInt(text('bits'), 16);
      const [ln, r, p] = [bits >>> 16, (bits >>> 8) & 255, bits & 255].map(String);
      return { ln, r, p };
    },
    ...inBase64,
  },
  // The braces around the salt are hashed with it.
  {
    hash: '{<digest:MD5|MD4|SHA-1|SHA-256>}[{<inner:+>}]<key:hex>',
    set: { salt: '{<inner>}' },
    of: '<digest>(password + salt)',
    title: '<digest> in the form of Spring',
  },
  // Spring's StandardPasswordEncoder.
  {
    hash: '{sha256}<key>',
    set: { rounds: '1024' },
    of: 'sha256(salt + password)',
    again: '',
    layout: [
      ['salt', 8],
      ['key', 32],
    ],
    title: 'iterated SHA-256 in the form of Spring',
  },
  { hash: '{noop}<text>', kdf: 'plain' },
  { hash: '{ldap}<hash>', as: ldapRows },
  {
    hash: '{<:scrypt|MD5|MD4|SHA-1|SHA-256>[@SpringSecurity_v5_8]}<>',
    refuse: malformed('salt and digest cannot be read'),
  },
  { hash: '{<id>}<>', refuse: unsupported('an encoder named <id>') },
  mcf,
];

export const frameworks = {
  'aspnet-identity': {
    title: 'ASP.NET Identity, Duende, IdentityServer4',
    rows: identityRows,
    converts: 'versions 2 and 3; bcrypt of other hashers',
    refuses: 'hashes that were taken over from ASP.NET Membership',
  },
  'aspnet-membership': {
    title: 'ASP.NET Membership',
    rows: membershipRows,
    converts: 'plain text',
    refuses: 'SHA-1 and HMAC over UTF-16, encrypted passwords',
  },
  authentik: {
    title: 'Authentik',
    rows: djangoRows,
    converts: 'PBKDF2, Argon2, bcrypt, scrypt of Django',
    refuses: 'what Django refuses',
  },
  'better-auth': {
    title: 'Better Auth',
    rows: betterAuthRows,
    converts: '`salt:key`, hash strings of other hashers',
  },
  /** A pepper is in the settings, not in the hash. */
  devise: {
    title: 'Devise, has_secure_password, Clearance',
    rows: [
      // A column of salts is of Sorcery or Authlogic.
      ...['secret', 'salt'].map((name): HashRow => ({
        hash: '$<:2|argon2|pbkdf2|scrypt><>',
        when: { [name]: '<:+>' },
        typed: `password + ${name}`,
        refuse: peppered(`a ${name} was added to the password before it was hashed`),
      })),
      { hash: '$<:2|argon2|pbkdf2|scrypt><>' },
      { refuse: malformed('it is not a hash of Devise') },
    ],
    converts: 'bcrypt without a pepper',
    refuses: 'bcrypt with `config.pepper`, Sorcery’s and Authlogic’s with a salt',
    asksForAlterations: true,
  },
  django: {
    title: 'Django',
    rows: djangoRows,
    converts: 'PBKDF2, Argon2, bcrypt, scrypt, MD5',
    refuses: '`bcrypt_sha256$`, `sha1$`, `crypt$`',
  },
  'fastapi-boilerplate': {
    title: 'FastAPI boilerplate',
    rows: [
      {
        typed: 'base64(sha256(password))',
        refuse: prehashed('bcrypt over a SHA-256 of the password, not the password'),
      },
    ],
    converts: '',
    refuses: 'bcrypt over SHA-256',
  },
  /**
   * Flask-Security hashes an HMAC of the password in every scheme except those of Django's form and plain text, unless
   * its settings say otherwise (PASSWORD_SINGLE_HASH and use_double_hash in Flask-Security-Too 5.9.2).
   */
  'flask-security': {
    title: 'Flask-Security',
    rows: [
      { hash: /^(?:pbkdf2_\w+|argon2|bcrypt\w*|sha1|md5|crypt)\$/, as: djangoRows, typed: 'nfkd(password)' },
      { hash: /^[./0-9A-Za-z]{13}$/, refuse: unsupported('a DES crypt hash') },
      {
        hash: /^(?:[\w:.-]+\$[^$]*\$)?(?:[0-9a-f]{2}){16,}$/i,
        refuse: unsupported('a digest of another application'),
      },
      {
        hash: '<:$|{><>',
        typed: 'base64(hmac-sha512(secret, nfkd(password)))',
        secret: 'SECURITY_PASSWORD_SALT',
        refuse: peppered('Flask-Security hashes an HMAC of the password with SECURITY_PASSWORD_SALT'),
      },
      { kdf: 'plain' },
    ],
    converts: 'the forms of Django, plain text',
    refuses: 'Argon2, bcrypt, PBKDF2 and crypt(3) over an HMAC',
  },
  jakarta: { title: 'Jakarta Security, Payara, WildFly', rows: jakartaRows, converts: 'PBKDF2' },
  lucia: { title: 'Lucia', rows: betterAuthRows, converts: '`salt:key`, `s2:salt:key`' },
  meteor: {
    title: 'Meteor, Rocket.Chat',
    rows: [
      {
        typed: 'hex(sha256(password))',
        refuse: prehashed('Meteor hashes a SHA-256 of the password, not the password'),
      },
    ],
    converts: '',
    refuses: 'bcrypt and Argon2 over SHA-256',
  },
  /** Settings may name another digest and another number of rounds. */
  'passport-local-mongoose': {
    title: 'passport-local-mongoose',
    rows: [{ kdf: 'pbkdf2', set: { digest: ['<algorithm>', 'sha256'], rounds: '25000' } }],
    converts: 'PBKDF2',
  },
  /** The older form is that of passport-local-mongoose: the salt is the text of its hexadecimal digits. */
  payload: {
    title: 'Payload',
    rows: [
      { hash: 'pbkdf2-sha256-v1:<key>', kdf: 'pbkdf2', set: { digest: 'sha256', rounds: '600000' } },
      { hash: '<key:hex1024>', kdf: 'pbkdf2', set: { digest: 'sha256', rounds: '25000' } },
      { refuse: unsupported('a hash that does not have 512 bytes') },
    ],
    converts: 'PBKDF2',
  },
  spring: {
    title: 'Spring Security, JHipster, Grails',
    rows: springRows,
    converts: '`{bcrypt}`, `{argon2}`, `{pbkdf2}`, `{scrypt}`, `{MD5}`, `{noop}`',
    refuses: '`{SHA-1}`, `{SHA-256}`, `{sha256}`, `{MD4}`, `{ldap}{SSHA}`',
  },
  symfony: { title: 'Symfony', rows: symfonyRows, converts: 'bcrypt, Argon2' },
  /** Hashers with their own salt. If the mapping names no algorithm, a length of 64 bytes means SHA-512. */
  'symfony-legacy': {
    title: 'Symfony before 5, FOSUserBundle',
    rows: [
      { hash: '$<>', as: symfonyRows },
      iteratedSha512,
      ...['sha512', 'sha256', 'sha1', 'md5'].map((digest): HashRow => ({
        algorithm: digest,
        ...iterated(digest),
      })),
      {
        algorithm: '[pbkdf2]',
        kdf: 'pbkdf2',
        set: { digest: ['<.digest>', 'sha512'], rounds: '1000' },
        key: 'base64',
      },
      { refuse: unsupported('the algorithm <algorithm>') },
    ],
    converts: 'PBKDF2',
    refuses: 'SHA-512 and others, thousands of times',
  },
  werkzeug: {
    title: 'Werkzeug, Flask',
    rows: werkzeugRows,
    converts: 'PBKDF2, scrypt',
    refuses: 'HMAC with MD5, SHA-1, SHA-2',
  },
} satisfies Record<string, HashDecoder>;
