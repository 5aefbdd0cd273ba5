/**
 * What the program of `stencil-wasm.ts` and those who run it must agree on: kinds and limits of texts, and what stands
 * where in the memory.
 */

/**
 * What texts may stand in a hole; 0 is no hole. All but `secret` are whole texts; a `label` is a name without `@`, a
 * `part` is a word without `|`.
 * `given` is what comes with an element and does not stand in it.
 */
export const holeKind = {
  word: 1,
  userName: 2,
  address: 3,
  name: 4,
  label: 5,
  secret: 6,
  given: 7,
  part: 8,
} as const;
export type HoleKind = keyof typeof holeKind;
/** In bytes; the names of an element together, because they stand in a message whose length is to take one byte. */
export const longestHole = 100;
export const longestName = 50;
export const longestNames = 100;
/**
 * Bytes that the free texts of an element must have, tried in turn: the length of a message takes two bytes from 128
 * on, so short texts in short elements make sizes that do not grow as the texts do.
 */
export const leasts = [24, 48];
/** Inside a `secret`, which is JSON, the values of base64 of so many bytes are holes. */
export const shortestSecret = 12;
export const longestSecret = 512;

/**
 * For each element, in words. `start` is where it stands, `outlined` that it was never parsed. `name` and `id` are
 * place and length of their texts, `holes` is the end of its holes, and `keys` are as `hashText` gives them: two words
 * of the name in small letters, two of the id. Of what is unknown, `size` is the length of the signature.
 */
export const row = {
  status: 0,
  tape: 1,
  end: 2,
  size: 3,
  facts: 4,
  keys: 5,
  hash: 9,
  stencil: 10,
  name: 11,
  id: 13,
  holes: 15,
  start: 16,
  outlined: 17,
  words: 18,
} as const;
export const status = { left: 0, written: 1, unknown: 2 } as const;

/**
 * For each hole of the latest element, in words; `token` is where its text stands on the tape, `escapes` are bytes that
 * its text has only in JSON.
 */
export const hole = { place: 0, length: 1, special: 2, kind: 3, token: 4, escapes: 5, words: 6 } as const;
export const mostHoles = 64;

/**
 * A stencil, in bytes; `items` is zero for elements that are never written by one. `least` is how many bytes the user
 * names, addresses and names of an element must have together: with fewer of them its size may be another sum.
 */
export const stencil = {
  signatureLength: 0,
  hash: 4,
  items: 8,
  itemCount: 12,
  size: 16,
  facts: 20,
  nameHole: 24,
  idHole: 28,
  room: 32,
  least: 36,
  signature: 40,
} as const;

/**
 * What an element has in the places where another one has something else: texts of the kinds of holes, a text or a
 * whole number that nobody wants, what is given with the element, or its end. A `secret` has just `length` bytes, and
 * what is given so many behind its head.
 */
export const stepKind = { ...holeKind, text: 9, number: 10, end: 11 } as const;
export type StepKind = keyof typeof stepKind;

/**
 * A step of an outline, in bytes: literal bytes, then that. `next` is the step behind it, `other` the one to try where
 * this does not fit; behind its end an element has a stencil.
 */
export const node = {
  literal: 0,
  literalLength: 4,
  kind: 8,
  length: 12,
  next: 16,
  other: 20,
  stencil: 24,
  size: 28,
} as const;

/** Literal text, then a hole (or none), in bytes; `how` it is written. */
export const item = { literal: 0, length: 4, hole: 8, how: 12, size: 16 } as const;
/** What is given with an element, in words; a length of `nothingGoes` leaves it. `head` bytes of it are no hole. */
export const given = { place: 0, length: 1, head: 2, words: 3 } as const;
export const nothingGoes = 0xffff_ffff;
/** In the place of the number of a hole. */
export const noHole = 0xffff;
export const how = { escaped: 0, base32: 1 } as const;

export const slotCount = 2048;
export const longestSignature = 4096;

/** Room for stencils, and for outlines. */
export const stencilBytes = 768 * 1024;
export const outlineBytes = 384 * 1024;

/** Where in the memory what stands, from `base` on. */
export function layOut(base: number) {
  const kinds = base;
  const classes = kinds + 256;
  const base32 = classes + 256;
  const slots = base32 + 32;
  const holes = slots + 4 * slotCount;
  const signature = holes + 4 * hole.words * mostHoles;
  const firstNode = signature + longestSignature + 1024;
  const noNode = firstNode + 8;
  const stencils = firstNode + 16;
  return { kinds, classes, base32, slots, holes, signature, firstNode, noNode, stencils } as const;
}
export type Layout = ReturnType<typeof layOut>;
