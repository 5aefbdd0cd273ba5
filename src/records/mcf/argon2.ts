/** Argon2: `$argon2id$v=19$m=<KiB>,t=<time>,p=<threads>$<salt>$<key>`, unpadded base64, in exactly this order. */
import { isStrictBase64, readBase64, encodeBase64As } from './base64.ts';
import {
  type HashAlgorithm,
  type McfProblem,
  malformed,
  nameOf,
  parseDecimal,
  unsupported,
} from './algorithm.ts';

export interface Argon2Parts {
  readonly variant: 'i' | 'id';
  /** KiB. */
  readonly memory: number;
  readonly time: number;
  readonly threads: number;
  /** Unpadded standard base64, never empty. */
  readonly salt: string;
  readonly key: string;
}

/** The target reads memory and time as unsigned 32-bit numbers, threads as 8 bits. */
const maxUint32 = 2 ** 32 - 1;
const maxUint8 = 255;

export const argon2: HashAlgorithm<Argon2Parts> = {
  identifiers: ['argon2i', 'argon2id'],
  decode(text) {
    const [, identifier = '', version = '', costs = '', salt = '', key = '', ...more] = text.split('$');
    if (version.startsWith('m=')) return unsupported('argon2 version 1.0 (no `v=`)');
    if (version.startsWith('v=') && version !== 'v=19')
      return unsupported('another version of argon2 than 1.3 (`v=19`)');
    if (version !== 'v=19') return malformed('the version cannot be read');
    const [m = '', t = '', p = '', ...others] = costs.split(',');
    if (!(m.startsWith('m=') && t.startsWith('t=') && p.startsWith('p=')) || others.length > 0) {
      return malformed('the parameters are not written as `m=…,t=…,p=…`');
    }
    if (more.length > 0) return malformed('there is more after the key');
    if (!isStrictBase64(salt)) return malformed('the salt is not unpadded standard base64');
    if (!isStrictBase64(key)) return malformed('the key is not unpadded standard base64');
    return checked({
      variant: identifier === 'argon2i' ? 'i' : 'id',
      memory: parseDecimal(m.slice(2)) ?? Number.NaN,
      time: parseDecimal(t.slice(2)) ?? Number.NaN,
      threads: parseDecimal(p.slice(2)) ?? Number.NaN,
      salt,
      key,
    });
  },
  encode: ({ variant, memory, time, threads, salt, key }) =>
    `$argon2${variant}$v=19$m=${memory},t=${time},p=${threads}$${salt}$${key}`,
  describe: ({ variant, memory, time, threads }) => ({
    algorithm: `argon2${variant}`,
    verifier: 'argon2',
    parameters: { time, memory, threads },
  }),
  tail: {
    start: (mcf) => mcf.indexOf('$', mcf.indexOf(',p=')) + 1,
    isCanonical(text, start) {
      const end = text.indexOf('$', start);
      return end > 0 && isStrictBase64(text, start, end) && isStrictBase64(text, end + 1);
    },
  },
};

/** What a source knows of an Argon2 hash. */
export interface Argon2Source {
  /** `i` or `id`; the target cannot verify `d`. */
  readonly variant: string;
  /** 19 (0x13) for version 1.3, the only one that the target verifies. */
  readonly version: number;
  /** KiB. */
  readonly memory: number;
  readonly time: number;
  readonly threads: number;
  /** Standard base64; padding and blanks around it do not matter. */
  readonly saltBase64: string;
  readonly keyBase64: string;
}

/** The hash string of a source's parts, or why there is none. Never throws, whatever the parts hold. */
export function encodeArgon2(source: Argon2Source): string | McfProblem {
  const { variant, version, saltBase64, keyBase64 } = source;
  if (variant !== 'i' && variant !== 'id') return unsupported(`the variant of argon2 is ${nameOf(variant)}`);
  if (version !== 19) return unsupported('another version of argon2 than 1.3 (`v=19`)');
  const salt = readBase64(saltBase64.trim());
  if (typeof salt !== 'string') return malformed(`the salt ${salt.flaw}`);
  const key = readBase64(keyBase64.trim());
  if (typeof key !== 'string') return malformed(`the key ${key.flaw}`);
  const { memory, time, threads } = source;
  const parts = checked({
    variant,
    memory,
    time,
    threads,
    salt: encodeBase64As(salt, 'unpadded'),
    key: encodeBase64As(key, 'unpadded'),
  });
  return 'code' in parts ? parts : argon2.encode(parts);
}

function checked(parts: Argon2Parts): Argon2Parts | McfProblem {
  if (!isCount(parts.memory, maxUint32)) return malformed('the memory cost cannot be read');
  if (!isCount(parts.time, maxUint32)) return malformed('the time cost cannot be read');
  if (!isCount(parts.threads, maxUint8)) return malformed('the number of threads cannot be read');
  return parts;
}

function isCount(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}
