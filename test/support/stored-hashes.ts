/** Makes stored hashes of passwords as each source does, with costs so low that thousands are quick. */
import { createCipheriv, createHash, createHmac, pbkdf2Sync, scryptSync } from 'node:crypto';
import { argon2d, argon2i, argon2id, bcrypt as deriveBcrypt, md4 } from 'hash-wasm';
import type { JsonObject } from '../../src/lib/json-value.ts';
import type { HashParts } from '../../src/records/hash-forms/row.ts';
import type { Secrets } from '../../src/records/hash-forms/verify-form.ts';
import { md5CryptChecksum, shaCryptChecksum } from '../../src/records/mcf/repeated-digests.ts';

type Made = HashParts | Promise<HashParts>;

export interface StoredForm {
  readonly decoder: string;
  readonly title: string;
  /** `salt` has 16 bytes. */
  readonly make: (password: string, salt: Buffer) => Made;
  /** Where no string of the target can be made: the reason. */
  readonly code?: string;
  /** What the operator keeps, to check the form. */
  readonly secrets?: Secrets;
  /** It costs so much that one password is enough. */
  readonly isDear?: true;
  /** The source does not say how the hash is checked. */
  readonly withoutForm?: true;
}

const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const bare = (bytes: Uint8Array): string => b64(bytes).replace(/=+$/, '');
const ab64 = (bytes: Uint8Array): string => bare(bytes).replaceAll('+', '.');
const hash = (name: string, ...parts: (string | Buffer)[]): Buffer => {
  const digest = createHash(name);
  for (const part of parts) digest.update(part);
  return digest.digest();
};
const hex = (name: string, ...parts: (string | Buffer)[]): string => hash(name, ...parts).toString('hex');
const hmac = (name: string, key: string | Buffer, data: string): Buffer =>
  createHmac(name, key).update(data).digest();
const pbkdf2 = (
  digest: string,
  password: string,
  salt: string | Buffer,
  length: number,
  rounds = 1000,
): Buffer => pbkdf2Sync(password, salt, rounds, length, digest);
const scrypt = (password: string, salt: string | Buffer, length = 64, cost = 16, blockSize = 8): Buffer =>
  scryptSync(password, salt, length, { cost, blockSize, maxmem: 2 ** 26 });

const bcryptOf = (password: string, salt: Buffer, version = '2b'): Promise<string> =>
  deriveBcrypt({
    password: Buffer.from(password).subarray(0, 72),
    salt,
    costFactor: 4,
    outputType: 'encoded',
  }).then((mcf) => `$${version}$${mcf.slice(4)}`);

const argon = { i: argon2i, d: argon2d, id: argon2id };
const argonKey = (variant: 'i' | 'd' | 'id', password: string, salt: Buffer): Promise<Uint8Array> =>
  argon[variant]({
    password,
    salt,
    iterations: 1,
    memorySize: 16,
    parallelism: 1,
    hashLength: 32,
    outputType: 'binary',
  });
async function argonOf(
  variant: 'i' | 'd' | 'id',
  password: string,
  salt: Buffer,
  costs = 'm=16,t=1,p=1',
): Promise<string> {
  return `$argon2${variant}$v=19$${costs}$${bare(salt)}$${bare(await argonKey(variant, password, salt))}`;
}

const cryptAlphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const cryptText = (salt: Buffer, length: number): string =>
  Array.from(salt.subarray(0, length), (byte) => cryptAlphabet[byte & 63]).join('');

/** Three bytes as four characters, lowest bits first. */
function cryptBase64(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    let value = bytes.readUIntLE(at, Math.min(3, bytes.length - at));
    for (let count = Math.min(4, Math.ceil(((bytes.length - at) * 8) / 6)); count > 0; count--) {
      text += cryptAlphabet[value & 63];
      value >>= 6;
    }
  }
  return text;
}

/** phpass and Drupal 7: digest, then digest of digest and password, so often. */
function portable(
  name: 'md5' | 'sha512',
  mark: string,
  log2: number,
  password: string,
  salt: Buffer,
): string {
  const text = cryptText(salt, 8);
  let digest = hash(name, text, password);
  for (let round = 0; round < 2 ** log2; round++) digest = hash(name, digest, password);
  const whole = `$${mark}$${cryptAlphabet[log2]}${text}${cryptBase64(digest)}`;
  return name === 'sha512' ? whole.slice(0, 55) : whole;
}
const phpass = (password: string, salt: Buffer, mark = 'P'): string =>
  portable('md5', mark, 7, password, salt);
const drupal = (password: string, salt: Buffer): string => portable('sha512', 'S', 7, password, salt);

async function cryptOf(id: 1 | 5 | 6, password: string, salt: Buffer): Promise<string> {
  const text = cryptText(salt, 8);
  const bytes = Buffer.from(password);
  if (id === 1) return `$1$${text}$${await md5CryptChecksum(bytes, Buffer.from(text))}`;
  const checksum = await shaCryptChecksum(id === 5 ? 256 : 512, bytes, Buffer.from(text), 1000);
  return `$${id}$rounds=1000$${text}$${checksum}`;
}

const utf16 = (password: string): Buffer => Buffer.from(password, 'utf16le');
const signerKey = Buffer.alloc(64, 9);
const separator = Buffer.from([7]);

/** https://github.com/firebase/scrypt */
function firebaseOf(password: string, salt: Buffer): string {
  const key = scrypt(password, Buffer.concat([salt, separator]), 64, 2 ** 4, 8).subarray(0, 32);
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return b64(Buffer.concat([cipher.update(signerKey), cipher.final()]));
}
const firebaseOptions = { memCost: 4, rounds: 8, saltSeparator: b64(separator) };
const firebaseSecret = { base64_signer_key: signerKey };

function aspnet(prf: 0 | 1 | 2, password: string, salt: Buffer): string {
  const head = Buffer.alloc(13);
  head[0] = 1;
  for (const [at, value] of [prf, 1000, salt.length].entries()) head.writeUInt32BE(value, 1 + 4 * at);
  return b64(Buffer.concat([head, salt, pbkdf2(['sha1', 'sha256', 'sha512'][prf]!, password, salt, 32)]));
}

const pepper = Buffer.from('the pepper');
const unsupported = 'password:algorithm-unsupported';
const prehashed = 'password:prehashed';
const peppered = 'password:peppered';

type Row = readonly [
  decoder: string,
  title: string,
  make: StoredForm['make'],
  code?: string | undefined,
  more?: Pick<StoredForm, 'secrets' | 'isDear' | 'withoutForm'>,
];

/** Of a text alone. */
const text =
  (make: (password: string, salt: Buffer) => string | Promise<string>): StoredForm['make'] =>
  async (password, salt) => ({ hash: await make(password, salt) });

/** Hash strings that many sources have. */
const common: readonly (readonly [title: string, make: StoredForm['make']])[] = [
  ['bcrypt', text((password, salt) => bcryptOf(password, salt))],
  ['argon2id', text((password, salt) => argonOf('id', password, salt))],
  ['argon2i', text((password, salt) => argonOf('i', password, salt))],
  ['phpass', text((password, salt) => phpass(password, salt))],
  ['$5$', text((password, salt) => cryptOf(5, password, salt))],
  ['$6$', text((password, salt) => cryptOf(6, password, salt))],
  ['$1$', text((password, salt) => cryptOf(1, password, salt))],
  ['Drupal 7', text(drupal)],
  [
    'PBKDF2 of passlib',
    text(
      (password, salt) => `$pbkdf2-sha512$1000$${ab64(salt)}$${ab64(pbkdf2('sha512', password, salt, 64))}`,
    ),
  ],
  [
    'PBKDF2 of PHC',
    text(
      (password, salt) =>
        `$pbkdf2-sha256$i=1000,l=32$${bare(salt)}$${bare(pbkdf2('sha256', password, salt, 32))}`,
    ),
  ],
  [
    'PBKDF2 with SHA-1',
    text((password, salt) => `$pbkdf2$1000$${ab64(salt)}$${ab64(pbkdf2('sha1', password, salt, 20))}`),
  ],
  ['scrypt', text((password, salt) => `$scrypt$ln=4,r=8,p=1$${bare(salt)}$${bare(scrypt(password, salt))}`)],
];

