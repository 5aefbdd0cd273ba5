/** What a decoder is given and what it answers. */
import { malformed, type McfProblem, unverifiable } from '../mcf/algorithm.ts';
import { encodeArgon2 } from '../mcf/argon2.ts';
import { md5Salted } from '../mcf/md5.ts';
import { encodePbkdf2 } from '../mcf/pbkdf2.ts';
import { encodeScrypt } from '../mcf/scrypt.ts';
import { readText } from './encodings.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import type { Bytes, Digest, DigestName, SourceForm } from './form.ts';

/** What a source has of one password. Texts as they stand in the source; nothing is decoded yet. */
export interface HashParts {
  /** The hash, or the whole text with parameters, salt and hash. */
  readonly hash: string;
  readonly salt?: string;
  /** The way of hashing, where the source keeps it beside the hash: its method, type or hasher. */
  readonly algorithm?: string;
  readonly rounds?: string;
  /** Parameters that the source keeps as an object. */
  readonly options?: JsonObject;
  /** What the operator knows and the export does not have: a pepper, the key of a site. */
  readonly secret?: Uint8Array;
}

/** The target takes the string, and the password of the user matches it. */
export interface Converted {
  readonly mcf: string;
  /** Of further values of the same password, for a target that refuses the first. */
  readonly others?: readonly string[];
  /** Where the source alters some passwords before hashing: whose password is altered cannot log in at the target. */
  readonly form?: SourceForm;
  /** Why it is not known whether the source altered the password before it hashed it. */
  readonly doubt?: string;
}

/** No hash string can be written. `form` is there where a typed password can be checked all the same. */
export type Refused = McfProblem & { readonly form?: SourceForm | undefined };

/** The source holds the password itself. Secret. */
export interface Plain {
  readonly plain: string;
}

export type Decoded = Converted | Refused | Plain;

export function isRefused(decoded: Decoded): decoded is Refused {
  return 'code' in decoded;
}

export function isPlain(decoded: Decoded): decoded is Plain {
  return 'plain' in decoded;
}

export function none(detail = 'the source marks the account as one without a password'): Refused {
  return { code: 'password:none', detail };
}

/** The hash was made from something else than the password. */
export function prehashed(detail: string, form?: SourceForm): Refused {
  return { code: 'password:prehashed', detail, form };
}

/** The hash was made from the password and a secret. */
export function peppered(detail: string, form?: SourceForm): Refused {
  return { code: 'password:peppered', detail, form };
}

/** The text could be one of several kinds of hash, and the wrong guess would lock the user out. */
export function ambiguous(detail: string, form?: SourceForm): Refused {
  return { code: 'password:ambiguous-format', detail, form };
}

/** No verifier knows it. */
export function unsupported(detail: string, form?: SourceForm): Refused {
  return { code: 'password:algorithm-unsupported', detail, form };
}

/** A key that was cut to so few bytes is met by many a wrong password. */
export const leastKeyBytes = 8;
const leastKeyText = Math.ceil((leastKeyBytes * 4) / 3);

/** The text of a hash string, or why there is none. */
export function fromMcf(mcf: string | McfProblem): Converted | Refused {
  if (typeof mcf !== 'string') return mcf;
  const key = mcf.slice(mcf.lastIndexOf('$') + 1).replace(/=+$/, '');
  const isCut = key.length < leastKeyText && /^\$(?:argon2|pbkdf2|scrypt)/.test(mcf);
  return isCut ? malformed(`the key was cut: it has fewer than ${leastKeyBytes} bytes`) : { mcf };
}

/** The converted string is right for all who type what was hashed: `of` says what that is. */
export function altered(decoded: Decoded, of: Bytes): Decoded {
  return 'mcf' in decoded ? { mcf: decoded.mcf, form: { kind: 'mcf', mcf: decoded.mcf, of } } : decoded;
}

