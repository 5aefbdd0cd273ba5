/** Checks a typed password against what a source has stored, as the source would. */
import { createCipheriv, createHmac, hash as digestOf } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { trimOf } from '../../lib/strings.ts';
import { isProblem, malformed, type McfProblem, peppered } from '../mcf/algorithm.ts';
import { bcrypt, bcryptDigest } from '../mcf/crypt.ts';
import { deriveScrypt, isEqual, md5CryptChecksum } from '../mcf/derive.ts';
import { desCryptChecksum } from '../mcf/des-crypt.ts';
import { verifyPassword } from '../mcf/recognise.ts';
import {
  type Decoded,
  isPlain,
  isRefused,
  whyUncheckable,
  type Bytes,
  type DigestName,
  type SourceForm,
  type TextStep,
} from './form.ts';
import { fromBase64 } from './encodings.ts';
import { Unreadable } from './row-inputs.ts';

/** Secrets of the operator by the names in the forms, such as peppers or the signer key of a project. */
export type Secrets = Readonly<Record<string, Uint8Array>>;

/**
 * Resolves to whether the source would accept the password, or to a problem if the form cannot be checked or is too
 * costly. Costs as much as the hash. No message contains a secret or a password.
 */
export async function verifyForm(
  form: SourceForm,
  password: string,
  secrets: Secrets = {},
): Promise<boolean | McfProblem> {
  const cost = whyUncheckable(form);
  if (cost !== undefined) return { code: 'password:parameters-out-of-limits', detail: cost };
  try {
    return await check(form, { password: Buffer.from(password), secrets });
  } catch (error) {
    if (error instanceof Unreadable) return error.problem;
    throw error;
  }
}

/** Does the same for the result of a decoder. Resolves to a problem if it has no form to check. */
export async function verifyDecoded(decoded: Decoded, password: string) {
  if (isPlain(decoded)) return isEqual(decoded.plain, password);
  if (decoded.form !== undefined) return verifyForm(decoded.form, password);
  return isRefused(decoded) ? decoded : verifyPassword(decoded.mcf, password);
}

interface Typed {
  readonly password: Buffer;
  readonly secrets: Secrets;
}

async function check(form: SourceForm, typed: Typed): Promise<boolean | McfProblem> {
  const { password } = typed;
  switch (form.kind) {
    case 'mcf':
      return verifyPassword(form.mcf, await compute(form.of, typed));
    case 'digest':
      return isEqual(await compute(form.of, typed), base64(form.expected));
    case 'firebase-scrypt':
      return checkFirebase(form, typed);
    case 'apr1':
      return isEqual(await md5CryptChecksum(password, Buffer.from(form.salt), '$apr1$'), form.checksum);
    case 'des-crypt':
      return isEqual(desCryptChecksum(password, form.salt), form.checksum);
    case 'any':
      return checkAny(form.of, typed);
  }
}

async function checkAny(forms: readonly SourceForm[], typed: Typed): Promise<boolean | McfProblem> {
  let last: boolean | McfProblem = false;
  for (const form of forms) {
    last = await check(form, typed);
    if (last === true) return true;
  }
  return last;
}

/** Checks Firebase's scrypt: the key that scrypt derives encrypts the signer key, and the result is what is stored. */
async function checkFirebase(form: Extract<SourceForm, { kind: 'firebase-scrypt' }>, typed: Typed) {
  const { memoryCost: ln, rounds: r, parallelization: p } = form;
  if (!(ln >= 1 && ln <= 30 && r >= 1 && p >= 1)) {
    throw new Unreadable(malformed('the parameters of scrypt cannot be read'));
  }
  const salt = Buffer.concat([base64(form.salt), form.separator === '' ? none : base64(form.separator)]);
  const key = await deriveScrypt({ ln, r, p }, typed.password, salt, 32);
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  const computed = Buffer.concat([cipher.update(await compute(form.signerKey, typed)), cipher.final()]);
  return isEqual(computed, base64(form.hash));
}

const none = Buffer.alloc(0);

