/** The three ways of MD5: crypt(3)'s `$1$`, the bare digest in hexadecimal, and the digest with a salt at one end. */
import { readBase64 } from './base64.ts';
import { isCryptSalt, isCryptText } from './crypt-alphabet.ts';
import { type HashAlgorithm, malformed, unverifiable } from './algorithm.ts';
import { isHex } from '../text.ts';

export interface Md5CryptParts {
  readonly salt: string;
  readonly checksum: string;
}

const maxSalt = 8;
const checksumLength = 22;

export const md5Crypt: HashAlgorithm<Md5CryptParts> = {
  identifiers: ['1'],
  decode(text) {
    const [salt = '', checksum = '', ...more] = text.slice(3).split('$');
    if (!isCryptSalt(salt, maxSalt))
      return malformed(`the salt is not of 1 to ${maxSalt} visible characters`);
    if (checksum.length !== checksumLength || !isCryptText(checksum) || more.length > 0) {
      return malformed(`the digest is not of ${checksumLength} characters of crypt(3)`);
    }
    return { salt, checksum };
  },
  encode: ({ salt, checksum }) => `$1$${salt}$${checksum}`,
  describe: () => ({ algorithm: 'md5-crypt', verifier: 'md5', parameters: {} }),
};

export interface Md5Parts {
  /** 32 hexadecimal digits in lower case. */
  readonly hex: string;
}

const md5Digits = 32;

/** The target's verifier takes any hexadecimal text; only 32 digits can be an MD5 digest. */
export const md5: HashAlgorithm<Md5Parts> = {
  identifiers: [],
  decode(text) {
    if (!isHex(text)) return malformed('it is not hexadecimal');
    if (text.length !== md5Digits) {
      return unverifiable(`${text.length} hexadecimal digits are not an MD5 digest${likely(text.length)}`);
    }
    return { hex: text.toLowerCase() };
  },
  encode: ({ hex }) => hex,
  describe: () => ({ algorithm: 'md5', verifier: 'md5plain', parameters: {} }),
};

export interface Md5SaltedParts {
  /** Before or after the password. */
  readonly position: 'prefix' | 'suffix';
  /** The text itself; it is hashed as UTF-8. */
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
    if (digest.length !== 24 || readBase64(digest) !== digest) {
      return unverifiable(
        'the digest is not 16 bytes of padded base64; the target would take it and never match',
      );
    }
    return { position: identifier === 'md5salted-prefix' ? 'prefix' : 'suffix', salt, digest };
  },
  encode: ({ position, salt, digest }) => `$md5salted-${position}$${salt}$${digest}`,
  describe: ({ position }) => ({ algorithm: `md5salted-${position}`, verifier: 'md5salted', parameters: {} }),
};

/** What a digest of so many hexadecimal digits may be, to be said in a detail. */
function likely(digits: number): string {
  const name = new Map([
    [40, 'SHA-1'],
    [56, 'SHA-224'],
    [64, 'SHA-256'],
    [96, 'SHA-384'],
    [128, 'SHA-512'],
  ]).get(digits);
  return name === undefined ? '' : ` (they may be ${name})`;
}
