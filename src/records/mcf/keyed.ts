/** Hash strings with costs, a salt and a derived key in base64: Argon2, scrypt, PBKDF2. */
import { readJsonCount } from '../../lib/json-value.ts';
import {
  type HashAlgorithm,
  isProblem,
  malformed,
  type McfProblem,
  nameOf,
  unsupported,
  remember,
} from './algorithm.ts';
import { type Base64Encoding, encodeBase64As, isStrictBase64, readBase64 } from './base64.ts';
import { deriveArgon2, derivePbkdf2, deriveScrypt, isEqual } from './derive.ts';

const bytesOf = (base64: string) => Buffer.from(base64, 'base64');

interface Keyed {
  /** Standard base64, never empty. Padded in PBKDF2 hash strings, unpadded in the others. */
  readonly salt: string;
  /** Same encoding as `salt`. Any length is allowed: the target derives as many bytes as the key has. */
  readonly key: string;
}

/** Resolves to whether the key is the one that `derive` returns for the salt, at the same length. */
async function isKey({ salt, key }: Keyed, derive: (salt: Buffer, length: number) => Promise<Uint8Array>) {
  const expected = bytesOf(key);
  return isEqual(await derive(bytesOf(salt), expected.length), expected);
}

function readKeys(saltText: string, keyText: string, encoding: Base64Encoding): Keyed | McfProblem {
  const salt = readBase64(saltText);
  if (typeof salt !== 'string') return malformed(`the salt ${salt.flaw}`);
  const key = readBase64(keyText);
  if (typeof key !== 'string') return malformed(`the key ${key.flaw}`);
  return { salt: encodeBase64As(salt, encoding), key: encodeBase64As(key, encoding) };
}

/**
 * Reads a source's salt and key, in standard base64 or passlib's, into unpadded base64. Padding and surrounding blanks
 * do not matter.
 */
const readSource = ({ salt, key }: Keyed): Keyed | McfProblem =>
  readKeys(salt.trim(), key.trim(), 'unpadded');

/**
 * Reads `m=1,t=2,p=3`, salt and key. Exactly these costs must be there, in this order. A cost that is not a number is
 * NaN.
 */
function readFields<Cost extends string>(
  [costs = '', salt = '', key = '', ...more]: readonly string[],
  names: readonly Cost[],
): (Readonly<Record<Cost, number>> & Keyed) | McfProblem {
  const pairs = costs.split(',');
  if (pairs.length !== names.length || !names.every((name, at) => pairs[at]!.startsWith(`${name}=`))) {
    return malformed(`the parameters are not written as \`${names.map((name) => `${name}=…`).join(',')}\``);
  }
  if (more.length > 0) return malformed('there is more after the key');
  if (!isStrictBase64(salt)) return malformed('the salt is not unpadded standard base64');
  if (!isStrictBase64(key)) return malformed('the key is not unpadded standard base64');
  const counts = names.map((name, at) => [name, readJsonCount(pairs[at]!.slice(name.length + 1))]);
  return { ...(Object.fromEntries(counts) as Record<Cost, number>), salt, key };
}

/** The target reads most costs as unsigned 32-bit numbers. */
const maxUint32 = 2 ** 32 - 1;

/** Returns the parts if each cost is a whole number from 1 to its maximum, and a problem otherwise. */
function checked<Parts>(
  parts: Parts,
  ...costs: readonly (readonly [value: number, max: number, title: string])[]
): Parts | McfProblem {
  const wrong = costs.find(([value, max]) => !(Number.isInteger(value) && value >= 1 && value <= max));
  return wrong === undefined ? parts : malformed(`${wrong[2]} cannot be read`);
}

function write<Parts extends object>(algorithm: HashAlgorithm<Parts>, parts: Parts | McfProblem) {
  return isProblem(parts) ? parts : remember(algorithm, parts).mcf;
}

interface Argon2Parts extends Keyed {
  readonly variant: 'd' | 'i' | 'id';
  /** KiB. */
  readonly memory: number;
  readonly time: number;
  readonly threads: number;
}

