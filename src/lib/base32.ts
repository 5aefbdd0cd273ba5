/** Base32 as in RFC 4648. */
import { trimEndOf } from './strings.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes without padding. */
export function encodeBase32(bytes: Uint8Array) {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  if (bits > 0) text += alphabet[(value << (5 - bits)) & 31];
  return text;
}

/** Decodes text in any case, with or without surrounding blanks and padding. Returns undefined if it is not base32. */
export function decodeBase32(text: string) {
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  for (const letter of trimEndOf(text.trim().toUpperCase(), '=')) {
    const value = alphabet.indexOf(letter);
    if (value === -1) return undefined;
    bits = (bits << 5) | value;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 0xff);
  }
  return Uint8Array.from(bytes);
}
