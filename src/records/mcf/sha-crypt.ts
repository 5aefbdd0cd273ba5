/** The hashes of crypt(3) over SHA-2: `$5$` and `$6$`, `[rounds=<n>$]<salt>$<digest>`. */
import { isCryptSalt, isCryptText } from './crypt-alphabet.ts';
import { type HashAlgorithm, malformed, parseDecimal } from './algorithm.ts';

export interface ShaCryptParts {
  readonly digest: 256 | 512;
  /** Undefined where the hash does not name them: then they are 5000, and its text must not name them either. */
  readonly rounds: number | undefined;
  readonly salt: string;
  readonly checksum: string;
}

/** https://www.akkadia.org/drepper/SHA-crypt.txt */
export const defaultRounds = 5000;
/** crypt(3) never writes others: it counts to the nearest of these and names that. */
const minRounds = 1000;
const maxRounds = 999_999_999;
const maxSalt = 16;
const checksumLength = { 256: 43, 512: 86 } as const;

export const shaCrypt: HashAlgorithm<ShaCryptParts> = {
  identifiers: ['5', '6'],
  decode(text) {
    const digest = text.startsWith('$5$') ? 256 : 512;
    const fields = text.slice(3).split('$');
    const named = fields[0]?.startsWith('rounds=') === true;
    const rounds = named ? parseDecimal((fields.shift() ?? '').slice('rounds='.length)) : undefined;
    if (named && !(rounds !== undefined && rounds >= minRounds && rounds <= maxRounds)) {
      return malformed('the number of rounds is not one that crypt(3) writes');
    }
    const [salt = '', checksum = '', ...more] = fields;
    if (!isCryptSalt(salt, maxSalt))
      return malformed(`the salt is not of 1 to ${maxSalt} visible characters`);
    if (checksum.length !== checksumLength[digest] || !isCryptText(checksum) || more.length > 0) {
      return malformed(`the digest is not of ${checksumLength[digest]} characters of crypt(3)`);
    }
    return { digest, rounds, salt, checksum };
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
};