const takesCommon = (decoder: string, ...titles: string[]): readonly Row[] =>
  common
    .filter(([title]) => titles.length === 0 || titles.includes(title))
    .map(([title, make]): Row => [decoder, title, make]);

/** A salted digest as directories have it. */
const blob = (name: string, password: string, salt: Buffer): string =>
  b64(Buffer.concat([hash(name, password, salt), salt]));

/** Every algorithm of Auth0's schema, with each encoding and place of the salt. */
const auth0Rows: readonly Row[] = [
  ...(['bcrypt', 'argon2id', 'argon2i'] as const).map((title): Row => {
    const make = common.find(([one]) => one === title)![1];
    const algorithm = title === 'bcrypt' ? 'bcrypt' : 'argon2';
    return auth0Row(title, async (password, salt) => ({
      algorithm,
      hash: { value: (await make(password, salt)).hash, encoding: 'utf8' },
    }));
  }),
  ...(
    [
      ['sha1', 20],
      ['sha256', 64],
      ['sha384', 48],
      ['sha512', 64],
    ] as const
  ).map(([digest, length]) =>
    auth0Row(`pbkdf2 with ${digest}`, (password, salt) => ({
      algorithm: 'pbkdf2',
      hash: {
        value: `$pbkdf2-${digest}$i=1000,l=${length}$${bare(salt)}$${bare(pbkdf2(digest, password, salt, length))}`,
      },
    })),
  ),
  ...(['hex', 'base64', 'utf8'] as const).flatMap((encoding) => {
    const written = encoding === 'utf8' ? 'hex' : encoding;
    const place = (salt: Buffer): Buffer => Buffer.from(hexText(salt));
    return [
      auth0Row(`scrypt, salt as ${encoding}`, (password, salt) => ({
        algorithm: 'scrypt',
        hash: { value: scrypt(password, place(salt), 32).toString(written), encoding: written },
        salt: { value: place(salt).toString(encoding), encoding },
        keylen: 32,
        cost: 16,
        blockSize: 8,
        parallelization: 1,
      })),
      ...(['prefix', 'suffix'] as const).flatMap((position) =>
        (['md4', 'md5', 'sha1', 'sha256', 'sha512'] as const).map((algorithm) =>
          auth0Row(
            `${algorithm}, ${position} as ${encoding}`,
            async (password, salt) => {
              const pieces = [Buffer.from(password), place(salt)];
              if (position === 'prefix') pieces.reverse();
              const all = Buffer.concat(pieces);
              const value = algorithm === 'md4' ? Buffer.from(await md4(all), 'hex') : hash(algorithm, all);
              return {
                algorithm,
                hash: { value: value.toString(written), encoding: written },
                salt: { value: place(salt).toString(encoding), encoding, position },
              };
            },
            algorithm === 'md5' ? undefined : unsupported,
          ),
        ),
      ),
    ];
  }),
  auth0Row(
    'md5 with a salt of bytes',
    (password) => ({
      algorithm: 'md5',
      hash: { value: hex('md5', Buffer.alloc(8, 0xff), password), encoding: 'hex' },
      salt: { value: 'ff'.repeat(8), encoding: 'hex', position: 'prefix' },
    }),
    unsupported,
  ),
  ...(['utf16le', 'ucs2', 'latin1'] as const).flatMap((encoding) => {
    const written = (password: string): Buffer => Buffer.from(password, encoding);
    return [
      auth0Row(
        `md4 of a password in ${encoding}`,
        async (password) => ({
          algorithm: 'md4',
          password: { encoding },
          hash: { value: await md4(written(password)) },
        }),
        'password:unverifiable',
      ),
      auth0Row(
        `md5 of a password in ${encoding}`,
        (password) => ({
          algorithm: 'md5',
          password: { encoding },
          hash: { value: hex('md5', written(password)) },
        }),
        'password:unverifiable',
      ),
    ];
  }),
  auth0Row(
    'hmac',
    (password, salt) => ({
      algorithm: 'hmac',
      hash: {
        value: hmac('sha256', salt, password).toString('base64'),
        encoding: 'base64',
        digest: 'sha256',
        key: { value: salt.toString('hex'), encoding: 'hex' },
      },
    }),
    unsupported,
  ),
  auth0Row('{MD5}', (password) => ({
    algorithm: 'ldap',
    hash: { value: `{MD5}${b64(hash('md5', password))}`, encoding: 'utf8' },
  })),
  auth0Row(
    '{SSHA}',
    (password, salt) => ({ algorithm: 'ldap', hash: { value: `{SSHA}${blob('sha1', password, salt)}` } }),
    unsupported,
  ),
];

function auth0Row(
  title: string,
  make: (password: string, salt: Buffer) => JsonObject | Promise<JsonObject>,
  code?: string,
): Row {
  return [
    'auth0',
    title,
    async (password, salt) => ({ hash: '', options: await make(password, salt) }),
    code,
  ];
}

