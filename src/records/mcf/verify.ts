/** Checks a password against a hash string, for every algorithm of the table. */
import { hash, pbkdf2 as derivePbkdf2, scrypt as deriveScrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { argon2 } from './argon2.ts';
import { bcrypt, type BcryptParts } from './bcrypt.ts';
import { type HashAlgorithm, type AlgorithmName, isProblem, type McfProblem } from './algorithm.ts';
import { md5, md5Crypt, md5Salted } from './md5.ts';
import { pbkdf2 } from './pbkdf2.ts';
import { drupal7, phpass } from './phpass.ts';
import { recognise } from './recognise.ts';
import { scrypt } from './scrypt.ts';
import { defaultRounds, shaCrypt } from './sha-crypt.ts';
import { md5CryptChecksum, portableChecksum, shaCryptChecksum } from './repeated-digests.ts';

/**
 * True where the hash was made from the password, a problem where the text is no hash that could be checked. Looks at
 * no limits, as the target does at a login: what is dear to check is dear here. The password is hashed as UTF-8.
 */
export async function verifyPassword(
  mcf: string,
  password: string | Uint8Array,
): Promise<boolean | McfProblem> {
  const found = recognise(mcf);
  return isProblem(found) ? found : checks[found.algorithm](found.mcf, toBuffer(password));
}

type Check = (mcf: string, password: Buffer) => Promise<boolean>;

/** What was computed and what it must be equal to. */
type Pair = readonly [computed: Uint8Array | string, expected: Uint8Array | string];

function check<Parts extends object>(
  algorithm: Pick<HashAlgorithm<Parts>, 'decode'>,
  compute: (parts: Parts, password: Buffer) => Promise<Pair>,
): Check {
  return async (mcf, password) => {
    const parts = algorithm.decode(mcf);
    if (isProblem(parts)) return false;
    const [computed, expected] = (await compute(parts, password)).map((side) => Buffer.from(side));
    if (computed === undefined || expected === undefined) return false;
    return computed.length === expected.length && timingSafeEqual(computed, expected);
  };
}

const checkArgon2 = check(argon2, async ({ variant, memory, time, threads, salt, key }, password) => {
  const { argon2i, argon2id } = await import('hash-wasm');
  const expected = Buffer.from(key, 'base64');
  const derive = variant === 'i' ? argon2i : argon2id;
  const computed = await derive({
    password,
    salt: Buffer.from(salt, 'base64'),
    iterations: time,
    memorySize: memory,
    parallelism: threads,
    hashLength: expected.length,
    outputType: 'binary',
  });
  return [computed, expected];
});

/** bcrypt looks at 72 bytes. An empty password is one NUL to it, which hash-wasm does not take as empty. */
const bcryptBytes = 72;

/** The 31 characters of the digest, for the cost and the salt of a hash. */
export async function bcryptDigest(
  { cost, salt, digest }: BcryptParts,
  password: Uint8Array,
): Promise<string> {
  const { bcrypt: derive } = await import('hash-wasm');
  const encoded = await derive({
    password: password.length === 0 ? Buffer.alloc(1) : password.subarray(0, bcryptBytes),
    salt: decodeBcrypt(salt),
    costFactor: cost,
    outputType: 'encoded',
  });
  return encoded.slice(-digest.length);
}

const checkBcrypt = check(bcrypt, async (parts, password) => [
  await bcryptDigest(parts, password),
  parts.digest,
]);

const checkPbkdf2 = check(pbkdf2, async ({ digest, rounds, salt, key }, password) => {
  const expected = Buffer.from(key, 'base64');
  const derive = promisify(derivePbkdf2);
  return [await derive(password, Buffer.from(salt, 'base64'), rounds, expected.length, digest), expected];
});

const checkScrypt = check(scrypt, async ({ ln, r, p, salt, key }, password) => {
  const expected = Buffer.from(key, 'base64');
  const cost = 2 ** ln;
  const options = { cost, blockSize: r, parallelization: p, maxmem: 128 * r * (cost + p + 2) };
  return [await deriveWithScrypt(password, Buffer.from(salt, 'base64'), expected.length, options), expected];
});

const checkShaCrypt = check(
  shaCrypt,
  async ({ digest, rounds = defaultRounds, salt, checksum }, password) => [
    await shaCryptChecksum(digest, password, Buffer.from(salt), rounds),
    checksum,
  ],
);

const checkMd5Salted = check(md5Salted, async ({ position, salt, digest }, password) => {
  const pieces = position === 'prefix' ? [Buffer.from(salt), password] : [password, Buffer.from(salt)];
  return [hash('md5', Buffer.concat(pieces), 'buffer'), Buffer.from(digest, 'base64')];
});

const checks: Readonly<Record<AlgorithmName, Check>> = {
  argon2i: checkArgon2,
  argon2id: checkArgon2,
  bcrypt: checkBcrypt,
  drupal7: check(drupal7, async ({ log2, salt, digest }, password) => {
    const checksum = await portableChecksum('sha512', password, Buffer.from(salt), 2 ** log2);
    return [checksum.slice(0, digest.length), digest];
  }),
  md5: check(md5, async ({ hex }, password) => [hash('md5', password, 'hex'), hex]),
  'md5-crypt': check(md5Crypt, async ({ salt, checksum }, password) => [
    await md5CryptChecksum(password, Buffer.from(salt)),
    checksum,
  ]),
  'md5salted-prefix': checkMd5Salted,
  'md5salted-suffix': checkMd5Salted,
  'pbkdf2-sha1': checkPbkdf2,
  'pbkdf2-sha224': checkPbkdf2,
  'pbkdf2-sha256': checkPbkdf2,
  'pbkdf2-sha384': checkPbkdf2,
  'pbkdf2-sha512': checkPbkdf2,
  phpass: check(phpass, async ({ rounds, salt, digest }, password) => [
    await portableChecksum('md5', password, Buffer.from(salt), 2 ** rounds),
    digest,
  ]),
  scrypt: checkScrypt,
  'sha256-crypt': checkShaCrypt,
  'sha512-crypt': checkShaCrypt,
};

export function deriveWithScrypt(
  password: Buffer,
  salt: Buffer,
  length: number,
  options: { cost: number; blockSize: number; parallelization: number; maxmem: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    deriveScrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

const bcryptAlphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** bcrypt's base64 differs from the usual one in its alphabet alone. */
function decodeBcrypt(text: string): Buffer {
  const usual = Array.from(text, (letter) => base64Alphabet.charAt(bcryptAlphabet.indexOf(letter)));
  return Buffer.from(usual.join(''), 'base64');
}

function toBuffer(password: string | Uint8Array): Buffer {
  return typeof password === 'string' ? Buffer.from(password) : Buffer.from(password);
}
