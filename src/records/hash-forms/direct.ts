/** Hash strings that say themselves what they are, with the variants in which libraries write them. */
import { isProblem, malformed } from '../mcf/algorithm.ts';
import { encodeArgon2 } from '../mcf/argon2.ts';
import { isCryptText } from '../mcf/crypt-alphabet.ts';
import { isHex } from '../text.ts';
import { recognise } from '../mcf/recognise.ts';
import {
  ambiguous,
  type Decoded,
  fromMcf,
  leastKeyBytes,
  pbkdf2Of,
  prehashed,
  scryptOf,
  unsupported,
} from './decoded.ts';
import { fromBase64, toCount } from './encodings.ts';
import type { Bytes, SourceForm } from './form.ts';

export const hexSha256: Bytes = { digest: 'sha256', of: 'password', as: 'hex' };
export const base64Sha256: Bytes = { digest: 'sha256', of: 'password', as: 'base64' };
export const hexMd5: Bytes = { digest: 'md5', of: 'password', as: 'hex' };
/** WordPress adds slashes to what a form sends, and does not take them away from a password. */
export const wordpressPassword: Bytes = { step: 'add-slashes', of: { step: 'trim', of: 'password' } };
export const wordpressHmac: Bytes = {
  hmac: 'sha384',
  key: { text: 'wp-sha384' },
  of: wordpressPassword,
  as: 'base64',
};

/** A hash string of the target over other bytes than the password; undefined where it cannot be read. */
export function overBytes(mcf: string, of: Bytes): SourceForm | undefined {
  const found = recognise(mcf);
  const decoded = isProblem(found) ? found : fromMcf(found.mcf);
  return 'mcf' in decoded ? { kind: 'mcf', mcf: decoded.mcf, of } : undefined;
}

/** bcrypt, Argon2, crypt(3), phpass, Drupal 7, PBKDF2, scrypt. Bare hexadecimal digits say nothing of themselves. */
export function decodeDirect(source: string): Decoded {
  const text = source.trim();
  if (isHex(text)) return ambiguous(describeHex(text.length));
  const found = recognise(text);
  if (!isProblem(found)) return fromMcf(found.mcf);
  for (const [beginning, decode] of variants) if (text.startsWith(beginning)) return decode(text) ?? found;
  return found;
}

/** What crypt(3) writes: also the oldest form, DES, which says nothing of itself. */
export function decodeCrypt(source: string): Decoded {
  const text = source.trim();
  // Longer passwords have more than one checksum of 11 characters.
  if (!isCryptText(text) || text.length < 13 || (text.length - 2) % 11 !== 0) return decodeDirect(text);
  if (text.length > 13) return unsupported('DES in the form of crypt(3)');
  return unsupported('DES in the form of crypt(3)', {
    kind: 'des-crypt',
    salt: text.slice(0, 2),
    checksum: text.slice(2),
  });
}

/** Only hash strings whose beginning is one of these. */
export function decodeOnly(source: string, beginnings: readonly string[], title: string): Decoded {
  const text = source.trim();
  return beginnings.some((beginning) => text.startsWith(beginning))
    ? decodeDirect(text)
    : malformed(`it is not ${title}`);
}

type Decode = (text: string) => Decoded | undefined;

const variants: readonly (readonly [beginning: string, decode: Decode])[] = [
  ['$argon2d$', decodeArgon2d],
  ['$argon2', decodeArgon2],
  ['$pbkdf2', decodePhcPbkdf2],
  ['$scrypt$', decodeScrypt],
  ['$wp$', decodeWordPress],
  ['$bcrypt-sha256$', decodeBcryptSha256],
  ['$bcrypt$', decodePhcBcrypt],
  ['$fbscrypt$', decodeFbscrypt],
  ['$apr1$', decodeApr1],
  ['bcrypt_sha256$', (text) => prehashedBcrypt(text.slice('bcrypt_sha256$'.length))],
  ['U$', decodeDrupalUpgrade],
];

/** Parameters in any order; padding does not matter. */
function decodeArgon2(text: string): Decoded | undefined {
  const match = /^\$argon2(i|id)\$v=(\d+)\$([mtp]=\d+),([mtp]=\d+),([mtp]=\d+)\$([^$]+)\$([^$]+)$/.exec(text);
  if (match === null) return undefined;
  const [, variant = '', version, first = '', second = '', third = '', saltBase64 = '', keyBase64 = ''] =
    match;
  const costs = new Map([first, second, third].map((cost) => [cost.slice(0, 1), Number(cost.slice(2))]));
  const parts = { memory: costs.get('m') ?? 0, time: costs.get('t') ?? 0, threads: costs.get('p') ?? 0 };
  return fromMcf(encodeArgon2({ ...parts, variant, version: Number(version), saltBase64, keyBase64 }));
}

function decodeArgon2d(text: string): Decoded {
  const match = /^\$argon2d\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(text);
  const salt = fromBase64(match?.[4] ?? '');
  const key = fromBase64(match?.[5] ?? '');
  if (match === null || salt === undefined || key === undefined || key.length < leastKeyBytes)
    return unsupported('argon2d');
  const [memory = 0, time = 0, threads = 0] = match.slice(1, 4).map(Number);
  const parts = { memory, time, threads, salt: salt.toString('base64'), key: key.toString('base64') };
  return unsupported('argon2d', { kind: 'argon2d', ...parts });
}

function decodePhcPbkdf2(text: string): Decoded | undefined {
  const digest = /^\$pbkdf2-(sha224|sha384)\$/i.exec(text)?.[1];
  return digest === undefined
    ? decodePbkdf2Text(text)
    : ambiguous(`Ory Kratos writes SHA-3 under the name of ${digest}; name the source`);
}

