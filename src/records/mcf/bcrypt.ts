/** bcrypt: `$2a$`, `$2b$` or `$2y$`, two digits of cost, 22 characters of salt and 31 of digest; 60 in all. */
import { isCryptText } from './crypt-alphabet.ts';
import { type HashAlgorithm, malformed } from './algorithm.ts';

export interface BcryptParts {
  /** Three names of one algorithm: they differ in how old libraries had erred. */
  readonly version: '2a' | '2b' | '2y';
  /** Power of two, 4 to 31. */
  readonly cost: number;
  readonly salt: string;
  readonly digest: string;
}

const length = 60;
const saltAt = 7;
const digestAt = 29;

export const bcrypt: HashAlgorithm<BcryptParts> = {
  identifiers: ['2a', '2b', '2y'],
  decode(text) {
    const version = text.slice(1, 3);
    if (version !== '2a' && version !== '2b' && version !== '2y')
      return malformed('the version cannot be read');
    const tens = text.charCodeAt(4) - 0x30;
    const ones = text.charCodeAt(5) - 0x30;
    const cost = tens * 10 + ones;
    if (!(tens >= 0 && tens <= 3 && ones >= 0 && ones <= 9 && cost >= 4 && cost <= 31) || text[6] !== '$') {
      return malformed('the cost cannot be read');
    }
    if (text.length !== length) {
      return malformed(`a bcrypt hash has ${length} characters, this one has ${text.length}`);
    }
    if (!isCryptText(text, saltAt)) return malformed('a character is not of the alphabet of bcrypt');
    return { version, cost, salt: text.slice(saltAt, digestAt), digest: text.slice(digestAt) };
  },
  encode: ({ version, cost, salt, digest }) =>
    `$${version}$${String(cost).padStart(2, '0')}$${salt}${digest}`,
  describe: ({ cost }) => ({ algorithm: 'bcrypt', verifier: 'bcrypt', parameters: { cost } }),
  tail: {
    start: () => saltAt,
    isCanonical: (text) => text.length === length && isCryptText(text, saltAt),
  },
};
