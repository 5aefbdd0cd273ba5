/** Hash strings in the alphabet of crypt(3), and MD5 digests: bcrypt, `$1$`, `$5$`, `$6$`, phpass, Drupal 7. */
import { hash } from 'node:crypto';
import { readJsonCount } from '../../lib/json-value.ts';
import { isHex } from '../text.ts';
import { type HashAlgorithm, isProblem, malformed, type McfProblem, unverifiable } from './algorithm.ts';
import {
  isPaddedBase64,
  cryptAlphabet,
  cryptValue,
  fromBcryptBase64,
  isCryptSalt,
  isCryptText,
} from './base64.ts';
import { isEqual, md5CryptChecksum, portableChecksum, shaCryptChecksum } from './derive.ts';

interface BcryptParts {
  /** Three names of one algorithm. They tell apart bugs of old libraries. */
  readonly version: '2a' | '2b' | '2y';
  /** Logarithm to base 2 of the rounds, 4 to 31. */
  readonly cost: number;
  readonly salt: string;
  readonly digest: string;
}

/** `$2a$`, `$2b$` or `$2y$`, two digits of cost, 22 characters of salt and 31 of digest, 60 characters in all. */
export const bcrypt: HashAlgorithm<BcryptParts> = {
  identifiers: ['2a', '2b', '2y'],
  decode(text) {
    if (!/^\$2[aby]\$(?:0[4-9]|[12]\d|3[01])\$/.test(text)) return malformed('the cost cannot be read');
    const tail = text.slice(7);
    if (tail.length !== 53) return malformed(`a bcrypt hash has 60 characters, this one has ${text.length}`);
    if (!isCryptText(tail)) return malformed('a character is not of the alphabet of bcrypt');
    return {
      version: text.slice(1, 3) as BcryptParts['version'],
      cost: Number(text.slice(4, 6)),
      salt: tail.slice(0, 22),
      digest: tail.slice(22),
    };
  },
  encode: ({ version, cost, salt, digest }) =>
    `$${version}$${String(cost).padStart(2, '0')}$${salt}${digest}`,
  describe: ({ cost }) => ({ algorithm: 'bcrypt', verifier: 'bcrypt', parameters: { cost } }),
  check: async (parts, password) => isEqual(await bcryptDigest(parts, password), parts.digest),
};

/** bcrypt only uses 72 bytes. An empty password is one NUL byte, because hash-wasm does not accept empty ones. */
const bcryptBytes = 72;

/** Returns the 31 characters of the digest, for the cost and the salt of a hash. */
export async function bcryptDigest({ cost, salt, digest }: BcryptParts, password: Uint8Array) {
  const { bcrypt: derive } = await import('hash-wasm');
  const encoded = await derive({
    password: password.length === 0 ? Buffer.alloc(1) : password.subarray(0, bcryptBytes),
    salt: Buffer.from(fromBcryptBase64(salt), 'base64'),
    costFactor: cost,
    outputType: 'encoded',
  });
  return encoded.slice(-digest.length);
}

interface CryptParts {
  readonly salt: string;
  readonly checksum: string;
}

/** Reads the `<salt>$<checksum>` of crypt(3). The checksum has a fixed length. */
function readCrypt(
  [salt = '', checksum = '', ...more]: readonly string[],
  maxSalt: number,
  length: number,
): CryptParts | McfProblem {
  if (!isCryptSalt(salt, maxSalt)) return malformed(`the salt is not of 1 to ${maxSalt} visible characters`);
  if (checksum.length !== length || !isCryptText(checksum) || more.length > 0) {
    return malformed(`the digest is not of ${length} characters of crypt(3)`);
  }
  return { salt, checksum };
}

