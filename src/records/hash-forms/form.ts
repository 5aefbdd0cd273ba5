/** How a source has stored a password, as data that can be written down and checked at a login later; what decoders answer. */
import { trimEndOf } from '../../lib/strings.ts';
import {
  type HashParameters,
  isProblem,
  type VerifierName,
  tooCostly,
  type McfProblem,
} from '../mcf/algorithm.ts';
import { recognise } from '../mcf/recognise.ts';
import { fromBase64 } from './encodings.ts';

/** The digests, each with its length. */
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

/** What is done to a text before it is hashed. */
export const textSteps = [
  /** Without blanks at both ends, as PHP's `trim` has it. */
  'trim',
  'nfc',
  'nfkc',
  'nfkd',
  'lower',
  /** `& < > "` as entities, as PHP's `htmlspecialchars` writes them. */
  'html-escape',
  /** A backslash before `' " \\` and NUL, as PHP's `addslashes` writes them. */
  'add-slashes',
  'utf-16le',
  'latin1',
  /** Symfony: base64 of the SHA-512 of what is longer than 72 bytes or has a NUL, anything else as it is. */
  'sha512-if-long',
] as const;
export type TextStep = (typeof textSteps)[number];

/** How bytes are made of leaves: `Bytes` of the typed password, formulas of names. */
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
  /** The full text of a bcrypt hash with the cost and the salt of another one. */
  | { readonly bcryptLike: string; readonly of: Made<Leaf> };

export interface Digest<Leaf> {
  readonly digest: DigestName;
  readonly of: Made<Leaf>;
  /** As text; as bytes where it is absent. */
  readonly as?: 'hex' | 'base64';
  /** The digest is digested again until it was done so often; 1 where it is absent. */
  readonly rounds?: number;
  /** Follows the digest in every further round. */
  readonly again?: Made<Leaf>;
}

/** Bytes that are computed from the typed password. */
export type Bytes = Made<
  | 'password'
  | { readonly base64: string }
  /** Known to the operator under this name, and never part of a form. */
  | { readonly secret: string }
>;

/** A stored password with all that is needed to check a typed one, except secrets that the operator keeps. */
export type SourceForm =
  /** A hash string as the target has it, made of other bytes than the password. */
  | { readonly kind: 'mcf'; readonly mcf: string; readonly of: Bytes }
  /** A digest in base64. */
  | { readonly kind: 'digest'; readonly expected: string; readonly of: Bytes }
  /** PBKDF2 over a digest, or with a salt, that no hash string of the target can have. */
  | {
      readonly kind: 'pbkdf2';
      /** As node:crypto names it: `sha3-256`. */
      readonly digest: string;
      readonly rounds: number;
      readonly salt: Bytes;
      readonly key: string;
    }
  | {
      readonly kind: 'argon2d';
      readonly memory: number;
      readonly time: number;
      readonly threads: number;
      readonly salt: string;
      readonly key: string;
    }
  /** https://github.com/firebase/scrypt: the signer key, encrypted with a key that scrypt derives. */
  | {
      readonly kind: 'firebase-scrypt';
      readonly memoryCost: number;
      readonly rounds: number;
      readonly parallelization: number;
      /** Base64, as all that follows. */
      readonly salt: string;
      readonly separator: string;
      readonly signerKey: Bytes;
      readonly hash: string;
    }
  /** Apache's variant of `$1$`; the oldest crypt(3), with two characters of salt and eleven of checksum. */
  | { readonly kind: 'apr1' | 'des-crypt'; readonly salt: string; readonly checksum: string }
  /** The source accepts either. */
  | { readonly kind: 'any'; readonly of: readonly SourceForm[] };

/** Names of the secrets that a form needs. */
export function secretsOf(form: SourceForm): string[] {
  const names = new Set<string>();
  for (const { secret } of partsOf(form)) if (typeof secret === 'string') names.add(secret);
  return [...names];
}

/** Why no password is checked against this form: no login system works so long. Looks before any work is done. */
export function whyUncheckable(form: SourceForm): string | undefined {
  for (const part of partsOf(form)) {
    const hash = describeCost(part);
    const problem = hash && (tooCostly(hash) ?? tooSmall(hash, part));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** What must be base64, by the kind of the form. */
const inBase64: Readonly<Record<string, readonly string[]>> = {
  digest: ['expected'],
  pbkdf2: ['key'],
  argon2d: ['salt', 'key'],
  'firebase-scrypt': ['salt', 'separator', 'hash'],
};

/** Whether a password can be checked against this form, given its secrets: it is not too costly, and its parts can be read. */
export function isCheckable(form: SourceForm): boolean {
  const isRead = (text: unknown) => typeof text !== 'string' || text === '' || fromBase64(text) !== undefined;
  for (const part of partsOf(form)) {
    const fields = ['base64', ...(inBase64[String(part['kind'])] ?? [])];
    if (!fields.every((field) => isRead(part[field]))) return false;
  }
  return whyUncheckable(form) === undefined;
}

/** RFC 9106 has these limits, and the library that computes Argon2 insists on them. */
function tooSmall({ verifier, parameters }: Cost, part: Readonly<Record<string, unknown>>) {
  if (verifier !== 'argon2') return undefined;
  const { mcf, salt: own = typeof mcf === 'string' ? mcf.split('$')[4] : '' } = part;
  const salt = typeof own === 'string' ? trimEndOf(own, '=') : '';
  const { memory = 0, threads = 0 } = parameters;
  if (salt.length * 6 < 8 * 8) return 'the salt of Argon2 has fewer than 8 bytes';
  return memory < 8 * threads ? `memory ${memory} is less than 8 for each of ${threads} threads` : undefined;
}

/** The form and all objects in it. */
function* partsOf(form: object): Generator<Readonly<Record<string, unknown>>> {
  yield form as Readonly<Record<string, unknown>>;
  for (const inner of Object.values(form) as unknown[]) {
    if (typeof inner === 'object' && inner !== null) yield* partsOf(inner);
  }
}

function describeCost(part: Readonly<Record<string, unknown>>): Cost | undefined {
  const { kind, mcf, bcryptLike, digest, rounds, key } = part;
  const text = mcf ?? bcryptLike;
  if (typeof text === 'string') {
    const found = recognise(text);
    return isProblem(found) ? undefined : found;
  }
  const of = (verifier: VerifierName, parameters: object): Cost => ({
    verifier,
    parameters: parameters as HashParameters,
  });
  if (kind === 'argon2d') return of('argon2', part);
  if (kind === 'firebase-scrypt') {
    return of('scrypt', { ln: part['memoryCost'], r: rounds, p: part['parallelization'] });
  }
  // Each 64 bytes of the key (88 characters of base64) cost all rounds again.
  if (kind === 'pbkdf2') return of('pbkdf2', { rounds: Number(rounds) * Math.ceil(String(key).length / 88) });
  return digest === undefined ? undefined : of('sha2', { rounds: rounds ?? 1 });
}

type Cost = Parameters<typeof tooCostly>[0];

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

/** No hash string can be written. `form` is set where a typed password can still be checked. */
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
