/**
 * The oldest crypt(3): DES encrypts zeros 25 times with the password as its key, and the salt changes the expansion.
 * Old directories, htpasswd files and shadow files contain it. The tables are those of FIPS 46-3, which counts bits
 * from 1.
 */
import { cryptAlphabet, cryptValue } from './base64.ts';

const numbers = (text: string) => text.split(' ').map(Number);

/** Inverse of the initial permutation. The initial permutation itself does not change zeros. */
const final = numbers(
  '40 8 48 16 56 24 64 32 39 7 47 15 55 23 63 31 38 6 46 14 54 22 62 30 37 5 45 13 53 21 61 29 ' +
    '36 4 44 12 52 20 60 28 35 3 43 11 51 19 59 27 34 2 42 10 50 18 58 26 33 1 41 9 49 17 57 25',
);
const expansion = numbers(
  '32 1 2 3 4 5 4 5 6 7 8 9 8 9 10 11 12 13 12 13 14 15 16 17 16 17 18 19 20 21 20 21 22 23 24 25 24 25 26 27 28 29 28 29 30 31 32 1',
);
const mixing = numbers(
  '16 7 20 21 29 12 28 17 1 15 23 26 5 18 31 10 2 8 24 14 32 27 3 9 19 13 30 6 22 11 4 25',
);
const keyChoice = numbers(
  '57 49 41 33 25 17 9 1 58 50 42 34 26 18 10 2 59 51 43 35 27 19 11 3 60 52 44 36 ' +
    '63 55 47 39 31 23 15 7 62 54 46 38 30 22 14 6 61 53 45 37 29 21 13 5 28 20 12 4',
);
const roundKeyChoice = numbers(
  '14 17 11 24 1 5 3 28 15 6 21 10 23 19 12 4 26 8 16 7 27 20 13 2 41 52 31 37 47 55 30 40 51 45 33 48 44 49 39 56 34 53 46 42 50 36 29 32',
);
const shifts = numbers('1 1 2 2 2 2 2 2 1 2 2 2 2 2 2 1');
/** Eight boxes of four rows and sixteen columns, one hex digit each, converted so that six bits select a digit. */
const boxes = [
  'e4d12fb83a6c59070f74e2d1a6cb953841e8d62bfc973a50fc8249175b3ea06d',
  'f18e6b34972dc05a3d47f28ec01a69b50e7ba4d158c6932fd8a13f42b67c05e9',
  'a09e63f51dc7b428d709346a285ecbf1d6498f30b12c5ae71ad069874fe3b52c',
  '7de3069a1285bc4fd8b56f03472c1ae9a690cb7df13e52843f06a1d8945bc72e',
  '2c417ab6853fd0e9eb2c47d150fa3986421bad78f9c5630eb8c71e2d6f09a453',
  'c1af92680d34e75baf427c9561de0b389ef528c3704a1db6432c95fabe17608d',
  '4b2ef08d3c975a61d0b7491ae35c2f8614bdc37eaf6805926bd814a7950fe23c',
  'd2846fb1a93e50c71fd8a374c56b0e927b419ce206adf35821e74a8dfc90356b',
].map((text) =>
  Array.from({ length: 64 }, (_, six) => {
    const row = 2 * (six >> 5) + (six & 1);
    return Number.parseInt(text.charAt(16 * row + ((six >> 1) & 15)), 16);
  }),
);

type Bits = readonly number[];

const choose = (bits: Bits, places: readonly number[]) => places.map((place) => bits[place - 1]!);

/** Returns the bits of bytes, the highest bit of each byte first. */
const bitsOf = (bytes: Uint8Array) =>
  Array.from(bytes).flatMap((byte) => Array.from({ length: 8 }, (_, at) => (byte >> (7 - at)) & 1));

/** Returns the 11 characters that follow the two of the salt. Only the first eight bytes of the password count. */
export function desCryptChecksum(password: Uint8Array, salt: string) {
  const key = new Uint8Array(8);
  // The lowest bit of each byte is the parity bit.
  for (let at = 0; at < Math.min(8, password.length); at++) key[at] = (password[at]! << 1) & 0xff;
  const keys = roundKeys(bitsOf(key));
  const places = saltedExpansion(salt);
  let left = Array.from({ length: 32 }, () => 0);
  let right = left;
  for (let time = 0; time < 25; time++) {
    for (const roundKey of keys) {
      const mixed = substitute(right, places, roundKey);
      [left, right] = [right, left.map((bit, at) => bit ^ mixed[at]!)];
    }
    [left, right] = [right, left];
  }
  return toText([...choose([...left, ...right], final), 0, 0]);
}

function roundKeys(key: Bits): Bits[] {
  let bits = choose(key, keyChoice);
  return shifts.map((shift) => {
    const [first, second] = [bits.slice(0, 28), bits.slice(28)].map((half) => [
      ...half.slice(shift),
      ...half.slice(0, shift),
    ]);
    bits = [...first!, ...second!];
    return choose(bits, roundKeyChoice);
  });
}

/** Returns the expansion, in which each set bit of the salt swaps two positions. */
function saltedExpansion(salt: string) {
  const places = [...expansion];
  for (let bit = 0; bit < 12; bit++) {
    const value = cryptValue(salt, Math.floor(bit / 6));
    if (((value >> (bit % 6)) & 1) === 0) continue;
    [places[bit], places[bit + 24]] = [places[bit + 24]!, places[bit]!];
  }
  return places;
}

function substitute(right: Bits, places: readonly number[], roundKey: Bits) {
  const bits: number[] = [];
  for (const [number, box] of boxes.entries()) {
    let six = 0;
    for (let at = 6 * number; at < 6 * number + 6; at++) {
      six = 2 * six + (right[places[at]! - 1]! ^ roundKey[at]!);
    }
    const value = box[six]!;
    bits.push(value >> 3, (value >> 2) & 1, (value >> 1) & 1, value & 1);
  }
  return choose(bits, mixing);
}

function toText(bits: Bits) {
  let text = '';
  for (let at = 0; at < bits.length; at += 6) {
    const value = bits.slice(at, at + 6).reduce((sum, bit) => 2 * sum + bit, 0);
    text += cryptAlphabet.charAt(value);
  }
  return text;
}