export function doubtful(decoded: Decoded, doubt: string): Decoded {
  return 'mcf' in decoded ? { ...decoded, doubt } : decoded;
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** Settings name the digest in either case: Node's crypto takes both. */
export function pbkdf2Of(
  digestName: string,
  rounds: number,
  salt: Uint8Array | undefined,
  key: Uint8Array | undefined,
): Converted | Refused {
  if (salt === undefined) return malformed('the salt cannot be read');
  if (key === undefined) return malformed('the key cannot be read');
  const digest = digestName.toLowerCase();
  return fromMcf(encodePbkdf2({ digest, rounds, saltBase64: toBase64(salt), keyBase64: toBase64(key) }));
}

/** N, r and p of scrypt; `cost` is N itself. */
export interface ScryptCosts {
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
}

export function scryptOf(
  costs: ScryptCosts,
  salt: Uint8Array | undefined,
  key: Uint8Array | undefined,
): Converted | Refused {
  if (salt === undefined) return malformed('the salt cannot be read');
  if (key === undefined) return malformed('the key cannot be read');
  return fromMcf(encodeScrypt({ ...costs, saltBase64: toBase64(salt), keyBase64: toBase64(key) }));
}

/** Memory is in KiB. */
export interface Argon2Costs {
  readonly variant: string;
  readonly memory: number;
  readonly time: number;
  readonly threads: number;
}

export function argon2Of(
  costs: Argon2Costs,
  salt: Uint8Array | undefined,
  key: Uint8Array | undefined,
): Converted | Refused {
  if (salt === undefined) return malformed('the salt cannot be read');
  if (key === undefined) return malformed('the key cannot be read');
  const parts = { ...costs, version: 19, saltBase64: toBase64(salt), keyBase64: toBase64(key) };
  return fromMcf(encodeArgon2(parts));
}

/** MD5 with a salt at one end; the target hashes the salt as the text that it is. Without a salt, bare MD5. */
export function md5Of(
  position: 'prefix' | 'suffix',
  salt: string,
  digest: Uint8Array | undefined,
): Converted | Refused {
  if (digest?.length !== 16) return malformed('it is not an MD5 digest');
  if (salt === '') return { mcf: Buffer.from(digest).toString('hex') };
  const parts = md5Salted.decode(`$md5salted-${position}$${salt}$${toBase64(digest)}`);
  if (!('code' in parts)) return { mcf: md5Salted.encode(parts) };
  const pieces: Bytes[] = position === 'prefix' ? [{ text: salt }, 'password'] : ['password', { text: salt }];
  const form = digestForm({ digest: 'md5', of: { join: pieces } }, digest);
  return { ...unverifiable(parts.detail), form };
}

/** A digest with a salt of any bytes at one end: the target takes MD5 where they are text, and nothing else. */
export function saltedDigest(
  digest: DigestName,
  position: 'prefix' | 'suffix',
  salt: Uint8Array,
  expected: Uint8Array | undefined,
  password: Bytes = 'password',
): Converted | Refused {
  const text = readText(salt);
  if (digest === 'md5' && text !== undefined && password === 'password')
    return md5Of(position, text, expected);
  const title = digest === 'md5' && text === undefined ? 'md5 with a salt of bytes' : `salted ${digest}`;
  const of = saltedBytes(position, salt, password);
  return refuseDigest(salt.length === 0 ? `a digest of ${digest}` : title, { digest, of }, expected);
}

export function saltedBytes(position: 'prefix' | 'suffix', salt: Uint8Array, password: Bytes): Bytes {
  if (salt.length === 0) return password;
  const piece: Bytes = { base64: toBase64(salt) };
  return { join: position === 'prefix' ? [piece, password] : [password, piece] };
}

/** A digest that no verifier of the target knows. */
export function digestForm(of: Digest | Bytes, expected: Uint8Array): SourceForm {
  return { kind: 'digest', expected: toBase64(expected), of };
}

/** The bytes of a digest by its name. */
export const digestBytes: Readonly<Record<DigestName, number>> = {
  md4: 16,
  md5: 16,
  sha1: 20,
  sha224: 28,
  sha256: 32,
  sha384: 48,
  sha512: 64,
};

/** More would keep a login waiting for minutes. */
const mostRounds = 10_000_000;

/** Refuses a plain or salted digest and says how it can be checked; malformed where the length is another. */
export function refuseDigest(title: string, of: Digest, expected: Uint8Array | undefined): Refused {
  if (expected?.length !== digestBytes[of.digest]) return malformed(`it is not ${title}`);
  if (!(of.rounds === undefined || (of.rounds >= 1 && of.rounds <= mostRounds))) {
    return malformed('the number of rounds cannot be read');
  }
  const form = digestForm(of, expected);
  return unsupported(title, form);
}