const hosted: readonly Row[] = [
  ...auth0Rows,
  ...takesCommon('supabase', 'bcrypt', 'argon2i', 'argon2id'),
  [
    'supabase',
    'encrypted',
    () => ({ hash: '{"key_id":"1","alg":"aes-gcm-hkdf","data":"x","nonce":"y"}' }),
    'password:encrypted-by-source',
    { withoutForm: true },
  ],
  [
    'supabase',
    'Firebase',
    text(
      (password, salt) =>
        `$fbscrypt$v=1,n=4,r=8,p=1,ss=${b64(separator)},sk=${b64(signerKey)}$${b64(salt)}$${firebaseOf(password, salt)}`,
    ),
    unsupported,
  ],
  ...(
    [
      ['bcrypt', 'bcrypt'],
      ['argon2i', 'argon2i'],
      ['argon2id', 'argon2id'],
      ['phpass', 'phpass'],
      ['phpass', 'md5_phpass'],
    ] as const
  ).map(([title, algorithm]): Row => {
    const make = common.find(([one]) => one === title)![1];
    return ['clerk', algorithm, async (password, salt) => ({ ...(await make(password, salt)), algorithm })];
  }),
  ['clerk', 'md5', (password) => ({ hash: hex('md5', password), algorithm: 'md5' })],
  [
    'clerk',
    'pbkdf2_sha256',
    (password, salt) => ({
      algorithm: 'pbkdf2_sha256',
      hash: `pbkdf2_sha256$1000$${b64(salt)}$${b64(pbkdf2('sha256', password, salt, 32))}`,
    }),
  ],
  [
    'clerk',
    'pbkdf2_sha256_django',
    (password, salt) => ({
      algorithm: 'pbkdf2_sha256_django',
      hash: `pbkdf2_sha256$1000$${hexText(salt)}$${b64(pbkdf2('sha256', password, hexText(salt), 32))}`,
    }),
  ],
  [
    'clerk',
    'pbkdf2_sha512',
    (password, salt) => ({
      algorithm: 'pbkdf2_sha512',
      hash: `pbkdf2_sha512$1000$${hexText(salt)}$${pbkdf2('sha512', password, hexText(salt), 64).toString('hex')}`,
    }),
  ],
  [
    'clerk',
    'pbkdf2_sha512_hex',
    (password, salt) => ({
      algorithm: 'pbkdf2_sha512_hex',
      hash: `pbkdf2_sha512_hex$1000$${hexText(salt)}$${pbkdf2('sha512', password, salt, 64).toString('hex')}`,
    }),
  ],
  [
    'clerk',
    'pbkdf2_sha1',
    (password, salt) => ({
      algorithm: 'pbkdf2_sha1',
      hash: `pbkdf2_sha1$1000$${hexText(salt)}$${pbkdf2('sha1', password, salt, 32).toString('hex')}$32`,
    }),
  ],
  [
    'clerk',
    'pbkdf2_sha1 with text',
    (password) => ({
      algorithm: 'pbkdf2_sha1',
      hash: `pbkdf2_sha1$1000$not hex$${pbkdf2('sha1', password, 'not hex', 20).toString('hex')}`,
    }),
  ],
  [
    'clerk',
    'scrypt_werkzeug',
    (password, salt) => ({
      algorithm: 'scrypt_werkzeug',
      hash: `scrypt:16:8:1$${hexText(salt)}$${scrypt(password, hexText(salt)).toString('hex')}`,
    }),
  ],
  [
    'clerk',
    'scrypt_firebase',
    (password, salt) => ({
      algorithm: 'scrypt_firebase',
      hash: [firebaseOf(password, salt), b64(salt), b64(signerKey), b64(separator), 8, 4].join('$'),
    }),
    unsupported,
  ],
  ['clerk', 'sha256', (password) => ({ algorithm: 'sha256', hash: hex('sha256', password) }), unsupported],
  [
    'clerk',
    'ldap_ssha',
    (password, salt) => ({ algorithm: 'ldap_ssha', hash: `{SSHA}${blob('sha1', password, salt)}` }),
    unsupported,
  ],
  [
    'clerk',
    'bcrypt_peppered',
    async (password, salt) => ({
      algorithm: 'bcrypt_peppered',
      hash: `${await bcryptOf(`${password}pep`, salt)}$pep`,
    }),
    peppered,
  ],
  [
    'clerk',
    'bcrypt_sha256_django',
    async (password, salt) => ({
      algorithm: 'bcrypt_sha256_django',
      hash: `bcrypt_sha256$${await bcryptOf(hex('sha256', password), salt)}`,
    }),
    prehashed,
  ],
  [
    'clerk',
    'bcrypt_sha256_django without its mark',
    async (password, salt) => ({
      algorithm: 'bcrypt_sha256_django',
      hash: await bcryptOf(hex('sha256', password), salt),
    }),
    prehashed,
  ],
  ['clerk', 'no hasher', text((password, salt) => bcryptOf(password, salt))],
  [
    'clerk',
    'md5_salted',
    (password, salt) => ({
      algorithm: 'md5_salted',
      hash: `${hexText(salt)}$${hex('md5', hexText(salt), password)}`,
    }),
    'password:ambiguous-format',
  ],
  [
    'clerk',
    'awscognito',
    () => ({ algorithm: 'awscognito', hash: 'awscognito#eu_1#2#ada' }),
    'password:not-given',
    { withoutForm: true },
  ],
  ...['sha256_salted', 'sha512_symfony', 'hmac_sha256_utf16_b64', 'one_of_tomorrow'].map((algorithm): Row => [
    'clerk',
    algorithm,
    () => ({ algorithm, hash: 'AAAA' }),
    unsupported,
    { withoutForm: true },
  ]),
  [
    'firebase',
    'scrypt',
    (password, salt) => ({ hash: firebaseOf(password, salt), salt: b64(salt), options: firebaseOptions }),
    unsupported,
    { secrets: firebaseSecret },
  ],
  [
    'firebase',
    'scrypt in base64url',
    (password, salt) => ({
      hash: urlSafe(firebaseOf(password, salt)),
      salt: urlSafe(b64(salt)),
      options: firebaseOptions,
    }),
    unsupported,
    { secrets: firebaseSecret },
  ],
  ['firebase', 'redacted', () => ({ hash: 'UkVEQUNURUQ=' }), 'password:redacted', { withoutForm: true }],
  [
    'firebase',
    'of the emulator',
    (password) => ({ hash: `fakeHash:salt=x:password=${password}` }),
    unsupported,
    { withoutForm: true },
  ],
  ...(['BCRYPT', 'PBKDF2', 'MD5', 'SHA-1', 'SHA-256', 'SHA-512'] as const).flatMap(oktaRows),
  [
    'okta',
    'no hash',
    () => ({ hash: '{"credentials":{}}', options: {} }),
    unsupported,
    { withoutForm: true },
  ],
  [
    'stytch',
    'scrypt',
    (password, salt) => ({
      hash: urlSafe(b64(scrypt(password, b64(salt), 32))),
      salt: b64(salt),
      algorithm: 'scrypt',
      options: { N: '1 << 4', r: '8', p: 1 },
    }),
  ],
  [
    'stytch',
    'bcrypt',
    async (password, salt) => ({ hash: await bcryptOf(password, salt), algorithm: 'bcrypt' }),
  ],
  ['fusionauth', 'bcrypt', async (password, salt) => fusionBcrypt(await bcryptOf(password, salt, '2a'))],
  ['fusionauth', 'salted-pbkdf2-hmac-sha256', fusionPbkdf2('salted-pbkdf2-hmac-sha256', 'sha256', 32)],
  [
    'fusionauth',
    'salted-pbkdf2-hmac-sha256-512',
    fusionPbkdf2('salted-pbkdf2-hmac-sha256-512', 'sha256', 64),
  ],
  [
    'fusionauth',
    'salted-pbkdf2-hmac-sha512-512',
    fusionPbkdf2('salted-pbkdf2-hmac-sha512-512', 'sha512', 64),
  ],
  [
    'fusionauth',
    'salted-pbkdf2-hmac-sha256 without a factor',
    (password, salt) => ({
      algorithm: 'salted-pbkdf2-hmac-sha256',
      salt: b64(salt),
      hash: b64(pbkdf2('sha256', password, salt, 32, 24_000)),
    }),
  ],
  [
    'fusionauth',
    'a hash without its scheme',
    (password, salt) => ({ hash: b64(pbkdf2('sha256', password, salt, 32)) }),
    'password:ambiguous-format',
    { withoutForm: true },
  ],
  [
    'fusionauth',
    'salted-md5 with text',
    (password, salt) => ({
      algorithm: 'salted-md5',
      rounds: '1',
      salt: b64(Buffer.from(hexText(salt))),
      hash: b64(hash('md5', password, hexText(salt))),
    }),
  ],
  [
    'fusionauth',
    'salted-md5 with bytes',
    (password) => ({
      algorithm: 'salted-md5',
      rounds: '1',
      salt: b64(Buffer.alloc(16, 0xff)),
      hash: b64(hash('md5', password, Buffer.alloc(16, 0xff))),
    }),
    unsupported,
  ],
  [
    'fusionauth',
    'salted-md5 twice',
    (password, salt) => ({
      algorithm: 'salted-md5',
      rounds: '2',
      salt: b64(salt),
      hash: b64(hash('md5', hash('md5', password, salt))),
    }),
    unsupported,
  ],
  [
    'fusionauth',
    'salted-sha256',
    (password, salt) => ({
      algorithm: 'salted-sha256',
      rounds: '3',
      salt: b64(salt),
      hash: b64(hash('sha256', hash('sha256', hash('sha256', password, salt)))),
    }),
    unsupported,
  ],
  [
    'fusionauth',
    'salted-hmac-sha256',
    (password, salt) => ({
      algorithm: 'salted-hmac-sha256',
      rounds: '1',
      salt: b64(salt),
      hash: b64(hmac('sha256', salt, password)),
    }),
    unsupported,
  ],
  [
    'fusionauth',
    'the plug-in for WordPress',
    (password, salt) => ({
      algorithm: 'example-wordpress-phpass',
      rounds: '1',
      salt: '',
      hash: b64(Buffer.from(phpass(password, salt))),
    }),
  ],
  ...['phpass-md5', 'phpass-sha512', 'one-of-the-customer'].map((algorithm): Row => [
    'fusionauth',
    algorithm,
    () => ({ algorithm, rounds: '1', salt: 'AAAA', hash: 'AAAA' }),
    unsupported,
    { withoutForm: true },
  ]),
  ...(['sha256', 'sha512'] as const).map((digest): Row => [
    'forgerock',
    digest,
    (password, salt) => ({
      hash: `{PBKDF2-HMAC-${digest.toUpperCase()}}1000:${b64(Buffer.concat([pbkdf2(digest, password, salt, digest === 'sha256' ? 32 : 64), salt]))}`,
    }),
  ]),
  [
    'forgerock',
    'sha1 of its directory',
    (password, salt) => ({
      hash: `{PBKDF2}1000:${b64(Buffer.concat([pbkdf2('sha1', password, salt.subarray(0, 8), 20), salt.subarray(0, 8)]))}`,
    }),
  ],
  [
    'forgerock',
    'of Oracle',
    (password, salt) => ({
      hash: `{PBKDF2-HMAC-SHA256}1000$${b64(Buffer.concat([pbkdf2('sha256', password, salt, 32), salt]))}`,
    }),
  ],
  [
    'forgerock',
    '{SSHA512}',
    (password, salt) => ({ hash: `{SSHA512}${blob('sha512', password, salt)}` }),
    unsupported,
  ],
  [
    'forgerock',
    '$crypto',
    () => ({ hash: '{"$crypto":{"type":"x-simple-encryption"}}' }),
    'password:encrypted-by-source',
    { withoutForm: true },
  ],
  ...takesCommon('kinde', 'bcrypt', '$1$', '$5$', '$6$', 'phpass').map(([decoder, title, make]): Row => [
    decoder,
    title,
    async (password, salt) => ({
      ...(await make(password, salt)),
      algorithm: { bcrypt: 'bcrypt', phpass: 'wordpress' }[title] ?? 'crypt',
    }),
  ]),
  ['kinde', 'md5 of WordPress', (password) => ({ algorithm: 'wordpress', hash: hex('md5', password) })],
  [
    'kinde',
    'md5, salt in hex',
    (password, salt) => ({
      algorithm: 'MD5',
      salt: Buffer.from(hexText(salt)).toString('hex'),
      options: { salt_format: 'hex', salt_position: 'suffix' },
      hash: hex('md5', password, hexText(salt)),
    }),
  ],
  ['kinde', 'md5', (password) => ({ algorithm: 'md5', hash: hex('md5', password) })],
  [
    'kinde',
    'md5, salt before',
    (password, salt) => ({
      algorithm: 'md5',
      salt: hexText(salt),
      options: { salt_format: 'string', salt_position: 'prefix' },
      hash: hex('md5', hexText(salt), password),
    }),
  ],
  [
    'kinde',
    'md5, salt after',
    (password, salt) => ({
      algorithm: 'md5',
      salt: hexText(salt),
      options: { salt_format: 'string', salt_position: 'suffix' },
      hash: hex('md5', password, hexText(salt)),
    }),
  ],
  [
    'kinde',
    'md5, salt of bytes',
    (password, salt) => ({
      algorithm: 'md5',
      salt: hexText(salt),
      options: { salt_format: 'hex', salt_position: 'suffix' },
      hash: hex('md5', password, salt),
    }),
    unsupported,
  ],
  [
    'kinde',
    'sha256',
    (password, salt) => ({
      algorithm: 'sha256',
      salt: hexText(salt),
      options: { salt_position: 'suffix' },
      hash: hex('sha256', password, hexText(salt)),
    }),
    unsupported,
  ],
  ...(['argon2', 'bcrypt', 'phpass'] as const).map((algorithm): Row => [
    'appwrite',
    algorithm,
    async (password, salt) => ({
      algorithm,
      options: { type: 'argon2', memoryCost: 7168 },
      ...(await common.find(([title]) => title === (algorithm === 'argon2' ? 'argon2id' : algorithm))![1](
        password,
        salt,
      )),
    }),
  ]),
  ['appwrite', 'md5', (password) => ({ algorithm: 'md5', hash: hex('md5', password) })],
  [
    'appwrite',
    'scrypt',
    (password, salt) => ({
      algorithm: 'scrypt',
      options: { costCpu: 16, costMemory: 8, costParallel: 1, length: 64, salt: hexText(salt) },
      hash: scrypt(password, hexText(salt)).toString('hex'),
    }),
  ],
  [
    'appwrite',
    'sha',
    (password) => ({ algorithm: 'sha', options: { version: 'sha512' }, hash: hex('sha512', password) }),
    unsupported,
  ],
  [
    'appwrite',
    'scryptMod',
    (password, salt) => ({
      algorithm: 'scryptMod',
      options: { ...firebaseOptions, salt: b64(salt), signerKey: b64(signerKey) },
      hash: firebaseOf(password, salt),
    }),
    unsupported,
  ],
  ...(
    [
      ['argon2i', 'Argon2i'],
      ['argon2id', 'Argon2id'],
      ['bcrypt', 'Bcrypt'],
    ] as const
  ).map(([title, algorithm]): Row => [
    'logto',
    algorithm,
    async (password, salt) => ({
      algorithm,
      ...(await common.find(([one]) => one === title)![1](password, salt)),
    }),
  ]),
  [
    'logto',
    'Argon2d',
    async (password, salt) => ({ algorithm: 'Argon2d', hash: await argonOf('d', password, salt) }),
    unsupported,
  ],
  ['logto', 'MD5', (password) => ({ algorithm: 'MD5', hash: hex('md5', password) })],
  ['logto', 'SHA1', (password) => ({ algorithm: 'SHA1', hash: hex('sha1', password) }), unsupported],
  [
    'logto',
    'Legacy pbkdf2',
    (password, salt) =>
      legacy(
        'pbkdf2',
        [`hex:${hexText(salt)}`, '1000', '32', 'sha256', '@'],
        pbkdf2('sha256', password, salt, 32),
      ),
  ],
  [
    'logto',
    'Legacy md5, salt before',
    (password, salt) => legacy('md5', [hexText(salt), '@'], hash('md5', hexText(salt), password)),
  ],
  [
    'logto',
    'Legacy md5, salt after',
    (password, salt) => legacy('md5', ['@', hexText(salt)], hash('md5', password, hexText(salt))),
  ],
  [
    'logto',
    'Legacy md5, text on both sides',
    (password) => legacy('md5', ['a', '@', 'b'], hash('md5', 'a', password, 'b')),
    unsupported,
  ],
  ['logto', 'Legacy sha512', (password) => legacy('sha512', ['@'], hash('sha512', password)), unsupported],
  ...takesCommon('supertokens', 'bcrypt', 'argon2id'),
  [
    'supertokens',
    'Firebase',
    (password, salt) => ({
      hash: `$f_scrypt$${firebaseOf(password, salt)}$${b64(salt)}$m=4$r=8$s=${b64(separator)}`,
    }),
    unsupported,
    { secrets: firebaseSecret },
  ],
];