export const md5Crypt: HashAlgorithm<CryptParts> = {
  identifiers: ['1'],
  decode: (text) => readCrypt(text.slice(3).split('$'), 8, 22),
  encode: ({ salt, checksum }) => `$1$${salt}$${checksum}`,
  describe: () => ({ algorithm: 'md5-crypt', verifier: 'md5', parameters: {} }),
  check: async ({ salt, checksum }, password) =>
    isEqual(await md5CryptChecksum(password, Buffer.from(salt)), checksum),
};

interface ShaCryptParts extends CryptParts {
  readonly digest: 256 | 512;
  /** Undefined if the hash does not name them. Then there are 5000, and the text must not name them. */
  readonly rounds: number | undefined;
}

/** https://www.akkadia.org/drepper/SHA-crypt.txt */
export const defaultRounds = 5000;

/** `[rounds=<n>$]<salt>$<digest>` after `$5$` or `$6$`. */
export const shaCrypt: HashAlgorithm<ShaCryptParts> = {
  identifiers: ['5', '6'],
  decode(text) {
    const digest = text.startsWith('$5$') ? 256 : 512;
    const fields = text.slice(3).split('$');
    const named = fields[0]?.startsWith('rounds=') === true;
    const rounds = named ? readJsonCount(fields.shift()!.slice('rounds='.length)) : undefined;
    // crypt(3) never writes other numbers: it uses the nearest of these.
    if (named && !(rounds! >= 1000 && rounds! <= 999_999_999)) {
      return malformed('the number of rounds is not one that crypt(3) writes');
    }
    const found = readCrypt(fields, 16, digest === 256 ? 43 : 86);
    return isProblem(found) ? found : { digest, rounds, ...found };
  },
  encode({ digest, rounds, salt, checksum }) {
    const named = rounds === undefined ? '' : `rounds=${rounds}$`;
    return `$${digest === 256 ? 5 : 6}$${named}${salt}$${checksum}`;
  },
  describe: ({ digest, rounds }) => ({
    algorithm: `sha${digest}-crypt`,
    verifier: 'sha2',
    parameters: { rounds: rounds ?? defaultRounds },
  }),
  check: async ({ digest, rounds = defaultRounds, salt, checksum }, password) =>
    isEqual(await shaCryptChecksum(digest, password, Buffer.from(salt), rounds), checksum),
};

/** Parts of the portable hashes of PHP applications: one character of cost, 8 of salt, then the digest. */
interface PortableParts {
  /** Logarithm to base 2 of the number of rounds. */
  readonly log2: number;
  readonly salt: string;
  readonly digest: string;
}

function readPortable(text: string, title: string, length: number): PortableParts | McfProblem {
  if (text.length !== length) {
    return malformed(`a ${title} hash has ${length} characters, this one has ${text.length}`);
  }
  if (!isCryptText(text.slice(3))) return malformed('a character is not of the alphabet of crypt(3)');
  return { log2: cryptValue(text, 3), salt: text.slice(4, 12), digest: text.slice(12) };
}

/** Reports whether the password matches. Drupal cuts the digest, so only its beginning is compared. */
async function isPortable(
  algorithm: 'md5' | 'sha512',
  { log2, salt, digest }: PortableParts,
  password: Buffer,
) {
  const computed = await portableChecksum(algorithm, password, Buffer.from(salt), 2 ** log2);
  return isEqual(computed.slice(0, digest.length), digest);
}

interface PhpassParts extends PortableParts {
  /** `H` is phpBB's name for the same algorithm. */
  readonly name: 'P' | 'H';
}

export const phpass: HashAlgorithm<PhpassParts> = {
  identifiers: ['P', 'H'],
  decode(text) {
    const found = readPortable(text, 'phpass', 34);
    if (isProblem(found)) return found;
    if (found.log2 === 0) return malformed('the number of rounds cannot be read');
    return { name: text.startsWith('$P$') ? 'P' : 'H', ...found };
  },
  encode: ({ name, log2, salt, digest }) => `$${name}$${cryptAlphabet.charAt(log2)}${salt}${digest}`,
  describe: ({ log2 }) => ({ algorithm: 'phpass', verifier: 'phpass', parameters: { rounds: log2 } }),
  check: (parts, password) => isPortable('md5', parts, password),
};