/** Returns the bytes that are hashed instead of the password. Rejects if a secret is needed. */
export function computeBytes(of: Bytes, password: string) {
  return compute(of, { password: Buffer.from(password), secrets: {} });
}

async function compute(bytes: Bytes, typed: Typed): Promise<Buffer> {
  if (bytes === 'password') return typed.password;
  if ('text' in bytes) return Buffer.from(bytes.text);
  if ('base64' in bytes) return bytes.base64 === '' ? none : base64(bytes.base64);
  if ('secret' in bytes) return findSecret(bytes.secret, typed.secrets);
  if ('join' in bytes) {
    const pieces: Buffer[] = [];
    for (const piece of bytes.join) pieces.push(await compute(piece, typed));
    return Buffer.concat(pieces);
  }
  const of = await compute(bytes.of, typed);
  if ('step' in bytes) return textSteps[bytes.step](of);
  if ('digest' in bytes) return write(await digestAgain(bytes, of, typed), bytes.as);
  if ('hmac' in bytes) {
    const key = await compute(bytes.key, typed);
    return write(createHmac(bytes.hmac, key).update(of).digest(), bytes.as);
  }
  return hashLike(bytes.bcryptLike, of);
}

/** Number of rounds after which other work gets a turn. */
const roundsInATurn = 10_000;

async function digestAgain(
  { digest, rounds = 1, again }: Extract<Bytes, { digest: unknown }>,
  of: Buffer,
  typed: Typed,
) {
  const more = again === undefined ? none : await compute(again, typed);
  let result = await digestOnce(digest, of);
  for (let round = 1; round < rounds; round++) {
    result = await digestOnce(digest, more.length === 0 ? result : Buffer.concat([result, more]));
    if (round % roundsInATurn === 0) await setImmediate();
  }
  return result;
}

/** Uses another library for MD4, which OpenSSL no longer has. */
async function digestOnce(digest: DigestName, of: Buffer) {
  if (digest !== 'md4') return digestOf(digest, of, 'buffer');
  const { md4 } = await import('hash-wasm');
  return Buffer.from(await md4(of), 'hex');
}

async function hashLike(mcf: string, of: Buffer) {
  const parts = bcrypt.decode(mcf);
  if (isProblem(parts)) throw new Unreadable(malformed(parts.detail));
  return Buffer.from(bcrypt.encode({ ...parts, digest: await bcryptDigest(parts, of) }));
}

function write(bytes: Buffer, as: 'hex' | 'base64' | undefined) {
  return as === undefined ? bytes : Buffer.from(bytes.toString(as));
}

function findSecret(name: string, secrets: Secrets) {
  const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (secret === undefined)
    throw new Unreadable(peppered(`the secret ${name} is needed to check a password`));
  return Buffer.from(secret);
}

function base64(text: string) {
  const bytes = fromBase64(text);
  if (bytes === undefined) throw new Unreadable(malformed('a part of the hash is not base64'));
  return bytes;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const onText = (change: (text: string) => string) => (bytes: Buffer) =>
  Buffer.from(change(bytes.toString('utf8')));

const textSteps: Readonly<Record<TextStep, (bytes: Buffer) => Buffer>> = {
  trim: onText((text) => trimOf(text, ' \t\n\r\0\u000b')),
  nfc: onText((text) => text.normalize('NFC')),
  nfkc: onText((text) => text.normalize('NFKC')),
  nfkd: onText((text) => text.normalize('NFKD')),
  lower: onText((text) => text.toLowerCase()),
  'add-slashes': onText((text) => text.replaceAll(/['"\\]/g, '\\$&').replaceAll('\0', '\\0')),
  'html-escape': onText((text) => text.replaceAll(/[&<>"]/g, (letter) => entities[letter] ?? letter)),
  'utf-16le': (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le'),
  latin1: (bytes) => Buffer.from(bytes.toString('utf8'), 'latin1'),
  'sha512-if-long': (bytes) =>
    bytes.length > 72 || bytes.includes(0) ? Buffer.from(digestOf('sha512', bytes, 'base64')) : bytes,
};