function hexText(salt: Buffer): string {
  return salt.toString('hex');
}

function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}

function fusionBcrypt(mcf: string): HashParts {
  return {
    algorithm: 'bcrypt',
    rounds: String(Number(mcf.slice(4, 6))),
    salt: mcf.slice(7, 29),
    hash: mcf.slice(29),
  };
}

function fusionPbkdf2(algorithm: string, digest: string, length: number): StoredForm['make'] {
  return (password, salt) => ({
    algorithm,
    rounds: '1000',
    salt: b64(salt),
    hash: b64(pbkdf2(digest, password, salt, length)),
  });
}

function legacy(name: string, args: readonly string[], digest: Buffer): HashParts {
  return { algorithm: 'Legacy', hash: JSON.stringify([name, args, digest.toString('hex')]) };
}

/** https://developer.okta.com/docs/reference/api/users/#hashed-password-object */
function oktaRows(algorithm: 'BCRYPT' | 'PBKDF2' | 'MD5' | 'SHA-1' | 'SHA-256' | 'SHA-512'): readonly Row[] {
  if (algorithm === 'BCRYPT') {
    const make: StoredForm['make'] = async (password, salt) => {
      const mcf = await bcryptOf(password, salt);
      return {
        hash: '',
        options: { algorithm, workFactor: 4, salt: mcf.slice(7, 29), value: mcf.slice(29) },
      };
    };
    return [['okta', algorithm, make]];
  }
  if (algorithm === 'PBKDF2') {
    return (['sha256', 'sha512'] as const).map((digest): Row => {
      const make: StoredForm['make'] = (password, salt) => {
        const value = b64(pbkdf2(digest, password, salt, 32));
        const digestAlgorithm = `${digest.toUpperCase()}_HMAC`;
        return {
          hash: '',
          options: { algorithm, digestAlgorithm, iterationCount: 1000, keySize: 32, salt: b64(salt), value },
        };
      };
      return ['okta', `${algorithm} ${digest}`, make];
    });
  }
  const name = algorithm.replace('-', '').toLowerCase();
  return (['PREFIX', 'POSTFIX'] as const).map((saltOrder): Row => {
    const make: StoredForm['make'] = (password, salt) => {
      // Printable, as a verifier needs it.
      const salted = Buffer.from(hexText(salt));
      const pieces = saltOrder === 'PREFIX' ? [salted, password] : [password, salted];
      return {
        hash: '',
        options: { algorithm, saltOrder, salt: b64(salted), value: b64(hash(name, ...pieces)) },
      };
    };
    return ['okta', `${algorithm} ${saltOrder}`, make, algorithm === 'MD5' ? undefined : unsupported];
  });
}

