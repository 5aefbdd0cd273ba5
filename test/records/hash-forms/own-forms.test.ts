/** Hashes made here, as each source makes them: what other files do not cover, and what no file has. */
import { createCipheriv, createHash, createHmac, pbkdf2Sync, scryptSync } from 'node:crypto';
import { bcrypt } from 'hash-wasm';
import { describe, expect, it, test } from 'vitest';
import { type Decoded, isRefused } from '../../../src/records/hash-forms/decoded.ts';
import type { HashParts } from '../../../src/records/hash-forms/row.ts';
import { decodeHash } from '../../../src/records/hash-forms/decode.ts';
import { hashDecoders } from '../../../src/records/hash-forms/decoders.ts';
import { secretsOf } from '../../../src/records/hash-forms/form.ts';
import { type Secrets, verifyDecoded, verifyForm } from '../../../src/records/hash-forms/verify-form.ts';
import { verifyPassword } from '../../../src/records/mcf/verify.ts';

const password = 'Grüezi & <ﬁve>';
const salt = 'pinch0of0salt0ab';
const digest = (name: string, data: string | Buffer, as: 'hex' | 'base64' = 'hex'): string =>
  createHash(name).update(data).digest(as);
const bcryptOf = (text: string, cost = 4): Promise<string> =>
  bcrypt({
    password: Buffer.from(text).subarray(0, 72),
    salt: Buffer.from(salt),
    costFactor: cost,
    outputType: 'encoded',
  });

function firebase(signerKey: Buffer, separator: Buffer): string {
  const all = Buffer.concat([Buffer.from(salt), separator]);
  const key = scryptSync(password, all, 64, { cost: 2 ** 10, blockSize: 8, parallelization: 1 });
  const cipher = createCipheriv('aes-256-ctr', key.subarray(0, 32), Buffer.alloc(16));
  return Buffer.concat([cipher.update(signerKey), cipher.final()]).toString('base64');
}

function decode(name: string, parts: HashParts): Decoded {
  const decoder = hashDecoders.get(name);
  if (decoder === undefined) throw new Error(`there is no decoder ${name}`);
  return decodeHash(decoder, parts);
}

const signerKey = Buffer.alloc(64, 7);
const separator = Buffer.from([7]);
const ssha = (name: string): string =>
  Buffer.concat([createHash(name).update(password).update(salt).digest(), Buffer.from(salt)]).toString(
    'base64',
  );
const vbulletin = digest('md5', digest('md5', password) + salt);

const flask = createHmac('sha512', 'the pepper').update(password).digest('base64');

/** Refused, and still the source would know the password. */
type Row = readonly [name: string, parts: HashParts, code: string, secrets?: Secrets];

const refused: readonly Row[] = [
  ['auto', { hash: `{SSHA}${ssha('sha1')}` }, 'password:algorithm-unsupported'],
  ['vbulletin', { hash: vbulletin, salt }, 'password:algorithm-unsupported'],
  ['smf', { hash: await bcryptOf(`ada${password}`), salt: 'Ada' }, 'password:prehashed'],
  [
    'joomla',
    { hash: `{SHA256}${digest('sha256', password + salt)}:${salt}` },
    'password:algorithm-unsupported',
  ],
  [
    'casdoor',
    { hash: digest('sha256', digest('sha256', password) + salt), salt, algorithm: 'salt' },
    'password:algorithm-unsupported',
  ],
  [
    'wso2',
    { hash: digest('sha256', password + salt, 'base64'), salt, algorithm: 'SHA-256' },
    'password:algorithm-unsupported',
  ],
  ['clerk', { hash: digest('sha256', password), algorithm: 'sha256' }, 'password:algorithm-unsupported'],
  [
    'clerk',
    { hash: `${await bcryptOf(`${password}the pepper`)}$the pepper`, algorithm: 'bcrypt_peppered' },
    'password:peppered',
  ],
  [
    'devise',
    { hash: await bcryptOf(`${password}the pepper`), secret: Buffer.from('the pepper') },
    'password:peppered',
  ],
  [
    'flask-security',
    { hash: await bcryptOf(flask) },
    'password:peppered',
    { SECURITY_PASSWORD_SALT: Buffer.from('the pepper') },
  ],
  [
    'auto',
    {
      hash: `$fbscrypt$v=1,n=10,r=8,p=1,ss=Bw==,sk=${signerKey.toString('base64')}$${Buffer.from(salt).toString('base64')}$${firebase(signerKey, separator)}`,
    },
    'password:algorithm-unsupported',
  ],
  ['shadow', { hash: '$apr1$TqI9WECO$10MRx49hNgwG9D8oxb9I1/' }, 'password:algorithm-unsupported'],
];

