/** The alphabets of crypt(3) and its kin: which characters a hash may hold, and how bytes are written in them. */

/** crypt(3), phpass and drupal7: value 0 is `.`. bcrypt has the same characters in another order. */
export const cryptAlphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const values = new Int8Array(128).fill(-1);
for (let i = 0; i < 64; i++) values[cryptAlphabet.charCodeAt(i)] = i;

/** 0 to 63, or -1 for a character outside of the alphabet (or a place outside of the text). */
export function cryptValue(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit < 128 ? (values[unit] ?? -1) : -1;
}

export function isCryptText(text: string, from = 0): boolean {
  for (let i = from; i < text.length; i++) if (cryptValue(text, i) < 0) return false;
  return true;
}

/** Little-endian: the first byte fills the low bits of the first character. */
export function encodeCrypt(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const group = (bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 8) | ((bytes[i + 2] ?? 0) << 16);
    const characters = Math.min(bytes.length - i, 3) + 1;
    for (let c = 0; c < characters; c++) text += cryptAlphabet.charAt((group >>> (6 * c)) & 63);
  }
  return text;
}

/** A salt as crypt(3) keeps it: visible ASCII without the dollar sign, at least one character. */
export function isCryptSalt(salt: string, max: number): boolean {
  if (salt.length === 0 || salt.length > max) return false;
  for (let i = 0; i < salt.length; i++) {
    const unit = salt.charCodeAt(i);
    if (unit <= 0x20 || unit >= 0x7f || unit === 0x24) return false;
  }
  return true;
}