const frameworks: readonly Row[] = [
  ...['pbkdf2_sha256', 'pbkdf2_sha1'].map((name): Row => [
    'django',
    name,
    text(
      (password, salt) =>
        `${name}$1000$${hexText(salt)}$${b64(pbkdf2(name.slice(7), password, hexText(salt), 32))}`,
    ),
  ]),
  [
    'django',
    'scrypt',
    text((password, salt) => `scrypt$16$${hexText(salt)}$8$1$${b64(scrypt(password, hexText(salt)))}`),
  ],
  ['django', 'argon2', text(async (password, salt) => `argon2${await argonOf('id', password, salt)}`)],
  ['django', 'bcrypt', text(async (password, salt) => `bcrypt$${await bcryptOf(password, salt)}`)],
  [
    'django',
    'bcrypt_sha256',
    text(async (password, salt) => `bcrypt_sha256$${await bcryptOf(hex('sha256', password), salt)}`),
    prehashed,
  ],
  ['django', 'md5', text((password, salt) => `md5$${hexText(salt)}$${hex('md5', hexText(salt), password)}`)],
  ['django', 'unsalted md5', text((password) => `md5$$${hex('md5', password)}`)],
  [
    'django',
    'sha1',
    text((password, salt) => `sha1$${hexText(salt)}$${hex('sha1', hexText(salt), password)}`),
    unsupported,
  ],
  [
    'authentik',
    'pbkdf2_sha256',
    text(
      (password, salt) =>
        `pbkdf2_sha256$1000$${hexText(salt)}$${b64(pbkdf2('sha256', password, hexText(salt), 32))}`,
    ),
  ],
  ...([0, 1, 2] as const).map((prf): Row => [
    'aspnet-identity',
    `version 3, prf ${prf}`,
    text((password, salt) => aspnet(prf, password, salt)),
  ]),
  [
    'aspnet-identity',
    'version 2',
    text((password, salt) => b64(Buffer.concat([Buffer.alloc(1), salt, pbkdf2('sha1', password, salt, 32)]))),
  ],
  [
    'aspnet-identity',
    'taken over',
    text((password, salt) => `${b64(hash('sha1', salt, utf16(password)))}|1|${b64(salt)}`),
    unsupported,
  ],
  [
    'aspnet-membership',
    'SHA-1',
    (password, salt) => ({ algorithm: '1', salt: b64(salt), hash: b64(hash('sha1', salt, utf16(password))) }),
    unsupported,
  ],
  [
    'aspnet-membership',
    'HMAC',
    (password, salt) => ({
      algorithm: '1',
      salt: b64(salt),
      hash: b64(createHmac('sha256', Buffer.alloc(64, salt)).update(utf16(password)).digest()),
    }),
    unsupported,
  ],
  [
    'better-auth',
    'scrypt',
    text(
      (password, salt) =>
        `${hexText(salt)}:${scrypt(password, hexText(salt), 64, 16_384, 16).toString('hex')}`,
    ),
    undefined,
    { isDear: true },
  ],
  [
    'lucia',
    's2',
    text(
      (password, salt) =>
        `s2:${hexText(salt)}:${scrypt(password, hexText(salt), 64, 16_384, 16).toString('hex')}`,
    ),
    undefined,
    { isDear: true },
  ],
  [
    'lucia',
    'before 1.0',
    text(
      (password, salt) =>
        `${cryptText(salt, 16)}:${scrypt(password, cryptText(salt, 16), 64, 16_384, 8).toString('hex')}`,
    ),
    undefined,
    { isDear: true },
  ],
  [
    'payload',
    'version 1',
    (password, salt) => ({
      salt: hexText(salt),
      hash: `pbkdf2-sha256-v1:${pbkdf2('sha256', password, hexText(salt), 32, 600_000).toString('hex')}`,
    }),
    undefined,
    { isDear: true },
  ],
  [
    'payload',
    'before',
    (password, salt) => ({
      salt: hexText(salt),
      hash: pbkdf2('sha256', password, hexText(salt), 512, 25_000).toString('hex'),
    }),
    undefined,
    { isDear: true },
  ],
  [
    'passport-local-mongoose',
    'PBKDF2',
    (password, salt) => ({
      salt: hexText(salt),
      rounds: '1000',
      algorithm: 'sha512',
      hash: pbkdf2('sha512', password, hexText(salt), 64).toString('hex'),
    }),
  ],
  [
    'werkzeug',
    'pbkdf2',
    text(
      (password, salt) =>
        `pbkdf2:sha256:1000$${cryptText(salt, 16)}$${pbkdf2('sha256', password, cryptText(salt, 16), 32).toString('hex')}`,
    ),
  ],
  [
    'werkzeug',
    'scrypt',
    text(
      (password, salt) =>
        `scrypt:16:8:1$${cryptText(salt, 16)}$${scrypt(password, cryptText(salt, 16)).toString('hex')}`,
    ),
  ],
  ...['md5', 'sha1', 'sha256', 'sha512'].map((name): Row => [
    'werkzeug',
    `HMAC ${name}`,
    text(
      (password, salt) => `${name}$${hexText(salt)}$${hmac(name, hexText(salt), password).toString('hex')}`,
    ),
    unsupported,
  ]),
  [
    'flask-security',
    'argon2id',
    text((password, salt) => argonOf('id', b64(hmac('sha512', pepper, password)), salt)),
    peppered,
    { secrets: { SECURITY_PASSWORD_SALT: pepper } },
  ],
  [
    'flask-security',
    'in the form of Django',
    text(
      (password, salt) =>
        `pbkdf2_sha256$1000$${hexText(salt)}$${b64(pbkdf2('sha256', password, hexText(salt), 32))}`,
    ),
  ],
  [
    'fastapi-boilerplate',
    'bcrypt',
    text((password, salt) => bcryptOf(b64(hash('sha256', password)), salt)),
    prehashed,
  ],
  ['meteor', 'bcrypt', text((password, salt) => bcryptOf(hex('sha256', password), salt)), prehashed],
  ...takesCommon('symfony', 'bcrypt', 'argon2id'),
  [
    'symfony-legacy',
    'pbkdf2',
    (password, salt) => ({ salt: hexText(salt), hash: b64(pbkdf2('sha512', password, hexText(salt), 40)) }),
  ],
  [
    'symfony-legacy',
    'sha512',
    (password, salt) => ({
      salt: hexText(salt),
      algorithm: 'sha512',
      rounds: '3',
      hash: b64(again('sha512', `${password}{${hexText(salt)}}`, 3)),
    }),
    unsupported,
  ],
  ...['1', '224', '256', '384', '512'].map((bits): Row => [
    'jakarta',
    bits,
    text(
      (password, salt) =>
        `PBKDF2WithHmacSHA${bits}:1000:${b64(salt)}:${b64(pbkdf2(`sha${bits}`, password, salt, 32))}`,
    ),
  ]),
  ['devise', 'bcrypt', text((password, salt) => bcryptOf(password, salt, '2a'))],
  [
    'devise',
    'with a pepper',
    async (password, salt) => ({ secret: pepper, hash: await bcryptOf(password + pepper.toString(), salt) }),
    peppered,
  ],
  ['spring', '{bcrypt}', text(async (password, salt) => `{bcrypt}${await bcryptOf(password, salt)}`)],
  ['spring', '{argon2}', text(async (password, salt) => `{argon2}${await argonOf('id', password, salt)}`)],
  [
    'spring',
    '{pbkdf2}',
    text(
      (password, salt) =>
        `{pbkdf2}${Buffer.concat([salt.subarray(0, 8), pbkdf2('sha1', password, salt.subarray(0, 8), 32, 185_000)]).toString('hex')}`,
    ),
    undefined,
    { isDear: true },
  ],
  [
    'spring',
    '{pbkdf2@SpringSecurity_v5_8}',
    text(
      (password, salt) =>
        `{pbkdf2@SpringSecurity_v5_8}${Buffer.concat([salt, pbkdf2('sha256', password, salt, 32, 310_000)]).toString('hex')}`,
    ),
    undefined,
    { isDear: true },
  ],
  [
    'spring',
    '{scrypt}',
    text((password, salt) => `{scrypt}$40801$${b64(salt)}$${b64(scrypt(password, salt, 32))}`),
  ],
  [
    'spring',
    '{MD5}',
    text((password, salt) => `{MD5}{${hexText(salt)}}${hex('md5', password, `{${hexText(salt)}}`)}`),
  ],
  ...(['SHA-1', 'SHA-256'] as const).map((name): Row => [
    'spring',
    `{${name}}`,
    text(
      (password, salt) =>
        `{${name}}{${hexText(salt)}}${hex(name.replace('-', ''), password, `{${hexText(salt)}}`)}`,
    ),
    unsupported,
  ]),
  [
    'spring',
    '{sha256}',
    text(
      (password, salt) =>
        `{sha256}${salt.subarray(0, 8).toString('hex')}${again('sha256', Buffer.concat([salt.subarray(0, 8), Buffer.from(password)]), 1024, '').toString('hex')}`,
    ),
    unsupported,
  ],
  [
    'adonis',
    'scrypt',
    text((password, salt) => `$scrypt$n=16,r=8,p=1$${bare(salt)}$${bare(scrypt(password, salt))}`),
  ],
  ['adonis', 'argon2', text(async (password, salt) => await argonOf('id', password, salt, 't=1,m=16,p=1'))],
  ['adonis', 'bcrypt', text(async (password, salt) => phcBcrypt(await bcryptOf(password, salt)))],
];

