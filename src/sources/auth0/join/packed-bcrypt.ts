/** Packs a bcrypt string of 60 characters into 11 words and back: the join keeps passwords in this form. */

export const packedWords = 11;

export const bcryptLength = 60;
/** Version and cost, with the signs round them. */
export const bcryptHead = 7;
const alphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const letters = Buffer.from(alphabet, 'latin1');
const noLetter = 255;
const values = new Uint8Array(256).fill(noLetter);
for (let value = 0; value < 64; value++) values[letters[value]!] = value;

const dollar = 0x24;
const zero = 0x30;

/**
 * The first word has version, cost and the last three letters, each further one five letters. False (and nothing that
 * counts in `into`) when `bytes[start, end)` is no bcrypt string.
 */
export function packBcrypt(
  bytes: Uint8Array,
  start: number,
  end: number,
  into: Uint32Array,
  at: number,
): boolean {
  if (end - start !== bcryptLength || bytes[start] !== dollar || bytes[start + 1] !== 0x32) return false;
  if (bytes[start + 3] !== dollar || bytes[start + 6] !== dollar) return false;
  const version = versions.indexOf(bytes[start + 2]!);
  const tens = bytes[start + 4]! - zero;
  const ones = bytes[start + 5]! - zero;
  if (version === -1 || tens < 0 || tens > 9 || ones < 0 || ones > 9) return false;
  let from = start + 7;
  let wrong = 0;
  for (let word = 1; word < packedWords; word++) {
    let packed = 0;
    for (let i = 0; i < 5; i++) {
      const value = values[bytes[from++]!]!;
      wrong |= value;
      packed = (packed << 6) | value;
    }
    into[at + word] = packed;
  }
  let first = (version << 7) | (tens * 10 + ones);
  for (let i = 0; i < 3; i++) {
    const value = values[bytes[from++]!]!;
    wrong |= value;
    first = (first << 6) | value;
  }
  into[at] = first;
  return wrong !== noLetter;
}

/** `a`, `b`, `y`. */
const versions = Uint8Array.of(0x61, 0x62, 0x79);

/** The 60 characters that `packBcrypt` took in. */
export function unpackBcrypt(words: Uint32Array, at: number): string {
  writeBcrypt(words, at, scratch, 0);
  return scratch.toString('latin1');
}

/** The same as bytes, from `to` on. */
export function writeBcrypt(words: Uint32Array, at: number, into: Uint8Array, to: number): void {
  const first = words[at]!;
  const cost = (first >>> 18) & 127;
  into[to] = into[to + 3] = into[to + 6] = dollar;
  into[to + 1] = 0x32;
  into[to + 2] = versions[first >>> 25]!;
  into[to + 4] = zero + Math.floor(cost / 10);
  into[to + 5] = zero + (cost % 10);
  let next = to + bcryptHead;
  for (let word = 1; word < packedWords; word++) {
    const packed = words[at + word]!;
    for (let shift = 24; shift >= 0; shift -= 6) into[next++] = letters[(packed >>> shift) & 63]!;
  }
  for (let shift = 12; shift >= 0; shift -= 6) into[next++] = letters[(first >>> shift) & 63]!;
}

const scratch = Buffer.alloc(bcryptLength);

export function samePacked(one: Uint32Array, at: number, other: Uint32Array, otherAt: number): boolean {
  for (let word = 0; word < packedWords; word++) if (one[at + word] !== other[otherAt + word]) return false;
  return true;
}

export function copyPacked(from: Uint32Array, at: number, into: Uint32Array, intoAt: number): void {
  for (let word = 0; word < packedWords; word++) into[intoAt + word] = from[at + word]!;
}
