/** Checks a password against a hash string, for every algorithm of the table. */
import {
  hash,
  pbkdf2 as nodePbkdf2,
  scrypt as nodeScrypt,
  type ScryptOptions,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import { type HashAlgorithm, type AlgorithmName, isProblem, type McfProblem } from './algorithm.ts';
import {
  bcrypt,
  type BcryptParts,
  defaultRounds,
  drupal7,
  md5,
  md5Crypt,
  md5Salted,
  phpass,
  shaCrypt,
} from './crypt.ts';
import { fromBcryptBase64 } from './crypt-alphabet.ts';
import { argon2, type Argon2Parts, pbkdf2, scrypt } from './keyed.ts';
import { recognise } from './recognise.ts';
import { md5CryptChecksum, portableChecksum, shaCryptChecksum } from './repeated-digests.ts';

/**
 * True where the hash was made from the password, a problem where the text is not a hash that can be checked. Applies no
 * limits, as the target applies none at a login: a costly hash takes its time. The password is hashed as UTF-8.
 */
export async function verifyPassword(
  mcf: string,
  password: string | Uint8Array,
): Promise<boolean | McfProblem> {
  const found = recognise(mcf);
  return isProblem(found) ? found : checks[found.algorithm](found.mcf, Buffer.from(password));
}

export function isEqual(computed: Uint8Array | string, expected: Uint8Array | string): boolean {
  const [one, other] = [Buffer.from(computed), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

type Bytes = Uint8Array;

/** `length` is that of the key, as of all that derive one. */
export async function deriveArgon2(
  variant: Argon2Parts['variant'] | 'd',
  { memory, time, threads }: Pick<Argon2Parts, 'memory' | 'time' | 'threads'>,
  password: Bytes,
  salt: Bytes,
  length: number,
): Promise<Bytes> {
  const derive = (await import('hash-wasm'))[`argon2${variant}`];
  return derive({
    password,
    salt,
    iterations: time,
    memorySize: memory,
    parallelism: threads,
    hashLength: length,
    outputType: 'binary',
  });
}

export const derivePbkdf2 = promisify(nodePbkdf2);

export function deriveScrypt(
  { ln, r, p }: { readonly ln: number; readonly r: number; readonly p: number },
  password: Bytes,
  salt: Bytes,
  length: number,
): Promise<Bytes> {
  const cost = 2 ** ln;
  const options = { cost, blockSize: r, parallelization: p, maxmem: 128 * r * (cost + p + 2) };
  const derive = promisify<Bytes, Bytes, number, ScryptOptions, Bytes>(nodeScrypt);
  return derive(password, salt, length, options);
}

/** bcrypt looks at 72 bytes. An empty password is one NUL to it, which hash-wasm does not take as empty. */
const bcryptBytes = 72;

/** The 31 characters of the digest, for the cost and the salt of a hash. */
export async function bcryptDigest({ cost, salt, digest }: BcryptParts, password: Bytes): Promise<string> {
  const { bcrypt: derive } = await import('hash-wasm');
  const encoded = await derive({
    password: password.length === 0 ? Buffer.alloc(1) : password.subarray(0, bcryptBytes),
    salt: Buffer.from(fromBcryptBase64(salt), 'base64'),
    costFactor: cost,
    outputType: 'encoded',
  });
  return encoded.slice(-digest.length);
}

type Check = (mcf: string, password: Buffer) => Promise<boolean>;

/** `compute` gives what must be equal to `expected`: text, or base64 where the algorithm derives a key. */
function check<Parts extends object>(
  { decode }: HashAlgorithm<Parts>,
  compute: (parts: Parts, password: Buffer) => Bytes | string | Promise<Bytes | string>,
  expected: (parts: Parts) => Bytes | string,
): Check {
  return async (mcf, password) => {
    const parts = decode(mcf);
    return !isProblem(parts) && isEqual(await compute(parts, password), expected(parts));
  };
}

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64');
const keyOf = ({ key }: { readonly key: string }): Buffer => bytesOf(key);
const digestOf = ({ digest }: { readonly digest: string }): string => digest;
const checksumOf = ({ checksum }: { readonly checksum: string }): string => checksum;

const checkArgon2 = check(
  argon2,
  (parts, password) => deriveArgon2(parts.variant, parts, password, bytesOf(parts.salt), keyOf(parts).length),
  keyOf,
);
const checkPbkdf2 = check(
  pbkdf2,
  (parts, password) =>
    derivePbkdf2(password, bytesOf(parts.salt), parts.rounds, keyOf(parts).length, parts.digest),
  keyOf,
);
const checkShaCrypt = check(
  shaCrypt,
  ({ digest, rounds = defaultRounds, salt }, password) =>
    shaCryptChecksum(digest, password, Buffer.from(salt), rounds),
  checksumOf,
);
const checkMd5Salted = check(
  md5Salted,
  ({ position, salt }, password) => {
    const pieces = [Buffer.from(salt), password];
    return hash('md5', Buffer.concat(position === 'prefix' ? pieces : pieces.toReversed()), 'buffer');
  },
  ({ digest }) => bytesOf(digest),
);

const checks: Readonly<Record<AlgorithmName, Check>> = {
  argon2i: checkArgon2,
  argon2id: checkArgon2,
  bcrypt: check(bcrypt, bcryptDigest, digestOf),
  drupal7: check(
    drupal7,
    async ({ log2, salt, digest }, password) =>
      (await portableChecksum('sha512', password, Buffer.from(salt), 2 ** log2)).slice(0, digest.length),
    digestOf,
  ),
  md5: check(
    md5,
    (_, password) => hash('md5', password, 'hex'),
    ({ hex }) => hex,
  ),
  'md5-crypt': check(
    md5Crypt,
    ({ salt }, password) => md5CryptChecksum(password, Buffer.from(salt)),
    checksumOf,
  ),
  'md5salted-prefix': checkMd5Salted,
  'md5salted-suffix': checkMd5Salted,
  'pbkdf2-sha1': checkPbkdf2,
  'pbkdf2-sha224': checkPbkdf2,
  'pbkdf2-sha256': checkPbkdf2,
  'pbkdf2-sha384': checkPbkdf2,
  'pbkdf2-sha512': checkPbkdf2,
  phpass: check(
    phpass,
    ({ log2, salt }, password) => portableChecksum('md5', password, Buffer.from(salt), 2 ** log2),
    digestOf,
  ),
  scrypt: check(
    scrypt,
    (parts, password) => deriveScrypt(parts, password, bytesOf(parts.salt), keyOf(parts).length),
    keyOf,
  ),
  'sha256-crypt': checkShaCrypt,
  'sha512-crypt': checkShaCrypt,
};