/** Salt and digest of bcrypt in standard base64. */
function phcBcrypt(mcf: string): string {
  const own = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const usual = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const recode = (part: string): string => Array.from(part, (one) => usual[own.indexOf(one)]).join('');
  return `$bcrypt$v=98$r=4$${recode(mcf.slice(7, 29))}$${recode(mcf.slice(29))}`;
}

/** The digest again, with the same text behind it. */
function again(name: string, first: string | Buffer, rounds: number, more: string | Buffer = first): Buffer {
  let digest = hash(name, first);
  for (let round = 1; round < rounds; round++) digest = hash(name, digest, more);
  return digest;
}

const servers: readonly Row[] = [
  ...takesCommon('kratos', 'bcrypt', 'argon2i', 'argon2id', 'PBKDF2 of PHC'),
  [
    'kratos',
    'scrypt',
    text((password, salt) => `$scrypt$ln=16,r=8,p=1$${b64(salt)}$${b64(scrypt(password, salt, 32))}`),
  ],
  ['kratos', 'md5', text((password) => `$md5$${b64(hash('md5', password))}`)],
  [
    'kratos',
    'md5 with a pattern',
    text(
      (password, salt) =>
        `$md5$pf=${b64(Buffer.from('x{SALT}:{PASSWORD}'))}$${b64(Buffer.from(hexText(salt)))}$${b64(hash('md5', `x${hexText(salt)}:`, password))}`,
    ),
  ],
  [
    'kratos',
    'md5 on both sides',
    text(
      (password, salt) =>
        `$md5$pf=${b64(Buffer.from('{SALT}{PASSWORD}!'))}$${b64(Buffer.from(hexText(salt)))}$${b64(hash('md5', hexText(salt), password, '!'))}`,
    ),
    unsupported,
  ],
  [
    'kratos',
    'sha512',
    text(
      (password, salt) =>
        `$sha512$pf=${b64(Buffer.from('{SALT}{PASSWORD}'))}$${b64(Buffer.from(hexText(salt)))}$${b64(hash('sha512', hexText(salt), password))}`,
    ),
    unsupported,
  ],
  [
    'kratos',
    '$md5-crypt$',
    text(async (password, salt) => (await cryptOf(1, password, salt)).replace('$1$', '$md5-crypt$')),
  ],
  [
    'kratos',
    '$sha512-crypt$',
    text(async (password, salt) => (await cryptOf(6, password, salt)).replace('$6$', '$sha512-crypt$')),
  ],
  [
    'kratos',
    'SHA-3',
    text(
      (password, salt) =>
        `$pbkdf2-sha384$i=1000,l=32$${bare(salt)}$${bare(pbkdf2('sha3-384', password, salt, 32))}`,
    ),
    unsupported,
  ],
  ['kratos', '{SSHA}', text((password, salt) => `{SSHA}${blob('sha1', password, salt)}`), unsupported],
  [
    'kratos',
    'Firebase',
    text(
      (password, salt) =>
        `$firescrypt$ln=4,r=8,p=1$${b64(salt)}$${firebaseOf(password, salt)}$${b64(separator)}$${b64(signerKey)}`,
    ),
    unsupported,
  ],
  ...takesCommon('authelia', 'argon2id', '$6$', '$5$', 'scrypt', 'PBKDF2 of passlib', 'bcrypt'),
  ...(['bcrypt', 'argon2id'] as const).map((algorithm): Row => [
    'casdoor',
    algorithm,
    async (password, salt) => ({
      algorithm,
      salt: 'unused',
      ...(await common.find(([one]) => one === algorithm)![1](password, salt)),
    }),
  ]),
  [
    'casdoor',
    'pbkdf2-salt',
    (password, salt) => ({
      algorithm: 'pbkdf2-salt',
      salt: b64(salt),
      hash: b64(pbkdf2('sha256', password, salt, 64, 27_500)),
    }),
    undefined,
    { isDear: true },
  ],
  [
    'casdoor',
    'pbkdf2-django',
    (password, salt) => ({
      algorithm: 'pbkdf2-django',
      hash: `pbkdf2_sha256$1000$${hexText(salt)}$${b64(pbkdf2('sha256', password, hexText(salt), 32))}`,
    }),
  ],
  [
    'casdoor',
    'salt',
    (password, salt) => ({
      algorithm: 'salt',
      salt: hexText(salt),
      hash: hex('sha256', hex('sha256', password), hexText(salt)),
    }),
    unsupported,
  ],
  [
    'casdoor',
    'sha512-salt',
    (password, salt) => ({
      algorithm: 'sha512-salt',
      salt: hexText(salt),
      hash: hex('sha512', hex('sha512', password), hexText(salt)),
    }),
    unsupported,
  ],
  [
    'casdoor',
    'md5-salt',
    (password, salt) => ({
      algorithm: 'md5-salt',
      salt: hexText(salt),
      hash: hex('md5', hex('md5', password), hexText(salt)),
    }),
    unsupported,
  ],
  [
    'casdoor',
    'md5-salt without a salt',
    (password) => ({ algorithm: 'md5-salt', hash: hex('md5', hex('md5', password)) }),
    'password:ambiguous-format',
  ],
  [
    'wso2',
    'PBKDF2',
    (password, salt) => ({
      algorithm: 'PBKDF2',
      rounds: '1000',
      salt: b64(salt),
      hash: b64(pbkdf2('sha256', password, b64(salt), 32)),
    }),
  ],
  ...['SHA-1', 'SHA-256', 'SHA-512', 'MD5'].map((algorithm): Row => [
    'wso2',
    algorithm,
    (password, salt) => ({
      algorithm,
      salt: b64(salt),
      hash: b64(hash(algorithm.replace('-', ''), password, b64(salt))),
    }),
    algorithm === 'MD5' ? undefined : unsupported,
  ]),
  [
    'kanidm',
    'ARGON2ID',
    async (password, salt) => ({
      hash: JSON.stringify({
        ARGON2ID: {
          m: 16,
          t: 1,
          p: 1,
          v: 19,
          s: salt.toString('base64url'),
          k: Buffer.from(await argonKey('id', password, salt)).toString('base64url'),
        },
      }),
    }),
  ],
  [
    'kanidm',
    'PBKDF2',
    (password, salt) => ({
      hash: JSON.stringify({ PBKDF2_SHA512: [1000, [...salt], [...pbkdf2('sha512', password, salt, 64)]] }),
    }),
  ],
  [
    'kanidm',
    'TPM_ARGON2ID',
    () => ({ hash: '{"TPM_ARGON2ID":{"m":16}}' }),
    'password:encrypted-by-source',
    { withoutForm: true },
  ],
  [
    'gitea',
    'pbkdf2',
    (password, salt) => ({
      algorithm: 'pbkdf2$1000$50',
      salt: hexText(salt),
      hash: pbkdf2('sha256', password, salt, 50).toString('hex'),
    }),
  ],
  [
    'gitea',
    'an old salt',
    (password, salt) => ({
      algorithm: 'pbkdf2',
      salt: cryptText(salt, 10),
      hash: pbkdf2('sha256', password, cryptText(salt, 10), 50, 10_000).toString('hex'),
    }),
    undefined,
    { isDear: true },
  ],
  [
    'gitea',
    'scrypt',
    (password, salt) => ({
      algorithm: 'scrypt$16$8$1$50',
      salt: hexText(salt),
      hash: scrypt(password, salt, 50).toString('hex'),
    }),
  ],
  [
    'gitea',
    'argon2',
    async (password, salt) => ({
      algorithm: 'argon2$1$16$1$32',
      salt: hexText(salt),
      hash: Buffer.from(await argonKey('id', password, salt)).toString('hex'),
    }),
  ],
  [
    'crowd',
    '{PKCS5S2}',
    text(
      (password, salt) =>
        `{PKCS5S2}${b64(Buffer.concat([salt, pbkdf2('sha1', password, salt, 32, 10_000)]))}`,
    ),
    undefined,
    { isDear: true },
  ],
  ...takesCommon('shadow', '$1$', '$5$', '$6$', 'bcrypt'),
  ...takesCommon('gitlab', 'bcrypt', 'PBKDF2 of passlib'),
  ...takesCommon('odoo', 'PBKDF2 of passlib'),
  ...(['SHA', 'SHA256', 'SHA384', 'SHA512'] as const).map((scheme): Row => [
    'ldap',
    `{${scheme}}`,
    text((password) => `{${scheme}}${b64(hash(scheme === 'SHA' ? 'sha1' : scheme, password))}`),
    unsupported,
  ]),
  ...(['SSHA', 'SSHA256', 'SSHA512'] as const).map((scheme): Row => [
    'ldap',
    `{${scheme}}`,
    text(
      (password, salt) => `{${scheme}}${blob(scheme === 'SSHA' ? 'sha1' : scheme.slice(1), password, salt)}`,
    ),
    unsupported,
  ]),
  ['ldap', '{MD5}', text((password) => `{MD5}${b64(hash('md5', password))}`)],
  [
    'ldap',
    '{SMD5} with text',
    text((password, salt) => `{SMD5}${blob('md5', password, Buffer.from(hexText(salt)))}`),
  ],
  [
    'ldap',
    '{SMD5} with bytes',
    text((password) => `{smd5}${blob('md5', password, Buffer.alloc(8, 0xff))}`),
    'password:unverifiable',
  ],
  ...(['', '-SHA1', '-SHA256', '-SHA512'] as const).map((end): Row => [
    'ldap',
    `{PBKDF2${end}}`,
    text(
      (password, salt) =>
        `{PBKDF2${end}}1000$${ab64(salt)}$${ab64(pbkdf2(end.slice(1) || 'sha1', password, salt, 20))}`,
    ),
  ]),
  [
    'ldap',
    '{PBKDF2_SHA256}',
    text((password, salt) => {
      const long = Buffer.concat([salt, salt, salt, salt]);
      const rounds = Buffer.alloc(4);
      rounds.writeUInt32BE(1000);
      return `{PBKDF2_SHA256}${b64(Buffer.concat([rounds, long, pbkdf2('sha256', password, long, 256)]))}`;
    }),
  ],
  ['ldap', '{ARGON2}', text(async (password, salt) => `{ARGON2}${await argonOf('id', password, salt)}`)],
  ['ldap', '{CRYPT}', text(async (password, salt) => `{crypt}${await cryptOf(6, password, salt)}`)],
  [
    'ldap',
    '{BLF-CRYPT}',
    text(async (password, salt) => `{BLF-CRYPT}${await bcryptOf(password, salt, '2y')}`),
  ],
];