export const drupal7: HashAlgorithm<PortableParts> = {
  identifiers: ['S'],
  decode(text) {
    const found = readPortable(text, 'Drupal 7', 55);
    // Drupal's own maximum.
    return isProblem(found) || found.log2 <= 30
      ? found
      : malformed('the number of iterations is not one that Drupal writes');
  },
  encode: ({ log2, salt, digest }) => `$S$${cryptAlphabet.charAt(log2)}${salt}${digest}`,
  describe: ({ log2 }) => ({
    algorithm: 'drupal7',
    verifier: 'drupal7',
    parameters: { iterations: 2 ** log2 },
  }),
  check: (parts, password) => isPortable('sha512', parts, password),
};

const md5Digits = 32;

const hexLooks = new Map([
  [32, 'MD5, an NT hash or an MD5 of an MD5'],
  [40, 'SHA-1'],
  [56, 'SHA-224'],
  [64, 'SHA-256'],
  [96, 'SHA-384'],
  [128, 'SHA-512 or a key of PBKDF2 or scrypt'],
]);

/** Returns what a text of that many hexadecimal digits may be. */
export function describeHex(digits: number) {
  const looks = hexLooks.get(digits);
  return looks === undefined
    ? `${digits} hexadecimal digits do not say how they were made`
    : `${digits} hexadecimal digits may be ${looks}`;
}

/** Lower-case hexadecimal. The target's verifier accepts any hexadecimal text, but only 32 digits can be an MD5 digest. */
export const md5: HashAlgorithm<{ readonly hex: string }> = {
  identifiers: [''],
  decode(text) {
    if (!isHex(text)) return malformed('it is not hexadecimal');
    if (text.length === md5Digits) return { hex: text.toLowerCase() };
    return unverifiable(describeHex(text.length));
  },
  encode: ({ hex }) => hex,
  describe: () => ({ algorithm: 'md5', verifier: 'md5plain', parameters: {} }),
  check: async ({ hex }, password) => isEqual(hash('md5', password), hex),
};

interface Md5SaltedParts {
  /** Whether the salt comes before or after the password. */
  readonly position: 'prefix' | 'suffix';
  /** The text itself, hashed as UTF-8. */
  readonly salt: string;
  /** 16 bytes as padded base64. */
  readonly digest: string;
}

export const md5Salted: HashAlgorithm<Md5SaltedParts> = {
  identifiers: ['md5salted-prefix', 'md5salted-suffix'],
  decode(text) {
    const [, identifier, salt = '', digest = '', ...more] = text.split('$');
    if (more.length > 0) return unverifiable('the salt holds a dollar sign, where the target would cut it');
    if (salt === '') return malformed('the salt is empty');
    if (/[\s\u0085]/u.test(salt))
      return unverifiable('the salt holds a blank, where the target would cut it');
    if (!salt.isWellFormed() || salt.includes('\0'))
      return unverifiable('the salt is not text that can be stored');
    if (digest.length !== 24 || !isPaddedBase64(digest)) {
      return unverifiable(
        'the digest is not 16 bytes of padded base64; the target would take it and never match',
      );
    }
    return { position: identifier === 'md5salted-prefix' ? 'prefix' : 'suffix', salt, digest };
  },
  encode: ({ position, salt, digest }) => `$md5salted-${position}$${salt}$${digest}`,
  describe: ({ position }) => ({ algorithm: `md5salted-${position}`, verifier: 'md5salted', parameters: {} }),
  async check({ position, salt, digest }, password) {
    const pieces = [Buffer.from(salt), password];
    if (position === 'suffix') pieces.reverse();
    return isEqual(hash('md5', Buffer.concat(pieces), 'base64'), digest);
  },
};