describe('a hash that no verifier of the target knows', () => {
  it.each(refused.map((row) => [row[0], row] as const))('%s %o', async (_name, row) => {
    const [name, parts, code, secrets] = row;
    const decoded = decode(name, parts);
    expect(decoded).toMatchObject({ code });
    const form = isRefused(decoded) ? decoded.form : undefined;
    const accepts = form === undefined ? 'no form' : await verifyForm(form, password, secrets);
    expect(accepts).toBe(true);
    expect(form !== undefined && (await verifyForm(form, `${password}?`, secrets))).toBe(false);
    expect(JSON.parse(JSON.stringify(decoded))).toEqual(decoded);
  });

  it('needs the secret by its name, and says so', async () => {
    const decoded = decode('flask-security', { hash: await bcryptOf(flask) });
    expect(isRefused(decoded) && decoded.form !== undefined && secretsOf(decoded.form)).toEqual([
      'SECURITY_PASSWORD_SALT',
    ]);
    expect(await verifyDecoded(decoded, password)).toMatchObject({ code: 'password:peppered' });
  });

  it('Symfony: 64 bytes of which nothing is declared are the SHA-512 of FOSUserBundle, not PBKDF2', () => {
    const [long, short] = [64, 40].map((length) => Buffer.alloc(length, 7).toString('base64'));
    const decoded = decode('symfony-legacy', { hash: long!, salt: 'abcdefgh' });
    expect(decoded).toMatchObject({ code: 'password:algorithm-unsupported' });
    expect(decode('symfony-legacy', { hash: short!, salt: 'abcdefgh' })).toHaveProperty('mcf');
  });

  it('Flask-Security: a text that is no hash is the password, a digest is none', () => {
    expect(decode('flask-security', { hash: 'pa$$word of ada' })).toEqual({ plain: 'pa$$word of ada' });
    const werkzeug = `scrypt:32768:8:1$salt$${'ab'.repeat(64)}`;
    for (const hash of ['a'.repeat(40), 'ab/XYZ0123456', '{SSHA}abc', '$other$abc', werkzeug])
      expect([hash, isRefused(decode('flask-security', { hash }))]).toEqual([hash, true]);
  });
});

const key = pbkdf2Sync(password, salt, 1000, 32, 'sha256');

const carried: readonly (readonly [name: string, parts: HashParts])[] = [
  ['kanidm', { hash: JSON.stringify({ PBKDF2: [1000, [...Buffer.from(salt)], [...key]] }) }],
  ['moodle', { hash: digest('md5', password + salt), secret: Buffer.from(salt) }],
  ['adonis', { hash: phcBcrypt(await bcryptOf(password)) }],
];

/** AdonisJS: salt and digest of bcrypt in standard base64. */
function phcBcrypt(mcf: string): string {
  const own = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const usual = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const recode = (text: string): string => Array.from(text, (one) => usual[own.indexOf(one)]).join('');
  return `$bcrypt$v=98$r=4$${recode(mcf.slice(7, 29))}$${recode(mcf.slice(29))}`;
}

describe('a hash that the target knows in another form', () => {
  test.each(carried)('%s %o is converted, and its password logs in', async (name, parts) => {
    const decoded = decode(name, parts);
    if (!('mcf' in decoded)) throw new Error(JSON.stringify(decoded));
    expect(await verifyPassword(decoded.mcf, password)).toBe(true);
    expect(await verifyPassword(decoded.mcf, `${password}?`)).toBe(false);
  });
});