const applications: readonly Row[] = [
  ...takesCommon('wordpress', 'phpass', 'bcrypt', 'argon2id'),
  ['wordpress', 'md5', text((password) => hex('md5', password))],
  [
    'wordpress',
    '6.8',
    text(
      async (password, salt) =>
        `$wp${await bcryptOf(b64(hmac('sha384', 'wp-sha384', password)), salt, '2y')}`,
    ),
    prehashed,
  ],
  ...takesCommon('drupal', 'Drupal 7', 'bcrypt'),
  ['drupal', 'taken over', text((password, salt) => `U${drupal(hex('md5', password), salt)}`), prehashed],
  ...takesCommon('joomla', 'bcrypt', 'phpass'),
  ['joomla', 'md5', text((password, salt) => `${hex('md5', password, hexText(salt))}:${hexText(salt)}`)],
  [
    'joomla',
    '{SHA256}',
    text((password, salt) => `{SHA256}${hex('sha256', password, hexText(salt))}:${hexText(salt)}`),
    unsupported,
  ],
  ...takesCommon('phpbb', 'bcrypt', 'argon2id'),
  ['phpbb', '$H$', text((password, salt) => phpass(password, salt, 'H'))],
  [
    'mediawiki',
    'pbkdf2',
    text(
      (password, salt) => `:pbkdf2:sha512:1000:64:${b64(salt)}:${b64(pbkdf2('sha512', password, salt, 64))}`,
    ),
  ],
  ['mediawiki', 'argon2', text(async (password, salt) => `:argon2:${await argonOf('id', password, salt)}`)],
  [
    'mediawiki',
    'bcrypt',
    text(async (password, salt) => {
      const mcf = await bcryptOf(password, salt);
      return `:bcrypt:4$${mcf.slice(7)}`;
    }),
  ],
  ['mediawiki', 'A', text((password) => `:A:${hex('md5', password)}`)],
  [
    'mediawiki',
    'B',
    text((password, salt) => `:B:${hexText(salt)}:${hex('md5', `${hexText(salt)}-`, hex('md5', password))}`),
    unsupported,
  ],
  [
    'discourse',
    'PBKDF2',
    (password, salt) => ({
      salt: hexText(salt),
      algorithm: '$pbkdf2-sha256$i=1000,l=32$',
      hash: pbkdf2('sha256', password, hexText(salt), 32).toString('hex'),
    }),
  ],
  ['nextcloud', '3', text(async (password, salt) => `3|${await argonOf('id', password, salt)}`)],
  ['nextcloud', '1', text(async (password, salt) => `1|${await bcryptOf(password, salt, '2y')}`)],
  [
    'nextcloud',
    'bcrypt of ownCloud',
    text((password, salt) => bcryptOf(password + pepper.toString(), salt)),
    peppered,
    { secrets: { passwordsalt: pepper } },
  ],
  ['nextcloud', 'SHA-1', text((password) => hex('sha1', password)), unsupported],
  ...takesCommon('moodle', 'bcrypt', '$6$'),
  [
    'moodle',
    'md5',
    (password) => ({ secret: pepper, hash: hex('md5', password, pepper) }),
    'password:unverifiable',
  ],
  [
    'moodle',
    'md5 with the salt of the site',
    (password) => ({ secret: Buffer.from('pepper'), hash: hex('md5', password, 'pepper') }),
  ],
  [
    'moodle',
    'with a pepper',
    async (password, salt) => ({
      secret: pepper,
      hash: await cryptOf(6, password + pepper.toString(), salt),
    }),
    peppered,
  ],
  [
    'magento',
    'md5',
    text((password, salt) => `${hex('md5', cryptText(salt, 8), password)}:${cryptText(salt, 8)}`),
  ],
  [
    'magento',
    'version 1',
    text((password, salt) => `${hex('sha256', hexText(salt), password)}:${hexText(salt)}:1`),
    unsupported,
  ],
  [
    'magento',
    'version 3',
    text(
      async (password, salt) =>
        `${Buffer.from(await argonKey('id', password, Buffer.from(hexText(salt).slice(0, 16)))).toString('hex')}:${hexText(salt)}:3_32_1_16384`,
    ),
  ],
  ['prestashop', 'md5', (password) => ({ secret: Buffer.from('key'), hash: hex('md5', 'key', password) })],
  [
    'prestashop',
    'md5 without the key',
    (password) => ({ hash: hex('md5', pepper, password) }),
    peppered,
    { secrets: { _COOKIE_KEY_: pepper } },
  ],
  ...takesCommon('prestashop', 'bcrypt'),
  [
    'vbulletin',
    '3',
    (password, salt) => ({ salt: hexText(salt), hash: hex('md5', hex('md5', password), hexText(salt)) }),
    unsupported,
  ],
  ['vbulletin', '5', text((password, salt) => bcryptOf(hex('md5', password), salt)), prehashed],
  [
    'mybb',
    'md5',
    (password, salt) => ({
      salt: hexText(salt),
      hash: hex('md5', hex('md5', hexText(salt)), hex('md5', password)),
    }),
    unsupported,
  ],
  ...takesCommon('mybb', 'bcrypt'),
  ['smf', 'sha1', (password) => ({ salt: 'Ada', hash: hex('sha1', 'ada', password) }), unsupported],
  [
    'smf',
    'bcrypt',
    async (password, salt) => ({ salt: 'Ada', hash: await bcryptOf(`ada${password}`, salt) }),
    prehashed,
  ],
  [
    'woltlab',
    'twice',
    text(async (password, salt) => bcryptOf(await bcryptOf(password, salt), salt)),
    prehashed,
  ],
  [
    'xenforo',
    'bcrypt',
    text(async (password, salt) => `a:1:{s:4:"hash";s:60:"${await bcryptOf(password, salt)}";}`),
  ],
];