const checkedArgon2 = (parts: Argon2Parts) =>
  checked(
    parts,
    [parts.memory, maxUint32, 'the memory cost'],
    [parts.time, maxUint32, 'the time cost'],
    [parts.threads, 255, 'the number of threads'],
  );

const otherVersion = unsupported('another version of argon2 than 1.3 (`v=19`)');

/** `$argon2id$v=19$m=<KiB>,t=<time>,p=<threads>$<salt>$<key>`, in exactly this order. The target has no `argon2d`. */
export const argon2: HashAlgorithm<Argon2Parts> = {
  identifiers: ['argon2d', 'argon2i', 'argon2id'],
  decode(text) {
    const [, identifier = '', version = '', ...fields] = text.split('$');
    if (version.startsWith('m=')) return unsupported('argon2 version 1.0 (no `v=`)');
    if (version !== 'v=19')
      return version.startsWith('v=') ? otherVersion : malformed('the version cannot be read');
    const read = readFields(fields, ['m', 't', 'p']);
    if (isProblem(read)) return read;
    const { m: memory, t: time, p: threads, salt, key } = read;
    const variant = identifier.slice('argon2'.length) as Argon2Parts['variant'];
    return checkedArgon2({ variant, memory, time, threads, salt, key });
  },
  encode: ({ variant, memory, time, threads, salt, key }) =>
    `$argon2${variant}$v=19$m=${memory},t=${time},p=${threads}$${salt}$${key}`,
  describe: ({ variant, memory, time, threads }) => ({
    algorithm: `argon2${variant}`,
    verifier: 'argon2',
    parameters: { time, memory, threads },
  }),
  check: (parts, password) =>
    isKey(parts, (salt, length) => deriveArgon2(parts.variant, parts, password, salt, length)),
};

/** Returns the hash string of a source's parts, or why there is none. Never throws, whatever the parts are. */
export function encodeArgon2({
  variant,
  version,
  ...source
}: Keyed &
  Pick<Argon2Parts, 'memory' | 'time' | 'threads'> & {
    /** `d`, `i` or `id`. */
    readonly variant: string;
    /** 19 (0x13) for version 1.3, the only one that the target verifies. */
    readonly version: number;
  }) {
  if (variant !== 'd' && variant !== 'i' && variant !== 'id')
    return unsupported(`the variant of argon2 is ${nameOf(variant)}`);
  if (version !== 19) return otherVersion;
  const { memory, time, threads } = source;
  const keys = readSource(source);
  return write(argon2, isProblem(keys) ? keys : checkedArgon2({ variant, memory, time, threads, ...keys }));
}

