/** PBKDF2: `$pbkdf2-sha256$<rounds>$<salt>$<key>`, in three encodings of base64. */
import { type Base64Encoding, isPaddedBase64, readBase64, encodeBase64As } from './base64.ts';
import {
  type HashAlgorithm,
  type McfProblem,
  malformed,
  nameOf,
  parseDecimal,
  unsupported,
} from './algorithm.ts';

export const pbkdf2Digests = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const;
export type Pbkdf2Digest = (typeof pbkdf2Digests)[number];

export interface Pbkdf2Parts {
  readonly digest: Pbkdf2Digest;
  readonly rounds: number;
  /** Padded standard base64, never empty. Its length is free; the key's length is what the hash derives. */
  readonly salt: string;
  readonly key: string;
}

/** The SHA-1 form has no suffix: `pbkdf2-sha1` is refused by the target. */
const identifiers: Readonly<Record<Pbkdf2Digest, string>> = {
  sha1: 'pbkdf2',
  sha224: 'pbkdf2-sha224',
  sha256: 'pbkdf2-sha256',
  sha384: 'pbkdf2-sha384',
  sha512: 'pbkdf2-sha512',
};
const digestOf = new Map(pbkdf2Digests.map((digest) => [identifiers[digest], digest]));

/** The target reads the rounds as an unsigned 32-bit number. */
const maxRounds = 2 ** 32 - 1;

export const pbkdf2: HashAlgorithm<Pbkdf2Parts> = {
  identifiers: Object.values(identifiers),
  decode(text) {
    const [, identifier = '', rounds = '', salt = '', key = '', ...more] = text.split('$');
    const digest = digestOf.get(identifier);
    if (digest === undefined) return unsupported('the digest of pbkdf2 is an unknown one');
    if (rounds.includes('=')) {
      return malformed('the parameters are written `i=…,l=…`; the target reads the bare number of rounds');
    }
    if (more.length > 0) return malformed('there is more after the key');
    return toParts(digest, parseDecimal(rounds) ?? Number.NaN, salt, key);
  },
  encode: (parts) => writePbkdf2(parts, 'padded'),
  describe: ({ digest, rounds }) => ({
    algorithm: `pbkdf2-${digest}`,
    verifier: 'pbkdf2',
    parameters: { rounds },
  }),
  tail: {
    start: (mcf) => mcf.indexOf('$', mcf.indexOf('$', 1) + 1) + 1,
    isCanonical(text, start) {
      const end = text.indexOf('$', start);
      return end > 0 && isPaddedBase64(text, start, end) && isPaddedBase64(text, end + 1, text.length);
    },
  },
};

/** The hash string for a target that insists on an encoding. */
function writePbkdf2({ digest, rounds, salt, key }: Pbkdf2Parts, encoding: Base64Encoding): string {
  return `$${identifiers[digest]}$${rounds}$${encodeBase64As(salt, encoding)}$${encodeBase64As(key, encoding)}`;
}

/** The same hash string in another encoding, where it is one of PBKDF2. */
export function recodePbkdf2(mcf: string, encoding: Base64Encoding): string {
  if (encoding === 'padded' || !mcf.startsWith('$pbkdf2')) return mcf;
  const parts = pbkdf2.decode(mcf);
  return 'code' in parts ? mcf : writePbkdf2(parts, encoding);
}

/** What a source knows of a PBKDF2 hash. */
export interface Pbkdf2Source {
  /** `sha1` to `sha512`; anything else is refused. */
  readonly digest: string;
  readonly rounds: number;
  /** Standard base64 or passlib's; padding and blanks around it do not matter. */
  readonly saltBase64: string;
  readonly keyBase64: string;
}

/**
 * The hash string of a source's parts, or why there is none. A key may have any length: the target derives as many bytes
 * as it has, so that one whose end is missing still takes the right password. Never throws, whatever the parts hold.
 */
export function encodePbkdf2(source: Pbkdf2Source, encoding: Base64Encoding = 'padded'): string | McfProblem {
  const { digest, rounds, saltBase64, keyBase64 } = source;
  const parts = toParts(digest, rounds, saltBase64.trim(), keyBase64.trim());
  return 'code' in parts ? parts : writePbkdf2(parts, encoding);
}

function toParts(
  digest: string,
  rounds: number,
  saltBase64: string,
  keyBase64: string,
): Pbkdf2Parts | McfProblem {
  if (!isDigest(digest)) return unsupported(`the digest of pbkdf2 is ${nameOf(digest)}`);
  if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= maxRounds)) {
    return malformed('the number of rounds cannot be read');
  }
  const salt = readBase64(saltBase64);
  if (typeof salt !== 'string') return malformed(`the salt ${salt.flaw}`);
  const key = readBase64(keyBase64);
  if (typeof key !== 'string') return malformed(`the key ${key.flaw}`);
  return { digest, rounds, salt, key };
}

function isDigest(digest: string): digest is Pbkdf2Digest {
  return Object.hasOwn(identifiers, digest);
}
