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
  /** The source does not say how the hash is checked. */
  readonly withoutForm?: true;
}

const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const bare = (bytes: Uint8Array) => b64(bytes).replace(/=+$/, '');

const hash = (name: string, ...parts: (string | Buffer)[]): Buffer => {
  const digest = createHash(name);
  for (const part of parts) digest.update(part);
  return digest.digest();
};
const hex = (name: string, ...parts: (string | Buffer)[]) => hash(name, ...parts).toString('hex');
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

const bcryptOf = (password: string, salt: Buffer, version = '2b') =>
  deriveBcrypt({
    password: Buffer.from(password).subarray(0, 72),
    salt,
    costFactor: 4,
    outputType: 'encoded',
  }).then((mcf) => `$${version}$${mcf.slice(4)}`);

const argon = { i: argon2i, d: argon2d, id: argon2id };
const argonKey = (variant: 'i' | 'd' | 'id', password: string, salt: Buffer) =>
  argon[variant]({
    password,
    salt,
    iterations: 1,
    memorySize: 16,
    parallelism: 1,
    hashLength: 32,
    outputType: 'binary',
  });
async function argonOf(variant: 'i' | 'd' | 'id', password: string, salt: Buffer, costs = 'm=16,t=1,p=1') {
  return `$argon2${variant}$v=19$${costs}$${bare(salt)}$${bare(await argonKey(variant, password, salt))}`;
}

const cryptAlphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const cryptText = (salt: Buffer, length: number) =>
  Array.from(salt.subarray(0, length), (byte) => cryptAlphabet[byte & 63]).join('');