interface ScryptParts extends Keyed {
  /** Logarithm of N to base 2. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** Checks the costs. In RFC 7914, r times p is below 2^30. An N of 2^63 would exceed the target's integers. */
function checkedScrypt(parts: ScryptParts) {
  const { ln, r, p } = parts;
  const found = checked(
    parts,
    [ln, 62, 'the cost (ln)'],
    [r, Infinity, 'the block size (r)'],
    [p, Infinity, 'the parallelization (p)'],
  );
  return isProblem(found) || r * p < 2 ** 30
    ? found
    : malformed('block size times parallelization is too large for scrypt');
}

/** `$scrypt$ln=<log2 N>,r=<r>,p=<p>$<salt>$<key>`. */
export const scrypt: HashAlgorithm<ScryptParts> = {
  identifiers: ['scrypt', '7'],
  decode(text) {
    const [, identifier, ...fields] = text.split('$');
    if (identifier === '7' && !fields[0]!.startsWith('ln=')) {
      return unsupported('scrypt in the form of crypt(3), `$7$`');
    }
    const read = readFields(fields, ['ln', 'r', 'p']);
    return isProblem(read) ? read : checkedScrypt(read);
  },
  encode: ({ ln, r, p, salt, key }) => `$scrypt$ln=${ln},r=${r},p=${p}$${salt}$${key}`,
  describe: ({ ln, r, p }) => ({ algorithm: 'scrypt', verifier: 'scrypt', parameters: { ln, r, p } }),
  check: (parts, password) => isKey(parts, (salt, length) => deriveScrypt(parts, password, salt, length)),
};

/** Returns the hash string of a source's scrypt parts, or why there is none. `cost` is N itself, a power of two. */
export function encodeScrypt(
  source: Keyed & { readonly cost: number; readonly r: number; readonly p: number },
) {
  const ln = Math.log2(source.cost);
  if (!Number.isInteger(ln)) return unsupported('the cost of scrypt is not a power of two');
  const keys = readSource(source);
  return write(scrypt, isProblem(keys) ? keys : checkedScrypt({ ln, r: source.r, p: source.p, ...keys }));
}

export const pbkdf2Digests = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const;
/** The target has none of SHA-3. */
const allDigests = [...pbkdf2Digests, 'sha3-224', 'sha3-256', 'sha3-384', 'sha3-512'] as const;
export type Pbkdf2Digest = (typeof allDigests)[number];

interface Pbkdf2Parts extends Keyed {
  readonly digest: Pbkdf2Digest;
  readonly rounds: number;
}

/** SHA-1 has no suffix, because the target refuses `pbkdf2-sha1`. */
const pbkdf2Identifier = (digest: Pbkdf2Digest) => (digest === 'sha1' ? 'pbkdf2' : `pbkdf2-${digest}`);

function checkedPbkdf2(
  name: string,
  rounds: number,
  saltText: string,
  keyText: string,
): Pbkdf2Parts | McfProblem {
  const digest = allDigests.find((one) => one === name);
  if (digest === undefined) return unsupported(`the digest of pbkdf2 is ${nameOf(name)}`);
  const keys = readKeys(saltText, keyText, 'padded');
  if (isProblem(keys)) return keys;
  return checked({ digest, rounds, ...keys }, [rounds, maxUint32, 'the number of rounds']);
}

/** `$pbkdf2-sha256$<rounds>$<salt>$<key>`, in three encodings of base64. */
export const pbkdf2: HashAlgorithm<Pbkdf2Parts> = {
  identifiers: allDigests.map(pbkdf2Identifier),
  decode(text) {
    const [, identifier = '', rounds = '', salt = '', key = '', ...more] = text.split('$');
    if (rounds.includes('='))
      return malformed('the parameters are written `i=…,l=…`; the target reads the bare number of rounds');
    if (more.length > 0) return malformed('there is more after the key');
    return checkedPbkdf2(identifier.slice('pbkdf2-'.length) || 'sha1', readJsonCount(rounds), salt, key);
  },
  encode: ({ digest, rounds, salt, key }) => `$${pbkdf2Identifier(digest)}$${rounds}$${salt}$${key}`,
  describe: ({ digest, rounds }) => ({
    algorithm: `pbkdf2-${digest}`,
    verifier: 'pbkdf2',
    parameters: { rounds },
  }),
  check: (parts, password) =>
    isKey(parts, (salt, length) => derivePbkdf2(password, salt, parts.rounds, length, parts.digest)),
};

/**
 * Returns a PBKDF2 hash string in another encoding, for a target that requires it. Other hash strings stay as they are.
 */
export function recodePbkdf2(mcf: string, encoding: Base64Encoding) {
  if (encoding === 'padded' || !mcf.startsWith('$pbkdf2')) return mcf;
  const [, identifier, rounds, ...keys] = mcf.split('$');
  return ['', identifier, rounds, ...keys.map((part) => encodeBase64As(part, encoding))].join('$');
}

/** Returns the hash string of a source's PBKDF2 parts, or why there is none. */
export function encodePbkdf2({
  digest,
  rounds,
  salt,
  key,
}: Keyed & { readonly digest: string; readonly rounds: number }) {
  return write(pbkdf2, checkedPbkdf2(digest, rounds, salt.trim(), key.trim()));
}
