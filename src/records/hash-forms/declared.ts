/** Hashes of a table of one's own, by what the mapping says of them. */
import { isProblem, malformed, type McfProblem } from '../mcf/algorithm.ts';
import {
  type Argon2Costs,
  argon2Of,
  type Decoded,
  pbkdf2Of,
  peppered,
  prehashed,
  type ScryptCosts,
  scryptOf,
} from './decoded.ts';
import { base64Sha256, hexMd5, hexSha256 } from './direct.ts';
import { decodeText, type TextEncoding } from './encodings.ts';
import type { Bytes, DigestName } from './form.ts';
import { decodePattern } from './pattern.ts';

/** A text and what it stands for. */
export interface EncodedText {
  readonly value: string;
  readonly encoding: TextEncoding;
}

/** Salt and key in one text: numbers of bytes in their order; the last one may be the rest. */
export interface PackedText extends EncodedText {
  readonly layout: readonly { readonly part: 'salt' | 'key' | 'skip'; readonly bytes: number | 'rest' }[];
}

/** A secret of the operator that was put to the salt of every user. */
export interface SaltSecret {
  readonly bytes: Uint8Array;
  readonly place: 'before' | 'after';
}

/** Where salt and key are. */
export type SaltAndKey =
  | { readonly salt: EncodedText; readonly key: EncodedText; readonly saltSecret?: SaltSecret }
  | { readonly packed: PackedText; readonly saltSecret?: SaltSecret };

export type DeclaredHash =
  | ({ readonly kind: 'pbkdf2'; readonly digest: string; readonly rounds: number } & SaltAndKey)
  | ({ readonly kind: 'scrypt' } & ScryptCosts & SaltAndKey)
  | ({ readonly kind: 'argon2' } & Argon2Costs & SaltAndKey)
  | {
      readonly kind: 'digest';
      readonly name: DigestName;
      readonly digest: EncodedText;
      /** `{SALT}` and `{PASSWORD}` with the texts around them. */
      readonly around: string;
      readonly salt?: string;
      readonly saltSecret?: SaltSecret;
    };

export function decodeDeclared(declared: DeclaredHash): Decoded {
  if (declared.kind === 'digest') return decodeDeclaredDigest(declared);
  const found = saltAndKeyOf(declared);
  if (isProblem(found)) return found;
  const { salt, key } = found;
  if (declared.kind === 'pbkdf2') return pbkdf2Of(declared.digest, declared.rounds, salt, key);
  return declared.kind === 'scrypt' ? scryptOf(declared, salt, key) : argon2Of(declared, salt, key);
}

interface FoundBytes {
  readonly salt: Buffer;
  readonly key: Buffer;
}

function saltAndKeyOf(source: SaltAndKey): FoundBytes | McfProblem {
  const found = 'packed' in source ? unpack(source.packed) : readBoth(source.salt, source.key);
  if (isProblem(found) || source.saltSecret === undefined) return found;
  return { ...found, salt: withSecret(found.salt, source.saltSecret) };
}

function readBoth(salt: EncodedText, key: EncodedText): FoundBytes | McfProblem {
  const saltBytes = decodeText(salt.value, salt.encoding);
  if (saltBytes === undefined) return malformed(`the salt is not ${salt.encoding}`);
  const keyBytes = decodeText(key.value, key.encoding);
  return keyBytes === undefined
    ? malformed(`the hash is not ${key.encoding}`)
    : { salt: saltBytes, key: keyBytes };
}

function unpack({ value, encoding, layout }: PackedText): FoundBytes | McfProblem {
  const blob = decodeText(value, encoding);
  if (blob === undefined) return malformed(`the hash is not ${encoding}`);
  const parts: Record<'salt' | 'key' | 'skip', Buffer> = {
    salt: Buffer.alloc(0),
    key: Buffer.alloc(0),
    skip: Buffer.alloc(0),
  };
  let at = 0;
  for (const { part, bytes } of layout) {
    const end = bytes === 'rest' ? blob.length : at + bytes;
    if (end > blob.length) return malformed(`the hash has ${blob.length} bytes, fewer than its layout`);
    parts[part] = blob.subarray(at, end);
    at = end;
  }
  if (at < blob.length) return malformed(`the hash has ${blob.length} bytes, more than its layout`);
  return parts.key.length === 0 ? malformed('no bytes remain for the key') : parts;
}

function withSecret(salt: Uint8Array, { bytes, place }: SaltSecret): Buffer {
  return Buffer.concat(place === 'before' ? [bytes, salt] : [salt, bytes]);
}

function decodeDeclaredDigest(declared: DeclaredHash & { readonly kind: 'digest' }): Decoded {
  const { name, digest, around, salt = '', saltSecret } = declared;
  const expected = decodeText(digest.value, digest.encoding);
  if (expected === undefined) return malformed(`the hash is not ${digest.encoding}`);
  const whole = saltSecret === undefined ? salt : withSecret(Buffer.from(salt), saltSecret).toString('utf8');
  return decodePattern(name, around, whole, expected);
}

/** What the mapping says about hashes whose text does not show whether the password was altered. */
export interface Alterations {
  /** `prefix` and `suffix`: a secret before or after the password. */
  readonly pepper: 'none' | 'unknown' | 'password' | 'prefix' | 'suffix';
  readonly prehash: 'none' | 'unknown' | keyof typeof prehashes | 'hmac' | 'other';
  /** The pepper, where the operator has it; a login can be checked with it. */
  readonly secret?: Uint8Array | undefined;
}

/** What applications do to passwords before bcrypt and its like. */
export const prehashes = {
  md5: hexMd5,
  sha1: { digest: 'sha1', of: 'password', as: 'hex' },
  sha256: hexSha256,
  'sha256-base64': base64Sha256,
  sha512: { digest: 'sha512', of: 'password', as: 'hex' },
  'sha512-base64': { digest: 'sha512', of: 'password', as: 'base64' },
} as const satisfies Record<string, Bytes>;

/** Refuses a hash of an altered password: the target would take it, and no user could log in. */
export function refuseAltered(decoded: Decoded, { pepper, prehash, secret }: Alterations): Decoded {
  if (!('mcf' in decoded)) return decoded;
  const { mcf } = decoded;
  if (prehash !== 'none' && prehash !== 'unknown') {
    const of = prehash in prehashes ? prehashes[prehash as keyof typeof prehashes] : undefined;
    const form = of === undefined || pepper !== 'none' ? undefined : ({ kind: 'mcf', mcf, of } as const);
    return prehashed(`the mapping says that passwords were hashed with ${prehash} first`, form);
  }
  if (pepper === 'none' || pepper === 'unknown') return decoded;
  const bytes: Bytes =
    secret === undefined ? { secret: 'pepper' } : { base64: Buffer.from(secret).toString('base64') };
  const of: Bytes = { join: pepper === 'prefix' ? [bytes, 'password'] : ['password', bytes] };
  return peppered('the mapping says that a secret was added to the password', { kind: 'mcf', mcf, of });
}

/** True for hashes whose text does not show whether the password was altered before. */
export function hidesAlterations(mcf: string): boolean {
  return /^\$(?:2[aby]|argon2|[156]|[PH]|S)(?:\$|id?\$)/.test(mcf);
}
