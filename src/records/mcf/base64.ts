/** The alphabets of password hashes: base64 in its variants, and those of crypt(3). */
import { trimEndOf } from '../../lib/strings.ts';

/**
 * `padded` is RFC 4648 with `=`, `unpadded` is the same without. `ab64` is passlib's (unpadded, `.` for `+`), which
 * servers with passwap before 0.4 (2.34 to 2.37) require for pbkdf2.
 */
export type Base64Encoding = 'padded' | 'unpadded' | 'ab64';

const recode = (text: string) => Buffer.from(text, 'base64').toString('base64');

/** Whole groups of four that match have no stray bits in the last character. */
const padded = /^[A-Za-z\d+/]+(?:[AEIMQUYcgkosw048]=|[AQgw]==)?$/;

/** Reports whether `readBase64` would return the text unchanged. */
export const isPaddedBase64 = (text: string) => text.length % 4 === 0 && padded.test(text);

/**
 * Reports whether Go's strict `base64.RawStdEncoding` reads the text: standard alphabet, no padding, no stray bits, not
 * empty.
 */
export const isStrictBase64 = (text: string) =>
  text !== '' && encodeBase64As(recode(text), 'unpadded') === text;

/**
 * Reads the standard or passlib's alphabet, with or without padding, and returns standard base64 with padding. Stray
 * bits in the last character are cleared.
 */
export function readBase64(text: string): string | { readonly flaw: string } {
  if (isPaddedBase64(text)) return text;
  const body = trimEndOf(text, '=');
  const missing = -body.length & 3;
  const pads = text.length - body.length;
  if (body === '') return { flaw: 'is empty' };
  if (/[^\w+/.-]/.test(body)) return { flaw: 'is not base64' };
  if (/[-_]/.test(body)) return { flaw: 'is in the URL-safe alphabet of base64' };
  if (body.includes('.') && body.includes('+')) return { flaw: 'mixes `+` and `.`, two alphabets of base64' };
  if (missing === 3) return { flaw: 'has a length that base64 cannot have' };
  if (pads !== 0 && pads !== missing) return { flaw: 'has the wrong number of `=` at its end' };
  return recode(body.replaceAll('.', '+'));
}

/** Returns another encoding of what `readBase64` returned. */
export function encodeBase64As(padded: string, encoding: Base64Encoding) {
  if (encoding === 'padded') return padded;
  const unpadded = trimEndOf(padded, '=');
  return encoding === 'ab64' ? unpadded.replaceAll('+', '.') : unpadded;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Alphabet of crypt(3), phpass and drupal7, where `.` is 0. */
export const cryptAlphabet = `./0123456789${letters}`;
/** The same characters in another order. bcrypt encodes base64 values with them. */
const bcryptAlphabet = `./${letters}0123456789`;
const base64Alphabet = `${letters}0123456789+/`;

/** Returns 0 to 63, or -1 for a character outside the alphabet or a position outside the text. */
export function cryptValue(text: string, at: number) {
  return at < text.length ? cryptAlphabet.indexOf(text.charAt(at)) : -1;
}

export const isCryptText = (text: string) => /^[./0-9A-Za-z]*$/.test(text);

/** Reports whether a salt is one that crypt(3) stores: visible ASCII without the dollar sign, at least one character. */
export const isCryptSalt = (salt: string, max: number) => salt.length <= max && /^[!-#%-~]+$/.test(salt);

const translate = (text: string, from: string, to: string) =>
  Array.from(text, (letter) => to.charAt(from.indexOf(letter))).join('');

export const fromBcryptBase64 = (text: string) => translate(text, bcryptAlphabet, base64Alphabet);
export const toBcryptBase64 = (text: string) => translate(text, base64Alphabet, bcryptAlphabet);

/** Encodes bytes in little-endian order: the first byte fills the low bits of the first character. */
export function encodeCrypt(bytes: Uint8Array) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const group = (bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 8) | ((bytes[i + 2] ?? 0) << 16);
    const characters = Math.min(bytes.length - i, 3) + 1;
    for (let c = 0; c < characters; c++) text += cryptAlphabet.charAt((group >>> (6 * c)) & 63);
  }
  return text;
}
