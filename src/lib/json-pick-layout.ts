/**
 * What the program of `json-pick-wasm.ts` and those who run it must agree on: the tokens of a tape, the tables
 * of wanted keys, and what stands where in the memory. A tape is two words for each token: kind and number
 * (times 16), and a place.
 */

/** Kinds of tokens on the tape, with what number and place say. */
export const token = {
  /** Length and place of a text whose escapes are resolved: ASCII. */
  text: 1,
  /** The same, with characters beyond ASCII, as UTF-8. */
  wide: 2,
  /** Length and place in the input of a text with `\u`. */
  escaped: 3,
  /** Length and place in the input. */
  number: 4,
  true: 5,
  false: 6,
  null: 7,
  list: 8,
  object: 9,
  /** The number of the table, and the place in the input: an object of which only some keys are wanted. */
  picked: 10,
  /** The number of the key, counted through all tables. */
  key: 11,
  close: 12,
} as const;

/** What is wanted of a value: nothing (0), all of it, or else the address of a table of keys. */
export const everything = 1;

/** A table of keys: its number, two factors of the hash, then the addresses of the keys by bucket, or zero. */
export const table = { number: 0, firstFactor: 4, halfFactor: 8, buckets: 12, size: 12 + 4 * 64 } as const;
export const bucketCount = 64;
/** A key: its bytes, its length, its number, what is wanted of its value. */
export const key = { bytes: 0, length: 32, number: 36, wanted: 40, size: 48 } as const;
export const longestKey = 32;

/** In an empty bucket: a key of a length that none has. */
export const noKey = 0;
/** The memory: words for the results, two tables of bytes, the levels that are open; the rest is the caller's. */
export const textEnd = 0;
/** Where the latest run has stopped. */
export const stoppedAt = 4;
export const hexDigits = 64;
export const escapes = hexDigits + 256;
export const levels = escapes + 256;
export const mostLevels = 2048;
export const freeMemory = levels + 8 * mostLevels;