/** `$pbkdf2-sha256$i=600000,l=32$salt$key`; `$pbkdf2-sha1$1000$salt$key`, where the target writes no `-sha1`. */
export function decodePbkdf2Text(text: string): Decoded | undefined {
  const match =
    /^\$pbkdf2(?:-(\w+))?\$(?:l=\d{1,6},)?(?:i=)?(\d{1,15})(?:,l=\d{1,6})?\$([^$]*)\$([^$]*)$/.exec(text);
  if (match === null) return undefined;
  const [, digest = 'sha1', rounds = '', salt = '', key = ''] = match;
  const bytes = fromBase64(key);
  const length = /[$,]l=(\d+)/.exec(text)?.[1];
  if (bytes !== undefined && length !== undefined && Number(length) !== bytes.length)
    return malformed(`the key has ${bytes.length} bytes where l says ${length}`);
  return pbkdf2Of(digest, Number(rounds), fromBase64(salt), bytes);
}

/** `n` is N itself, `ln` its logarithm. */
function decodeScrypt(text: string): Decoded | undefined {
  const match = /^\$scrypt\$(ln|n)=(\d{1,15}),r=(\d{1,10}),p=(\d{1,10})\$([^$]+)\$([^$]+)$/.exec(text);
  if (match === null) return undefined;
  const [, name, n = '', r, p, salt = '', key = ''] = match;
  const cost = name === 'n' ? Number(n) : 2 ** Number(n);
  const costs = { cost, blockSize: toCount(r), parallelization: toCount(p) };
  return scryptOf(costs, fromBase64(salt), fromBase64(key));
}

function decodeWordPress(text: string): Decoded {
  const form = overBytes(text.slice('$wp'.length), wordpressHmac);
  return prehashed('WordPress 6.8 hashes an HMAC of the password with bcrypt, not the password', form);
}

/** Django. */
function prehashedBcrypt(mcf: string): Decoded {
  const detail = 'Django has hashed a SHA-256 of the password with bcrypt, not the password';
  return prehashed(detail, overBytes(mcf, hexSha256));
}

/** passlib: version 2 keys an HMAC with the text of the salt, version 1 has a plain SHA-256. */
function decodeBcryptSha256(text: string): Decoded {
  const detail = 'bcrypt over a SHA-256 of the password, as passlib writes it';
  const second = /^\$bcrypt-sha256\$v=2,t=(2[aby]),r=(\d{1,2})\$([^$]{22})\$([^$]{31})$/.exec(text);
  const first = /^\$bcrypt-sha256\$(2[aby]),(\d{1,2})\$([^$]{22})\$([^$]{31})$/.exec(text);
  const [, version = '', cost = '', salt = '', digest = ''] = second ?? first ?? [];
  const of: Bytes =
    second === null ? base64Sha256 : { hmac: 'sha256', key: { text: salt }, of: 'password', as: 'base64' };
  return prehashed(detail, overBytes(`$${version}$${cost.padStart(2, '0')}$${salt}${digest}`, of));
}

/** AdonisJS writes salt and digest of bcrypt in standard base64; bcrypt's alphabet has the same values. */
function decodePhcBcrypt(text: string): Decoded | undefined {
  const match = /^\$bcrypt\$v=98\$r=(\d{1,2})\$([^$]{22})\$([^$]{31})$/.exec(text);
  if (match === null) return undefined;
  const [, cost = '', salt = '', digest = ''] = match;
  const mcf = `$2b$${cost.padStart(2, '0')}$${toBcryptBase64(salt)}${toBcryptBase64(digest)}`;
  const found = recognise(mcf);
  return isProblem(found) ? found : { mcf: found.mcf };
}

const bcryptAlphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function toBcryptBase64(text: string): string {
  return Array.from(text, (letter) => bcryptAlphabet.charAt(base64Alphabet.indexOf(letter))).join('');
}

/** Firebase's scrypt as Supabase keeps it, with the key of the project in every hash. */
function decodeFbscrypt(text: string): Decoded {
  const match =
    /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3}),(?:ss=([^,$]*),)?sk=([^,$]+)\$([^$]+)\$([^$]+)$/.exec(
      text,
    );
  if (match === null) return unsupported('scrypt in the form of Firebase');
  const [, n, r, p, separator = '', signerKey = '', salt = '', hash = ''] = match;
  return unsupported('scrypt in the form of Firebase', {
    kind: 'firebase-scrypt',
    memoryCost: Number(n),
    rounds: Number(r),
    parallelization: Number(p),
    salt,
    separator,
    signerKey: { base64: signerKey },
    hash,
  });
}

function decodeApr1(text: string): Decoded {
  const [, , salt = '', checksum = ''] = text.split('$');
  const detail = 'MD5 in the form of Apache, `$apr1$`';
  if (salt === '' || checksum.length !== 22 || !isCryptText(checksum)) return unsupported(detail);
  return unsupported(detail, { kind: 'apr1', salt, checksum });
}

/** Drupal hashed the MD5 hashes of its predecessors again. */
function decodeDrupalUpgrade(text: string): Decoded {
  const detail = 'Drupal has hashed an MD5 of the password, not the password';
  return prehashed(detail, overBytes(text.slice(1), hexMd5));
}

const hexLooks = new Map([
  [32, 'MD5, an NT hash or an MD5 of an MD5'],
  [40, 'SHA-1'],
  [56, 'SHA-224'],
  [64, 'SHA-256'],
  [96, 'SHA-384'],
  [128, 'SHA-512 or a key of PBKDF2 or scrypt'],
]);

function describeHex(digits: number): string {
  const looks = hexLooks.get(digits);
  return looks === undefined
    ? `${digits} hexadecimal digits do not say how they were made`
    : `${digits} hexadecimal digits may be ${looks}`;
}
