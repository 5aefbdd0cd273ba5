/** Explains why a hash does not match a password that is known to be correct, by trying what some sources do. */
import { type HashAlgorithm, isProblem } from '../mcf/algorithm.ts';
import { md5Salted } from '../mcf/crypt.ts';
import { argon2, pbkdf2, pbkdf2Digests, scrypt } from '../mcf/keyed.ts';
import { recognise, verifyPassword } from '../mcf/recognise.ts';
import { type Alteration, alterations } from './alterations.ts';
import { decodeRow } from './decode.ts';
import { type Decoded, isPlain, isRefused, digestNames, type SourceForm } from './form.ts';
import { fromBase64, fromHex, type TextEncoding } from './encodings.ts';
import { bytesOfFormula } from './formula.ts';
import type { HashParts } from './row.ts';
import { computeBytes, verifyDecoded, verifyForm } from './verify-form.ts';

export interface Cause {
  /** What was hashed, in one sentence. */
  readonly text: string;
  /** What it means for users. */
  readonly consequence: string;
  /** Line of the mapping that fixes it, if there is one. */
  readonly mapping?: string;
}

/** `undefined` means that nothing known explains it. `unfinished` means that the time ran out. */
export type Explanation = Cause | 'unfinished' | undefined;

/** A hash string, and what the source has stored, if known. */
export interface StoredHash {
  readonly mcf?: string;
  readonly parts?: HashParts | undefined;
  readonly decoded?: Decoded;
}

/** A possible cause, and how to test it. */
interface Candidate extends Cause {
  readonly matches: () => Promise<unknown>;
}

/**
 * Returns why the hash does not match. `isOver` is asked before every hash, because costly hashes could keep the search
 * busy for hours.
 */
export async function explainMismatch(
  { mcf, parts, decoded }: StoredHash,
  password: string,
  isOver: () => boolean,
): Promise<Explanation> {
  if (decoded !== undefined && (await acceptsItself(decoded, password))) return causeOf(decoded);
  for (const { matches, ...cause } of candidatesOf(mcf ?? hashStringIn(parts), parts, password)) {
    if (isOver()) return 'unfinished';
    // A candidate that a library refuses to compute explains nothing.
    if ((await matches().catch(() => false)) === true) return cause;
  }
  return undefined;
}

/** Returns a hash string that the source stored, but that was refused because the mapping names another kind. */
function hashStringIn(parts: HashParts | undefined) {
  const found = recognise(parts?.hash.trim() ?? '');
  return isProblem(found) || !found.mcf.startsWith('$') ? undefined : found.mcf;
}

async function acceptsItself(decoded: Decoded, password: string) {
  if (!isPlain(decoded) && decoded.form === undefined) return false;
  return (await verifyDecoded(decoded, password)) === true;
}

const noLogin =
  'The target cannot verify this form: users set a new password, or idport jit checks the old one at their first login.';
const rightMapping = 'With the right line in the mapping the hashes can be carried.';

/** For a password that matches the source's own form, but not the hash string for the target. */
function causeOf(decoded: Decoded) {
  if ('code' in decoded)
    return { text: `The source knows the password: ${decoded.detail}.`, consequence: noLogin };
  return {
    text: 'The source alters this password before it hashes it.',
    consequence: 'This user cannot log in at the target; users whose password is not altered can.',
  };
}

function* candidatesOf(mcf: string | undefined, parts: HashParts | undefined, password: string) {
  if (mcf !== undefined) {
    for (const { mcf: other, title, mapping } of variantsOf(mcf)) {
      yield {
        matches: () => verifyPassword(other, password),
        text: `In the mapping, ${title}.`,
        consequence: rightMapping,
        mapping,
      };
    }
    yield* sha3(mcf, password);
    for (const alteration of alterations) yield altered(mcf, alteration, password);
    if (mcf.startsWith('$2')) yield twice(mcf, password);
  }
  yield* digests(parts ?? digestIn(mcf ?? ''), password);
}

/** The same stored hash under another mapping: what the mapping got wrong, and the line that fixes it. */
interface Variant {
  readonly mcf: string;
  readonly title: string;
  readonly mapping: string;
}

