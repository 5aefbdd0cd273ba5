/** How self-hosted identity servers store passwords. */
import { ambiguous, encrypted, malformed, redacted, unsupported } from '../../mcf/algorithm.ts';
import { tryParseJson } from '../../../lib/json-value.ts';
import { fromBase64, fromHex, fromText } from '../encodings.ts';
import { aroundPassword } from '../formula.ts';
import type { HashDecoder, HashRow, Inputs, Read } from '../row.ts';
import { djangoRows } from './frameworks.ts';
import { ldapRows } from './directories.ts';
import { inBase64, mcf } from './strings.ts';

/** Reads `["sha256", ["salt", "@"], "hex"]`, where `@` is the password. */
function legacyParts(text: Parameters<Read>[0]) {
  const value = tryParseJson(text('hash'));
  const [, args, key] = Array.isArray(value) && value.length === 3 ? (value as unknown[]) : [];
  return Array.isArray(args) && typeof key === 'string' ? { args: args.map(String), key } : { args: [] };
}

const unreadable = malformed('algorithm, arguments or hash cannot be read');

const readLegacyDigest: Read = (text) => {
  const { args, key } = legacyParts(text);
  const around = aroundPassword(args.map((arg) => (arg === '@' ? '{PASSWORD}' : arg)).join(''));
  return around === undefined ? unreadable : { around, key };
};

const readLegacyPbkdf2: Read = (text) => {
  const { args, key } = legacyParts(text);
  const [first = '', rounds, , digest] = args.filter((arg) => arg !== '@');
  const salt = first.startsWith('hex:') ? fromHex(first.slice('hex:'.length)) : fromText(first);
  return salt === undefined ? unreadable : { digest, rounds, salt, key };
};

const casdoorSalts = [
  ['md5-salt', 'md5'],
  ['salt', 'sha256'],
  ['sha512-salt', 'sha512'],
] as const;

const wso2Digest: HashRow = {
  key: 'base64',
  title: '<algorithm> of password and salt, the default of WSO2',
};

function bytesAt(text: Parameters<Read>[0], name: string): Inputs[string] {
  const numbers: number[] = [];
  while (text(`${name}.${numbers.length}`) !== '') numbers.push(Number(text(`${name}.${numbers.length}`)));
  return numbers.length === 0 ? text(name) : Buffer.from(numbers);
}

const giteaSalt: HashRow = {
  // The oldest salts are ten characters of text. All others are hexadecimal.
  read: (text) => ({ salt: text('salt').length === 10 ? fromText(text('salt')) : fromHex(text('salt')) }),
};

