/** The alphabets of crypt(3) and related hashes: which characters a hash may contain, and how they encode bytes. */

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