const shared: readonly Row[] = [
  ...takesCommon('mcf'),
  ...takesCommon('auto'),
  [
    'auto',
    'django',
    text(
      (password, salt) =>
        `pbkdf2_sha256$1000$${hexText(salt)}$${b64(pbkdf2('sha256', password, hexText(salt), 32))}`,
    ),
  ],
  ['auto', 'ASP.NET', text((password, salt) => aspnet(2, password, salt))],
  ['auto', '{SSHA}', text((password, salt) => `{SSHA}${blob('sha1', password, salt)}`), unsupported],
  [
    'auto',
    'digits',
    text((password) => hex('md5', password)),
    'password:ambiguous-format',
    { withoutForm: true },
  ],
  ...takesCommon('bcrypt', 'bcrypt'),
  ...takesCommon('argon2', 'argon2i', 'argon2id'),
  ...takesCommon('phpass', 'phpass'),
  ...takesCommon('sha-crypt', '$1$', '$5$', '$6$'),
  ['mcf', 'argon2d', text((password, salt) => argonOf('d', password, salt)), unsupported],
  [
    'mcf',
    '$apr1$',
    text(
      async (password, salt) =>
        `$apr1$${cryptText(salt, 8)}$${await md5CryptChecksum(Buffer.from(password), Buffer.from(cryptText(salt, 8)), '$apr1$')}`,
    ),
    unsupported,
  ],
  ['md5', 'digits', text((password) => hex('md5', password))],
  ['md5', 'base64', text((password) => b64(hash('md5', password)))],
  ['nt-hash', 'MD4', text((password) => md4(utf16(password))), unsupported],
];

export const storedForms: readonly StoredForm[] = [
  ...shared,
  ...hosted,
  ...frameworks,
  ...servers,
  ...applications,
].map(([decoder, title, make, code, more]) => ({
  decoder,
  title,
  make,
  ...(code === undefined ? {} : { code }),
  ...more,
}));