export const servers = {
  /** Read by the password type of the user or the organization. */
  casdoor: {
    title: 'Casdoor',
    rows: [
      { hash: '***', refuse: redacted('the API masks passwords') },
      {
        algorithm: '',
        refuse: malformed('its type is that of the organization, which is not in the export'),
      },
      { algorithm: '<:bcrypt|argon2id>' },
      { algorithm: 'pbkdf2-django', as: djangoRows },
      {
        algorithm: 'pbkdf2-salt',
        kdf: 'pbkdf2',
        set: { digest: 'sha256', rounds: '27500' },
        ...inBase64,
      },
      { algorithm: 'plain', kdf: 'plain' },
      {
        algorithm: 'md5-salt',
        when: { salt: '' },
        of: ['md5(password)', 'md5(hex(md5(password)))'],
        refuse: ambiguous('MD5 of the password or of its MD5: Casdoor accepts both'),
      },
      ...casdoorSalts.flatMap(([type, digest]): HashRow[] =>
        ['', '<:+>'].map((salt) => ({
          when: { algorithm: type, salt },
          of: salt !== '' ? `${digest}(hex(${digest}(password)) + salt)` : `${digest}(password)`,
          title: `nested ${digest} in the form of Casdoor`,
        })),
      ),
      { refuse: unsupported('the type <algorithm>') },
    ],
    converts: 'bcrypt, Argon2, `pbkdf2-salt`, `pbkdf2-django`, plain text',
    refuses: '`salt`, `sha512-salt`, `md5-salt`',
  },
  /** Gitea and Forgejo, read by their algorithm column. An empty one means the oldest algorithm. */
  gitea: {
    title: 'Gitea, Forgejo',
    rows: [
      {
        ...giteaSalt,
        algorithm: '[pbkdf2][$<rounds>[$<>]]',
        kdf: 'pbkdf2',
        set: { digest: 'sha256', rounds: '10000' },
      },
      { algorithm: 'bcrypt[$<>]' },
      {
        ...giteaSalt,
        algorithm: 'argon2[$<t>][$<m>][$<p>][$<>]',
        kdf: 'argon2',
        set: { variant: 'id', t: '2', m: '65536', p: '8' },
      },
      {
        ...giteaSalt,
        algorithm: 'scrypt[$<n>][$<r>][$<p>][$<>]',
        kdf: 'scrypt',
        set: { n: '65536', r: '16', p: '2' },
      },
      { algorithm: '<name>[$<>]', refuse: unsupported('the algorithm <name>') },
    ],
    converts: 'PBKDF2, Argon2, scrypt, bcrypt',
  },
  /** An object with one key, or its JSON. Bytes are lists of numbers, or base64url. */
  kanidm: {
    title: 'Kanidm',
    rows: [
      {
        when: { '.': '{TPM_ARGON2ID}' },
        refuse: encrypted('the hash is bound to the key of the security chip (TPM or HSM)'),
      },
      ...[
        ['PBKDF2', 'sha256'],
        ['PBKDF2_SHA1', 'sha1'],
        ['PBKDF2_SHA512', 'sha512'],
      ].map(([kind, digest = '']): HashRow => ({
        when: { [`.${kind}.0`]: '<:+>' },
        kdf: 'pbkdf2',
        set: { digest, rounds: `<.${kind}.0>` },
        read: (text) => ({ salt: bytesAt(text, `.${kind}.1`), key: bytesAt(text, `.${kind}.2`) }),
        ...inBase64,
      })),
      {
        when: { '.': '{CRYPT_<:MD5|SHA256|SHA512>}' },
        set: { text: ['<.CRYPT_MD5.h>', '<.CRYPT_SHA256.h>', '<.CRYPT_SHA512.h>'] },
      },
      {
        when: { '.ARGON2ID.m': '<:+>' },
        kdf: 'argon2',
        set: {
          variant: 'id',
          version: ['<.ARGON2ID.v>', '0'],
          m: '<.ARGON2ID.m>',
          t: '<.ARGON2ID.t>',
          p: '<.ARGON2ID.p>',
        },
        read: (text) => ({ salt: bytesAt(text, '.ARGON2ID.s'), key: bytesAt(text, '.ARGON2ID.k') }),
        ...inBase64,
      },
      { when: { '.': '{<kind:+>}' }, refuse: unsupported('the kind <kind>') },
      { refuse: malformed('it is not an object with a kind of hash') },
    ],
    converts: 'Argon2, PBKDF2, crypt(3)',
    refuses: 'what is bound to a security chip',
  },
  /** PHC strings, some with a meaning of their own. */
  kratos: {
    title: 'Ory Kratos',
    rows: [
      { hash: '{<>', as: ldapRows },
      {
        hash: '$pbkdf2-sha<bits:224|384>$i=<rounds:#>,l=<:#>$<salt:+>$<key:+>',
        kdf: 'pbkdf2',
        set: { digest: 'sha3-<bits>' },
        ...inBase64,
        refuse: unsupported('SHA-3 under the name of SHA-2, as Ory Kratos writes it'),
      },
      {
        hash: '$pbkdf2-sha<:224|384>$<>',
        refuse: unsupported('SHA-3 under the name of SHA-2, as Ory Kratos writes it'),
      },
      // `ln` is N itself, not its logarithm.
      {
        hash: '$scrypt$ln=<n:#>,r=<r:#>,p=<p:#>$<salt:+>$<key:+>',
        kdf: 'scrypt',
        ...inBase64,
      },
      { hash: '$scrypt$<>', refuse: malformed('the parameters of scrypt cannot be read') },
      { hash: '$md5-crypt<rest>', set: { text: '$1<rest>' } },
      { hash: '$sha256-crypt<rest>', set: { text: '$5<rest>' } },
      { hash: '$sha512-crypt<rest>', set: { text: '$6<rest>' } },
      // `$md5$pf=pattern$salt$digest`: the pattern contains what goes around the password.
      {
        hash: '$<digest:md5|sha1|sha256|sha512>$pf=<pattern>$<salt>$<key>',
        of: '<digest>(around)',
        key: 'base64',
        read(text) {
          const [pattern, salt] = ['pattern', 'salt'].map((name) =>
            text(name) === '' ? '' : fromBase64(text(name))?.toString('utf8'),
          );
          if (pattern === undefined || salt === undefined) return malformed('pattern or salt cannot be read');
          const around = aroundPassword(pattern.replaceAll('{SALT}', () => salt));
          return around === undefined ? malformed('the pattern does not have one {PASSWORD}') : { around };
        },
      },
      {
        hash: '$<digest:md5|sha1|sha256|sha512>$<key>',
        of: '<digest>(password)',
        key: 'base64',
      },
      {
        hash: '$firescrypt$ln=<memCost:#>,r=<rounds:#>,p=<p:#>$<salt:+>$<key:+>$<separator>$<signerKey:+>',
        kdf: 'firebase',
        refuse: unsupported('scrypt in the form of Firebase'),
      },
      mcf,
    ],
    converts: 'bcrypt, Argon2, PBKDF2, scrypt, crypt(3), MD5',
    refuses: 'SHA-3 under the name of SHA-2, SHA-1, SHA-2, `{SSHA}`, Firebase scrypt',
  },
  /** Read by the method column. */
  logto: {
    title: 'Logto',
    rows: [
      { algorithm: '<:argon2i|argon2id|argon2d|bcrypt>' },
      { algorithm: '<digest:md5|sha1|sha256>', of: '<digest>(password)' },
      { algorithm: 'legacy', hash: /^\["pbkdf2(?:Sync)?"/, kdf: 'pbkdf2', read: readLegacyPbkdf2 },
      {
        algorithm: 'legacy',
        hash: /^\["(?<digest>md5|sha1|sha256|sha512)"/i,
        of: '<digest>(around)',
        read: readLegacyDigest,
      },
      {
        algorithm: 'legacy',
        hash: /^\["(?<name>[^"]*)"/,
        refuse: unsupported('the algorithm <name>'),
      },
      { algorithm: 'legacy', refuse: malformed('it is not a list of three') },
      { refuse: unsupported('the method <algorithm>') },
    ],
    converts: 'Argon2, bcrypt, MD5, `Legacy` PBKDF2 and MD5',
    refuses: 'SHA-1, SHA-256, argon2d',
  },
  /** The algorithm is a setting of the user store. A row does not show it. */
  wso2: {
    title: 'WSO2 Identity Server',
    rows: [
      // The text of the salt is hashed, although it looks like base64.
      {
        algorithm: 'PBKDF2',
        kdf: 'pbkdf2',
        set: { digest: ['<.digest>', 'sha256'], rounds: '10000' },
        key: 'base64',
      },
      { algorithm: 'PLAIN_TEXT', kdf: 'plain' },
      { ...wso2Digest, algorithm: 'SHA', of: 'sha1(password + salt)' },
      {
        ...wso2Digest,
        algorithm: '<:SHA-1|SHA-256|SHA-512|MD5>',
        of: '<algorithm>(password + salt)',
      },
      { refuse: ambiguous('the user store hashes with SHA-256 or PBKDF2: declare which one') },
    ],
    converts: 'PBKDF2',
    refuses: 'SHA-256 with a salt, the default',
  },
} satisfies Record<string, HashDecoder>;