function variantsOf(mcf: string) {
  const identifier = mcf.split('$')[1] ?? '';
  if (identifier.startsWith('pbkdf2')) {
    return variants(mcf, pbkdf2, 'digest', pbkdf2Digests, (digest, own) => ({
      title: `the digest is ${digest}, not ${own}`,
      mapping: `digest: ${digest}`,
    }));
  }
  if (identifier === 'scrypt') {
    return variants(mcf, scrypt, 'r', [8, 16], (r, own) => ({
      title: `the block size is ${r}, not ${own}`,
      mapping: `blockSize: ${r}`,
    }));
  }
  if (identifier.startsWith('argon2')) {
    return variants(mcf, argon2, 'variant', ['i', 'id'], (variant, own) => ({
      title: `it is argon2${variant}, not argon2${own}`,
      mapping: `variant: ${variant}`,
    }));
  }
  if (!identifier.startsWith('md5salted')) return [];
  return variants(mcf, md5Salted, 'position', ['prefix', 'suffix'], (position) => ({
    title: `the salt comes ${position === 'prefix' ? 'before' : 'after'} the password`,
    mapping: position === 'prefix' ? 'of: md5(salt + password)' : 'of: md5(password + salt)',
  }));
}

/** Yields the hash with other readings of its salt, and with other values of one part. */
function* variants<Parts extends { readonly salt: string }, Name extends keyof Parts>(
  mcf: string,
  { decode, encode }: HashAlgorithm<Parts>,
  name: Name,
  values: readonly Parts[Name][],
  words: (value: Parts[Name], own: Parts[Name]) => Omit<Variant, 'mcf'>,
) {
  const parts = decode(mcf);
  if (isProblem(parts)) return;
  for (const [salt, title, encoding] of 'key' in parts ? saltsLike(parts.salt) : []) {
    const base64 = salt.toString('base64').replaceAll('=', '');
    const mapping = `salt: { encoding: ${encoding} }`;
    yield { mcf: encode({ ...parts, salt: base64 }), title: `the salt is ${title}`, mapping };
  }
  for (const value of values) {
    if (value !== parts[name])
      yield { mcf: encode({ ...parts, [name]: value }), ...words(value, parts[name]) };
  }
}

/** Yields other readings of a salt: text that should have been decoded, or bytes that should have stayed text. */
function* saltsLike(own: string): Generator<readonly [salt: Buffer, title: string, encoding: TextEncoding]> {
  const salt = Buffer.from(own, 'base64');
  const text = salt.toString('latin1');
  const [hex, base64] = [fromHex(text), fromBase64(text)];
  if (hex !== undefined) yield [hex, 'hex, not text', 'hex'];
  if (base64 !== undefined) yield [base64, 'base64, not text', 'base64'];
  const written = salt.toString('base64');
  const unpadded = written.replace(/=+$/, '');
  const digits = salt.toString('hex');
  const url = salt.toString('base64url');
  const texts = [digits, digits.toUpperCase(), written, unpadded, url, unpadded.replaceAll('+', '.')];
  for (const one of new Set(texts))
    yield [Buffer.from(one), 'the text itself, not the bytes that it seems to encode', 'text'];
}

/** Most alterations leave most passwords unchanged. Then nothing has to be hashed. */
function altered(mcf: string, [made, title, known, only]: Alteration, password: string): Candidate {
  const who = known === undefined ? '' : `, as ${known} ${known.includes(' and ') ? 'do' : 'does'}`;
  return {
    async matches() {
      const bytes = await computeBytes(bytesOfFormula(made), password);
      return !bytes.equals(Buffer.from(password)) && verifyPassword(mcf, bytes);
    },
    text: `The hash was made from ${title}${who}.`,
    consequence: only === undefined ? noLogin : `Users ${only} cannot log in at the target; all others can.`,
    ...(only === undefined && { mapping: `prehash: ${made}` }),
  };
}

/** Tries PBKDF2 with the SHA-3 of the same length. */
function* sha3(mcf: string, password: string) {
  const [, digest] = /^\$pbkdf2-(sha\d+)\$/.exec(mcf) ?? [];
  if (digest === undefined) return;
  const own = digest.replace('sha', 'sha3-');
  yield {
    matches: () => verifyPassword(mcf.replace(digest, own), password),
    text: `The digest is ${own}, which Ory Kratos writes as ${digest}.`,
    consequence: noLogin,
  };
}