/** Three bytes as four characters, lowest bits first. */
function cryptBase64(bytes: Buffer) {
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
function portable(name: 'md5' | 'sha512', mark: string, log2: number, password: string, salt: Buffer) {
  const text = cryptText(salt, 8);
  let digest = hash(name, text, password);
  for (let round = 0; round < 2 ** log2; round++) digest = hash(name, digest, password);
  const whole = `$${mark}$${cryptAlphabet[log2]}${text}${cryptBase64(digest)}`;
  return name === 'sha512' ? whole.slice(0, 55) : whole;
}
const phpass = (password: string, salt: Buffer, mark = 'P') => portable('md5', mark, 7, password, salt);

async function cryptOf(id: 1 | 5 | 6, password: string, salt: Buffer) {
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
function firebaseOf(password: string, salt: Buffer) {
  const key = scrypt(password, Buffer.concat([salt, separator]), 64, 2 ** 4, 8).subarray(0, 32);
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return b64(Buffer.concat([cipher.update(signerKey), cipher.final()]));
}

const firebaseSecret = { base64_signer_key: signerKey };

function aspnet(prf: 0 | 1 | 2, password: string, salt: Buffer) {
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
  more?: Pick<StoredForm, 'secrets' | 'withoutForm'>,
];

/** Of a text alone. */
const text =
  (make: (password: string, salt: Buffer) => string | Promise<string>): StoredForm['make'] =>
  async (password, salt) => ({ hash: await make(password, salt) });

/** Hash strings that many sources have. */
const common = {
  bcrypt: text((password, salt) => bcryptOf(password, salt)),
  argon2id: text((password, salt) => argonOf('id', password, salt)),
  argon2i: text((password, salt) => argonOf('i', password, salt)),
  phpass: text((password, salt) => phpass(password, salt)),
  $1$: text((password, salt) => cryptOf(1, password, salt)),
  $5$: text((password, salt) => cryptOf(5, password, salt)),
  $6$: text((password, salt) => cryptOf(6, password, salt)),
};

/** Every algorithm of Auth0's schema, with each encoding and place of the salt. */
const auth0Rows: readonly Row[] = [
  ...(['bcrypt', 'argon2id', 'argon2i'] as const).map((title): Row => {
    const algorithm = title === 'bcrypt' ? 'bcrypt' : 'argon2';
    return auth0Row(title, async (password, salt) => ({
      algorithm,
      hash: { value: (await common[title](password, salt)).hash, encoding: 'utf8' },
    }));
  }),
  auth0Row('pbkdf2', (password, salt) => ({
    algorithm: 'pbkdf2',
    hash: { value: `$pbkdf2-sha1$i=1000,l=20$${bare(salt)}$${bare(pbkdf2('sha1', password, salt, 20))}` },
  })),
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
  ['clerk', 'sha256', (password) => ({ hash: hex('sha256', password), algorithm: 'sha256' }), unsupported],
  [
    'clerk',
    'bcrypt_peppered',
    async (password, salt) => ({
      hash: `${await bcryptOf(`${password}${pepper.toString()}`, salt)}$${pepper.toString()}`,
      algorithm: 'bcrypt_peppered',
    }),
    peppered,
  ],
  [
    'supabase',
    'encrypted',
    () => ({ hash: '{"key_id":"1","alg":"aes-gcm-hkdf","data":"x","nonce":"y"}' }),
    'password:encrypted-by-source',
    { withoutForm: true },
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
    'scrypt_firebase',
    (password, salt) => ({
      algorithm: 'scrypt_firebase',
      hash: [firebaseOf(password, salt), b64(salt), b64(signerKey), b64(separator), 8, 4].join('$'),
    }),
    unsupported,
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
  ...['sha256_salted', 'sha512_symfony', 'hmac_sha256_utf16_b64', 'one_of_tomorrow'].map((algorithm): Row => [
    'clerk',
    algorithm,
    () => ({ algorithm, hash: 'AAAA' }),
    unsupported,
    { withoutForm: true },
  ]),
  ['firebase', 'redacted', () => ({ hash: 'UkVEQUNURUQ=' }), 'password:redacted', { withoutForm: true }],
  ['firebase', 'redacted', () => ({ hash: 'UkVEQUNURUQ9PT0=' }), 'password:redacted', { withoutForm: true }],
  [
    'firebase',
    'of the emulator',
    (password) => ({ hash: `fakeHash:salt=x:password=${password}` }),
    unsupported,
    { withoutForm: true },
  ],
  [
    'okta',
    'BCRYPT',
    async (password, salt) => {
      const mcf = await bcryptOf(password, salt);
      const value = mcf.slice(29);
      return { hash: '', options: { algorithm: 'BCRYPT', workFactor: 4, salt: mcf.slice(7, 29), value } };
    },
  ],
  ...(['PREFIX', 'POSTFIX'] as const).map((saltOrder): Row => [
    'okta',
    `MD5 ${saltOrder}`,
    (password, salt) => {
      // Printable, as a verifier needs it.
      const salted = Buffer.from(hexText(salt));
      const pieces = saltOrder === 'PREFIX' ? [salted, password] : [password, salted];
      const value = b64(hash('md5', ...pieces));
      return { hash: '', options: { algorithm: 'MD5', saltOrder, salt: b64(salted), value } };
    },
  ]),
  [
    'okta',
    'no hash',
    () => ({ hash: '{"credentials":{}}', options: {} }),
    unsupported,
    { withoutForm: true },
  ],
  ['fusionauth', 'bcrypt', async (password, salt) => fusionBcrypt(await bcryptOf(password, salt, '2a'))],
  [
    'fusionauth',
    'salted-pbkdf2-hmac-sha512-512',
    fusionPbkdf2('salted-pbkdf2-hmac-sha512-512', 'sha512', 64),
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
  ...(['bcrypt', '$1$', '$5$', '$6$', 'phpass'] as const).map((title): Row => [
    'kinde',
    title,
    async (password, salt) => ({
      ...(await common[title](password, salt)),
      algorithm: { bcrypt: 'bcrypt', phpass: 'wordpress' }[title as string] ?? 'crypt',
    }),
  ]),
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
    'sha256',
    (password, salt) => ({
      algorithm: 'sha256',
      salt: hexText(salt),
      options: { salt_position: 'suffix' },
      hash: hex('sha256', password, hexText(salt)),
    }),
    unsupported,
  ],
  [
    'appwrite',
    'sha',
    (password) => ({ algorithm: 'sha', options: { version: 'sha512' }, hash: hex('sha512', password) }),
    unsupported,
  ],
  ['logto', 'MD5', (password) => ({ algorithm: 'MD5', hash: hex('md5', password) })],
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

function hexText(salt: Buffer) {
  return salt.toString('hex');
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

const djangoPbkdf2 = text(
  (password, salt) =>
    `pbkdf2_sha256$1000$${hexText(salt)}$${b64(pbkdf2('sha256', password, hexText(salt), 32))}`,
);

const frameworks: readonly Row[] = [
  [
    'aspnet-identity',
    'taken over',
    text((password, salt) => `${b64(hash('sha1', salt, utf16(password)))}|1|${b64(salt)}`),
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
    'HMAC',
    text((password, salt) => `md5$${hexText(salt)}$${hmac('md5', hexText(salt), password).toString('hex')}`),
    unsupported,
  ],
  [
    'devise',
    'with a pepper',
    async (password, salt) => ({
      hash: await bcryptOf(`${password}${pepper.toString()}`, salt),
      secret: pepper,
    }),
    peppered,
  ],
  [
    'flask-security',
    'bcrypt of an HMAC',
    text((password, salt) => bcryptOf(b64(hmac('sha512', pepper, password)), salt)),
    peppered,
    { secrets: { SECURITY_PASSWORD_SALT: pepper } },
  ],
  [
    'adonis',
    'bcrypt',
    text(async (password, salt) => {
      const mcf = await bcryptOf(password, salt);
      const usual = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
      const own = `./${usual.slice(0, -2)}`;
      const recode = (part: string) => Array.from(part, (one) => usual[own.indexOf(one)]).join('');
      return `$bcrypt$v=98$r=4$${recode(mcf.slice(7, 29))}$${recode(mcf.slice(29))}`;
    }),
  ],
  ...['authentik', 'flask-security'].map((decoder): Row => [decoder, 'in the form of Django', djangoPbkdf2]),
];

const servers: readonly Row[] = [
  [
    'wso2',
    'SHA-256',
    (password, salt) => ({
      hash: b64(hash('sha256', password, hexText(salt))),
      salt: hexText(salt),
      algorithm: 'SHA-256',
    }),
    unsupported,
  ],
  ['kratos', 'md5', text((password) => `$md5$${b64(hash('md5', password))}`)],
  [
    'kratos',
    '$sha512-crypt$',
    text(async (password, salt) => (await cryptOf(6, password, salt)).replace('$6$', '$sha512-crypt$')),
  ],
  [
    'kratos',
    'Firebase',
    text(
      (password, salt) =>
        `$firescrypt$ln=4,r=8,p=1$${b64(salt)}$${firebaseOf(password, salt)}$${b64(separator)}$${b64(signerKey)}`,
    ),
    unsupported,
  ],
  ...(['bcrypt', 'argon2id'] as const).map((algorithm): Row => [
    'casdoor',
    algorithm,
    async (password, salt) => ({
      algorithm,
      salt: 'unused',
      ...(await common[algorithm](password, salt)),
    }),
  ]),
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
    'kanidm',
    'PBKDF2',
    (password, salt) => ({
      hash: JSON.stringify({ PBKDF2_SHA512: [1000, [...salt], [...pbkdf2('sha512', password, salt, 64)]] }),
    }),
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
];

const applications: readonly Row[] = [
  [
    'joomla',
    'SHA-256',
    text((password, salt) => `{SHA256}${hex('sha256', password, hexText(salt))}:${hexText(salt)}`),
    unsupported,
  ],
  [
    'vbulletin',
    'MD5 of an MD5',
    (password, salt) => ({ hash: hex('md5', hex('md5', password), hexText(salt)), salt: hexText(salt) }),
    unsupported,
  ],
  [
    'smf',
    'bcrypt',
    async (password, salt) => ({ hash: await bcryptOf(`ada${password}`, salt), salt: 'Ada' }),
    prehashed,
  ],
  [
    'moodle',
    'MD5 with the salt of the site',
    (password, salt) => ({ hash: hex('md5', password, hexText(salt)), secret: Buffer.from(hexText(salt)) }),
  ],
  ['joomla', 'bcrypt', common.bcrypt],
  [
    'nextcloud',
    'bcrypt of ownCloud',
    text((password, salt) => bcryptOf(password + pepper.toString(), salt)),
    peppered,
    { secrets: { passwordsalt: pepper } },
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
    'mybb',
    'md5',
    (password, salt) => ({
      salt: hexText(salt),
      hash: hex('md5', hex('md5', hexText(salt)), hex('md5', password)),
    }),
    unsupported,
  ],
  ['smf', 'sha1', (password) => ({ salt: 'Ada', hash: hex('sha1', 'ada', password) }), unsupported],
  [
    'xenforo',
    'bcrypt',
    text(async (password, salt) => `a:1:{s:4:"hash";s:60:"${await bcryptOf(password, salt)}";}`),
  ],
];

const shared: readonly Row[] = [
  ['auto', 'django', djangoPbkdf2],
  [
    'auto',
    '{SSHA}',
    text((password, salt) => `{SSHA}${b64(Buffer.concat([hash('sha1', password, salt), salt]))}`),
    unsupported,
  ],
  [
    'auto',
    'Firebase, as Supabase keeps it',
    text(
      (password, salt) =>
        `$fbscrypt$v=1,n=4,r=8,p=1,ss=${b64(separator)},sk=${b64(signerKey)}$${b64(salt)}$${firebaseOf(password, salt)}`,
    ),
    unsupported,
  ],
  ['auto', 'ASP.NET', text((password, salt) => aspnet(2, password, salt))],
  [
    'auto',
    'digits',
    text((password) => hex('md5', password)),
    'password:ambiguous-format',
    { withoutForm: true },
  ],
  ['argon2', 'argon2id', common.argon2id],
  ['phpass', 'phpass', common.phpass],
  ['sha-crypt', '$5$', common.$5$],
  ['md5', 'digits', text((password) => hex('md5', password))],
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
