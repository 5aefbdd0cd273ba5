/** The portable hashes of PHP applications: phpass (`$P$`, `$H$`) and its successor in Drupal 7 (`$S$`). */
import { cryptAlphabet, cryptValue, isCryptText } from './crypt-alphabet.ts';
import { type HashAlgorithm, malformed } from './algorithm.ts';

export interface PhpassParts {
  /** `H` is phpBB's name for the same. */
  readonly name: 'P' | 'H';
  /** Power of two. */
  readonly rounds: number;
  readonly salt: string;
  readonly digest: string;
}

const phpassLength = 34;
const drupalLength = 55;
/** Drupal's own maximum. */
const maxLog2 = 30;

export const phpass: HashAlgorithm<PhpassParts> = {
  identifiers: ['P', 'H'],
  decode(text) {
    if (text.length !== phpassLength) {
      return malformed(`a phpass hash has ${phpassLength} characters, this one has ${text.length}`);
    }
    if (!isCryptText(text, 3)) return malformed('a character is not of the alphabet of crypt(3)');
    const rounds = cryptValue(text, 3);
    if (rounds === 0) return malformed('the number of rounds cannot be read');
    return {
      name: text.startsWith('$P$') ? 'P' : 'H',
      rounds,
      salt: text.slice(4, 12),
      digest: text.slice(12),
    };
  },
  encode: ({ name, rounds, salt, digest }) => `$${name}$${cryptAlphabet.charAt(rounds)}${salt}${digest}`,
  describe: ({ rounds }) => ({ algorithm: 'phpass', verifier: 'phpass', parameters: { rounds } }),
};

export interface Drupal7Parts {
  /** The logarithm to the base 2 of the iterations. */
  readonly log2: number;
  readonly salt: string;
  readonly digest: string;
}

export const drupal7: HashAlgorithm<Drupal7Parts> = {
  identifiers: ['S'],
  decode(text) {
    if (text.length !== drupalLength) {
      return malformed(`a Drupal 7 hash has ${drupalLength} characters, this one has ${text.length}`);
    }
    if (!isCryptText(text, 3)) return malformed('a character is not of the alphabet of crypt(3)');
    const log2 = cryptValue(text, 3);
    if (log2 > maxLog2) return malformed('the number of iterations is not one that Drupal writes');
    return { log2, salt: text.slice(4, 12), digest: text.slice(12) };
  },
  encode: ({ log2, salt, digest }) => `$S$${cryptAlphabet.charAt(log2)}${salt}${digest}`,
  describe: ({ log2 }) => ({
    algorithm: 'drupal7',
    verifier: 'drupal7',
    parameters: { iterations: 2 ** log2 },
  }),
};
