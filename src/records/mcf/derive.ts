/** Computes password hashes, and compares what was computed with what is stored. */
import {
  pbkdf2 as nodePbkdf2,
  scrypt as nodeScrypt,
  type ScryptOptions,
  timingSafeEqual,
  hash,
} from 'node:crypto';
import { promisify } from 'node:util';
import { setImmediate } from 'node:timers/promises';
import { encodeCrypt } from './base64.ts';

type Bytes = Uint8Array;

export function isEqual(computed: Bytes | string, expected: Bytes | string) {
  const [one, other] = [Buffer.from(computed), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** `length` is that of the key in bytes, here and below. */
export async function deriveArgon2(
  variant: 'd' | 'i' | 'id',
  { memory, time, threads }: { readonly memory: number; readonly time: number; readonly threads: number },
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
) {
  const cost = 2 ** ln;
  const options = { cost, blockSize: r, parallelization: p, maxmem: 128 * r * (cost + p + 2) };
  const derive = promisify<Bytes, Bytes, number, ScryptOptions, Bytes>(nodeScrypt);
  return derive(password, salt, length, options);
}

/** Number of rounds after which other work gets a turn. */
const roundsInATurn = 10_000;

const digestOf = (algorithm: string, pieces: readonly Uint8Array[]) =>
  hash(algorithm, Buffer.concat(pieces), 'buffer');

async function repeat(rounds: number, turn: (round: number) => void) {
  for (let round = 0; round < rounds; round++) {
    turn(round);
    if (round % roundsInATurn === roundsInATurn - 1) await setImmediate();
  }
}

/** Repeats the bytes up to `length`. */
function cycle(bytes: Uint8Array, length: number) {
  return Buffer.alloc(length, bytes);
}

/** Selects a piece for each bit of the password's length, lowest bit first. */
function byLength(length: number, whenSet: Uint8Array, whenClear: Uint8Array) {
  const pieces: Uint8Array[] = [];
  for (let bits = length; bits > 0; bits >>>= 1) pieces.push((bits & 1) === 1 ? whenSet : whenClear);
  return pieces;
}

const shaOrder = {
  256: '20 10 0 11 1 21 2 22 12 23 13 3 14 4 24 5 25 15 26 16 6 17 7 27 8 28 18 29 19 9 30 31',
  512:
    '42 21 0 1 43 22 23 2 44 45 24 3 4 46 25 26 5 47 48 27 6 7 49 28 29 8 50 51 30 9 10 52 31 32 11 53 54 33 ' +
    '12 13 55 34 35 14 56 57 36 15 16 58 37 38 17 59 60 39 18 19 61 40 41 20 62 63',
} as const;

/** Returns the digest of `$5$` or `$6$` as text. https://www.akkadia.org/drepper/SHA-crypt.txt */
export async function shaCryptChecksum(
  bits: 256 | 512,
  password: Uint8Array,
  salt: Uint8Array,
  rounds: number,
) {
  const algorithm = `sha${bits}`;
  const { length } = password;
  const times = (count: number, piece: Uint8Array) => Array.from({ length: count }, () => piece);
  const alternate = digestOf(algorithm, [password, salt, password]);
  const start = [password, salt, cycle(alternate, length), ...byLength(length, alternate, password)];
  let digest = digestOf(algorithm, start);
  const p = cycle(digestOf(algorithm, times(length, password)), length);
  const s = cycle(digestOf(algorithm, times(16 + (digest[0] ?? 0), salt)), salt.length);
  await repeat(rounds, (round) => {
    digest = digestOf(algorithm, mix(round, digest, p, s));
  });
  return encodeCrypt(reorder(digest, shaOrder[bits]));
}

const md5Order = '12 6 0 13 7 1 14 8 2 15 9 3 5 10 4 11';
const md5Rounds = 1000;
const nul = Buffer.alloc(1);

/**
 * Returns the digest of `$1$` or Apache's variant as text.
 * https://passlib.readthedocs.io/en/stable/lib/passlib.hash.md5_crypt.html#algorithm
 */
export async function md5CryptChecksum(
  password: Uint8Array,
  salt: Uint8Array,
  magic: '$1$' | '$apr1$' = '$1$',
) {
  const alternate = digestOf('md5', [password, salt, password]);
  const start = [password, Buffer.from(magic), salt, cycle(alternate, password.length)];
  let digest = digestOf('md5', [...start, ...byLength(password.length, nul, password.subarray(0, 1))]);
  await repeat(md5Rounds, (round) => {
    digest = digestOf('md5', mix(round, digest, password, salt));
  });
  return encodeMd5Checksum(digest);
}

/** Encodes the 16 bytes of a digest as the text at the end of `$1$` and `$apr1$`. */
export function encodeMd5Checksum(digest: Uint8Array) {
  return encodeCrypt(reorder(digest, md5Order));
}

/** Returns the pieces of one round of crypt(3). They depend on the number of the round. */
function mix(round: number, digest: Uint8Array, password: Uint8Array, salt: Uint8Array) {
  const [first, last] = (round & 1) === 1 ? [password, digest] : [digest, password];
  return [first, ...(round % 3 === 0 ? [] : [salt]), ...(round % 7 === 0 ? [] : [password]), last];
}

/** Returns the bytes of a digest in the order in which crypt(3) writes them. */
function reorder(digest: Uint8Array, order: string) {
  return Uint8Array.from(order.split(' '), (place) => digest[Number(place)] ?? 0);
}

/** Returns the full digest of phpass (MD5) or Drupal 7 (SHA-512) as text. */
export async function portableChecksum(
  algorithm: 'md5' | 'sha512',
  password: Uint8Array,
  salt: Uint8Array,
  rounds: number,
) {
  let digest = digestOf(algorithm, [salt, password]);
  await repeat(rounds, () => {
    digest = digestOf(algorithm, [digest, password]);
  });
  return encodeCrypt(digest);
}
