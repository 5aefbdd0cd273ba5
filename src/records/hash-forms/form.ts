/**
 * How a source has stored a password, as data that can be saved and checked at a later login, and the results of
 * decoders.
 */
import {
  type HashParameters,
  isProblem,
  type VerifierName,
  tooCostly,
  type McfProblem,
} from '../mcf/algorithm.ts';
import { readHash } from '../mcf/recognise.ts';
import { fromBase64 } from './encodings.ts';
import type { JsonObject } from '../../lib/json-value.ts';

/** The digests and their lengths in bytes. */
export const digestBytes = {
  md4: 16,
  md5: 16,
  sha1: 20,
  sha224: 28,
  sha256: 32,
  sha384: 48,
  sha512: 64,
} as const;
export type DigestName = keyof typeof digestBytes;
export const digestNames = Object.keys(digestBytes) as readonly DigestName[];

/** Steps that change a text before it is hashed. */
export const textSteps = [
  /** Removes blanks at both ends, as PHP's `trim` does. */
  'trim',
  'nfc',
  'nfkc',
  'nfkd',
  'lower',
  /** Writes `& < > "` as entities, as PHP's `htmlspecialchars` does. */
  'html-escape',
  /** Puts a backslash before `' " \\` and NUL, as PHP's `addslashes` does. */
  'add-slashes',
  'utf-16le',
  'latin1',
  /**
   * As Symfony: the base64 of the SHA-512 if the password is longer than 72 bytes or has a NUL. Otherwise the password.
   */
  'sha512-if-long',
] as const;
export type TextStep = (typeof textSteps)[number];

/** How bytes are built from leaves. `Bytes` has the typed password as a leaf, formulas have names. */
export type Made<Leaf> =
  | Leaf
  | { readonly text: string }
  | { readonly join: readonly Made<Leaf>[] }
  | { readonly step: TextStep; readonly of: Made<Leaf> }
  | Digest<Leaf>
  | {
      readonly hmac: DigestName;
      readonly key: Made<Leaf>;
      readonly of: Made<Leaf>;
      readonly as?: 'hex' | 'base64';
    }
  /** The full text of a bcrypt hash with the cost and salt of another hash. */
  | { readonly bcryptLike: string; readonly of: Made<Leaf> };

export interface Digest<Leaf> {
  readonly digest: DigestName;
  readonly of: Made<Leaf>;
  /** Encoding of the digest as text. Bytes if not set. */
  readonly as?: 'hex' | 'base64';
  /** Number of times that the digest is applied. 1 if not set. */
  readonly rounds?: number;
  /** Appended to the digest in every further round. */
  readonly again?: Made<Leaf>;
}

/** Bytes that are computed from a typed password. */
export type Bytes = Made<
  | 'password'
  | { readonly base64: string }
  /** A secret that the operator keeps under this name. Its value is never part of a form. */
  | { readonly secret: string }
>;

/** A stored password with everything needed to check a typed one, except secrets that the operator keeps. */
export type SourceForm =
  /** A hash string that no target has, or that is made of other bytes than the password. */
  | { readonly kind: 'mcf'; readonly mcf: string; readonly of: Bytes }
  /** A digest in base64. */
  | { readonly kind: 'digest'; readonly expected: string; readonly of: Bytes }
  /** https://github.com/firebase/scrypt: the signer key, encrypted with a key that scrypt derives. */
  | {
      readonly kind: 'firebase-scrypt';
      readonly memoryCost: number;
      readonly rounds: number;
      readonly parallelization: number;
      /** Base64, like the fields that follow. */
      readonly salt: string;
      readonly separator: string;
      readonly signerKey: Bytes;
      readonly hash: string;
    }
  /** Apache's variant of `$1$`, or the oldest crypt(3), with two characters of salt and eleven of checksum. */
  | { readonly kind: 'apr1' | 'des-crypt'; readonly salt: string; readonly checksum: string }
  /** The source accepts any of them. */
  | { readonly kind: 'any'; readonly of: readonly SourceForm[] };

