/** Derives keys as Argon2, PBKDF2 and scrypt do, and compares what was derived with what is stored. */
import { pbkdf2 as nodePbkdf2, scrypt as nodeScrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

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