test.each([
  ['better-auth', { hash: `${salt.repeat(2)}:${'00'.repeat(32)}` }],
  ['lucia', { hash: `s2:${salt}:${'00'.repeat(32)}` }],
] as const)('%s hashes what NFKC makes of a password', (name, parts) => {
  expect(decode(name, parts)).toMatchObject({ form: { of: { step: 'nfkc' } } });
});

describe('other notations of the same hash', () => {
  const key = Buffer.alloc(32, 0xfb);
  const standard = key.toString('base64');
  it.each([
    [
      'wso2',
      { hash: key.toString('base64url'), salt: 'x', algorithm: 'PBKDF2' },
      { hash: standard, salt: 'x', algorithm: 'PBKDF2' },
    ],
    [
      'django',
      { hash: `pbkdf2_sha256$1000$x$${key.toString('base64url')}` },
      { hash: `pbkdf2_sha256$1000$x$${standard}` },
    ],
    ['django', { hash: 'AB'.repeat(16) }, { hash: 'ab'.repeat(16) }],
    [
      'mcf',
      { hash: `$pbkdf2-sha1$1000$c2FsdHNhbHQ$${standard}` },
      { hash: `$pbkdf2$1000$c2FsdHNhbHQ=$${standard}` },
    ],
    ['joomla', { hash: `${'AB'.repeat(16)}:x` }, { hash: `${'ab'.repeat(16)}:x` }],
    ['spring', { hash: `{MD5}{x}${'AB'.repeat(16)}` }, { hash: `{MD5}{x}${'ab'.repeat(16)}` }],
  ])('%s %j is the same as %j', (name, one, other) => {
    const decoder = hashDecoders.get(name)!;
    expect(decodeHash(decoder, other)).toHaveProperty('mcf');
    expect(decodeHash(decoder, one)).toEqual(decodeHash(decoder, other));
  });

  it("phpass in base64, as the plug-in of FusionAuth's guide for WordPress keeps it", () => {
    const mcf = '$P$9saltsalthTzFk6ZqDRg9a6JpJh1Bh0';
    const hash = Buffer.from(mcf).toString('base64');
    const scheme = { hash, salt: hash, algorithm: 'example-wordpress-phpass', rounds: '8' };
    expect(decode('fusionauth', scheme)).toEqual({ mcf });
    expect(decode('fusionauth', { ...scheme, hash: 'eA==' })).toMatchObject({ code: 'password:malformed' });
  });

  it('a salt that is hashed as a text counts with its case', () => {
    const hash = `${'AB'.repeat(16)}:${'ab'.repeat(64)}`;
    expect(decodeHash(hashDecoders.get('better-auth')!, { hash })).toMatchObject({
      code: 'password:malformed',
    });
  });
});

describe('a source that contradicts itself, or leaves out where the salt stands', () => {
  const key = Buffer.alloc(32, 7).toString('base64');
  it.each<[string, HashParts]>([
    ['clerk', { algorithm: 'pbkdf2_sha256', hash: `pbkdf2_sha512$1000$c2FsdA==$${key}` }],
    ['okta', { hash: JSON.stringify({ algorithm: 'MD5', salt: 'c2FsdA==', value: key }) }],
    ['kinde', { algorithm: 'md5', hash: 'ab'.repeat(16), salt: 'salt' }],
  ])('is malformed: %s', (name, parts) => {
    expect(decode(name, parts)).toMatchObject({ code: 'password:malformed' });
  });

  it('may write the order of the salt in small letters', () => {
    const hash = (saltOrder: string): string =>
      JSON.stringify({
        algorithm: 'MD5',
        salt: 'c2FsdA==',
        value: Buffer.alloc(16, 7).toString('base64'),
        saltOrder,
      });
    expect(decode('okta', { hash: hash('prefix') })).toEqual(decode('okta', { hash: hash('PREFIX') }));
  });
});