/** Returns the names of the secrets that a form needs. */
export function secretsOf(form: SourceForm) {
  const names = new Set<string>();
  for (const { secret } of partsOf(form)) if (typeof secret === 'string') names.add(secret);
  return [...names];
}

/**
 * Returns why no password is checked against this form, for example because it would take too long. Decided without
 * computing anything.
 */
export function whyUncheckable(form: SourceForm): string | undefined {
  for (const part of partsOf(form)) {
    const hash = describeCost(part);
    const problem = hash && (tooCostly(hash) ?? tooSmall(hash, part['mcf']));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Fields that must be base64, by the kind of form. */
const inBase64: Readonly<Record<string, readonly string[]>> = {
  digest: ['expected'],
  'firebase-scrypt': ['salt', 'separator', 'hash'],
};

/**
 * Reports whether a password can be checked against this form, given its secrets: its parts can be read and it is not
 * too costly.
 */
export function isCheckable(form: SourceForm) {
  const isRead = (text: unknown) => typeof text !== 'string' || text === '' || fromBase64(text) !== undefined;
  for (const part of partsOf(form)) {
    const { kind, mcf } = part;
    const fields = ['base64', ...(inBase64[String(kind)] ?? [])];
    if (!fields.every((field) => isRead(part[field]))) return false;
    if (typeof mcf === 'string' && isProblem(readHash(mcf))) return false;
  }
  return whyUncheckable(form) === undefined;
}

/** Limits of RFC 9106, which the Argon2 library enforces. */
function tooSmall({ verifier, parameters }: Cost, mcf: unknown) {
  if (verifier !== 'argon2') return undefined;
  const [, , , , salt = ''] = String(mcf).split('$');
  const { memory = 0, threads = 0 } = parameters;
  if (salt.length * 6 < 8 * 8) return 'the salt of Argon2 has fewer than 8 bytes';
  return memory < 8 * threads ? `memory ${memory} is less than 8 for each of ${threads} threads` : undefined;
}

/** Yields the form and all objects in it. */
function* partsOf(form: object): Generator<JsonObject> {
  yield form as JsonObject;
  for (const inner of Object.values(form) as unknown[]) {
    if (typeof inner === 'object' && inner !== null) yield* partsOf(inner);
  }
}

function describeCost(part: JsonObject): Cost | undefined {
  const { kind, mcf, bcryptLike, digest, rounds } = part;
  const text = mcf ?? bcryptLike;
  const of = (verifier: VerifierName, parameters: object): Cost => ({
    verifier,
    parameters: parameters as HashParameters,
  });
  if (typeof text === 'string') {
    const found = readHash(text);
    if (isProblem(found)) return undefined;
    if (found.verifier !== 'pbkdf2') return found;
    const [, , , , key = ''] = found.mcf.split('$');
    // All rounds are computed again for each 64 bytes of the key (88 characters of base64).
    return of('pbkdf2', { rounds: found.parameters['rounds']! * Math.ceil(key.length / 88) });
  }
  if (kind === 'firebase-scrypt') {
    return of('scrypt', { ln: part['memoryCost'], r: rounds, p: part['parallelization'] });
  }
  return digest === undefined ? undefined : of('sha2', { rounds: rounds ?? 1 });
}

type Cost = Parameters<typeof tooCostly>[0];

/** The target accepts the string, and the user's password matches it. */
interface Converted {
  readonly mcf: string;
  /** Hash strings of further values of the same password, for a target that refuses the first. */
  readonly others?: readonly string[];
  /**
   * Set if the source alters some passwords before hashing. Users whose password is altered cannot log in at the
   * target.
   */
  readonly form?: SourceForm;
  /** Why it is unknown whether the source altered the password before hashing. */
  readonly doubt?: string;
}

/** No hash string can be written. `form` is set if a typed password can still be checked. */
export type Refused = McfProblem & { readonly form?: SourceForm | undefined };

/** The source has the password itself. Secret. */
interface Plain {
  readonly plain: string;
}

export type Decoded = Converted | Refused | Plain;

export function isRefused(decoded: Decoded): decoded is Refused {
  return 'code' in decoded;
}

export function isPlain(decoded: Decoded): decoded is Plain {
  return 'plain' in decoded;
}