function twice(mcf: string, password: string): Candidate {
  const form: SourceForm = { kind: 'mcf', mcf, of: { bcryptLike: mcf, of: 'password' } };
  return {
    matches: () => verifyForm(form, password),
    text: 'The hash is a bcrypt hash of a bcrypt hash with the same salt, as WoltLab writes it.',
    consequence: noLogin,
    mapping: 'prehash: bcrypt(password)',
  };
}

/** A formula and its text, in which `D` stands for the digest. */
type Layout = readonly [formula: string, title: string];

const unsalted: readonly Layout[] = [
  ['D(password)', 'the password, without a salt'],
  ['D(hex(D(password)))', 'its own digits: D twice'],
  ['D(utf-16le(password))', 'the password in UTF-16'],
  ['D(latin1(password))', 'the password in Latin-1'],
];

const salted: readonly Layout[] = [
  ['D(salt + password)', 'the salt followed by the password'],
  ['D(password + salt)', 'the password followed by the salt'],
  ['D(salt + latin1(password))', 'the salt followed by the password in Latin-1'],
  ['D(latin1(password) + salt)', 'the password in Latin-1 followed by the salt'],
  ...[':', '-', '$', '|'].flatMap((mark): Layout[] => [
    [`D(salt + "${mark}" + password)`, `the salt, \`${mark}\` and the password`],
    [`D(password + "${mark}" + salt)`, `the password, \`${mark}\` and the salt`],
  ]),
  ['D(hex(D(password)) + salt)', 'the digits of D of the password followed by the salt'],
  ['D(salt + hex(D(password)))', 'the salt followed by the digits of D of the password'],
  ['D(hex(D(salt)) + hex(D(password)))', 'two D, of the salt and of the password'],
  ['hmac-D(salt, password)', 'the password as an HMAC with the salt'],
];

/** The third element is the text for a salt that is not text. */
const encodings: readonly (readonly [TextEncoding, layouts: readonly Layout[], title: string])[] = [
  ['text', salted, ''],
  ['hex', salted.slice(0, 2), ', with a salt of bytes'],
  ['base64', salted.slice(0, 2), ', with a salt of bytes'],
];

/** Returns the digest in an MD5 hash string with a salt, or a text that can only be a digest. */
function digestIn(mcf: string): HashParts | undefined {
  const found = mcf.startsWith('$md5salted') ? md5Salted.decode(mcf) : undefined;
  if (found === undefined) return fromHex(mcf) && { hash: mcf };
  if (isProblem(found)) return undefined;
  return { hash: Buffer.from(found.digest, 'base64').toString('hex'), salt: found.salt };
}

/**
 * Tries the plain digests that a bare text may be, by its length: with the salt before or after it, as bytes, or
 * nested.
 */
function* digests(parts: HashParts | undefined, password: string) {
  if (parts === undefined) return;
  const { salt = '' } = parts;
  const hash = parts.hash.trim();
  const key = `key: { encoding: ${fromHex(hash) === undefined ? 'base64' : 'hex'} }`;
  for (const digest of digestNames) {
    const name = digest.toUpperCase().replace('SHA', 'SHA-');
    for (const [encoding, layouts, more] of [
      ...(salt === '' ? [] : encodings),
      ['text', unsalted, ''] as const,
    ]) {
      for (const [formula, title] of layouts) {
        const of = formula.replaceAll('D(', `${digest}(`).replace('hmac-D', `hmac-${digest}`);
        const decoded = decodeRow({ of, key: 'hex-or-base64', salt: encoding }, { hash, salt });
        if (decoded === undefined || (isRefused(decoded) && decoded.form === undefined)) continue;
        yield {
          matches: () => verifyDecoded(decoded, password),
          text: `The hash is ${name} of ${title.replaceAll(/\bD\b/g, name)}${more}.`,
          consequence: isRefused(decoded) ? noLogin : rightMapping,
          mapping: `digest: { of: '${of}', ${more === '' ? '' : `salt: { encoding: ${encoding} }, `}${key} }`,
        };
      }
    }
  }
}
