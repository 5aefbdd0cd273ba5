/** scrypt: `$scrypt$ln=<log2 N>,r=<r>,p=<p>$<salt>$<key>`, unpadded base64. */
import { isStrictBase64, readBase64, encodeBase64As } from './base64.ts';
import { type HashAlgorithm, type McfProblem, malformed, parseDecimal, unsupported } from './algorithm.ts';

export interface ScryptParts {
  /** The logarithm of N to the base 2. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
  /** Unpadded standard base64, never empty. */
  readonly salt: string;
  readonly key: string;
}

/** RFC 7914: r times p is below 2^30; N of 2^63 is the end of the target's integers. */
const maxLn = 62;
const maxRp = 2 ** 30;

export const scrypt: HashAlgorithm<ScryptParts> = {
  identifiers: ['scrypt', '7'],
  decode(text) {
    const [, identifier, costs = '', salt = '', key = '', ...more] = text.split('$');
    const [ln = '', r = '', p = '', ...others] = costs.split(',');
    if (!(ln.startsWith('ln=') && r.startsWith('r=') && p.startsWith('p=')) || others.length > 0) {
      return identifier === '7'
        ? unsupported('scrypt in the form of crypt(3), `$7$`')
        : malformed('the parameters are not written as `ln=…,r=…,p=…`');
    }
    if (more.length > 0) return malformed('there is more after the key');
    if (!isStrictBase64(salt)) return malformed('the salt is not unpadded standard base64');
    if (!isStrictBase64(key)) return malformed('the key is not unpadded standard base64');
    return checked({
      ln: parseDecimal(ln.slice(3)) ?? Number.NaN,
      r: parseDecimal(r.slice(2)) ?? Number.NaN,
      p: parseDecimal(p.slice(2)) ?? Number.NaN,
      salt,
      key,
    });
  },
  encode: ({ ln, r, p, salt, key }) => `$scrypt$ln=${ln},r=${r},p=${p}$${salt}$${key}`,
  describe: ({ ln, r, p }) => ({ algorithm: 'scrypt', verifier: 'scrypt', parameters: { ln, r, p } }),
};

/** What a source knows of an scrypt hash. */
export interface ScryptSource {
  /** N itself, a power of two. */
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
  /** Standard base64; padding and blanks around it do not matter. */
  readonly saltBase64: string;
  readonly keyBase64: string;
}

/** The hash string of a source's parts, or why there is none. Never throws, whatever the parts hold. */
export function encodeScrypt(source: ScryptSource): string | McfProblem {
  const ln = Math.log2(source.cost);
  if (!Number.isInteger(ln)) return unsupported('the cost of scrypt is not a power of two');
  const salt = readBase64(source.saltBase64.trim());
  if (typeof salt !== 'string') return malformed(`the salt ${salt.flaw}`);
  const key = readBase64(source.keyBase64.trim());
  if (typeof key !== 'string') return malformed(`the key ${key.flaw}`);
  const parts = checked({
    ln,
    r: source.blockSize,
    p: source.parallelization,
    salt: encodeBase64As(salt, 'unpadded'),
    key: encodeBase64As(key, 'unpadded'),
  });
  return 'code' in parts ? parts : scrypt.encode(parts);
}

function checked(parts: ScryptParts): ScryptParts | McfProblem {
  const { ln, r, p } = parts;
  if (!(Number.isInteger(ln) && ln >= 1 && ln <= maxLn)) return malformed('the cost (ln) cannot be read');
  if (!(Number.isInteger(r) && r >= 1)) return malformed('the block size (r) cannot be read');
  if (!(Number.isInteger(p) && p >= 1)) return malformed('the parallelization (p) cannot be read');
  return r * p < maxRp ? parts : malformed('block size times parallelization is too large for scrypt');
}
