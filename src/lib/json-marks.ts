/**
 * Bytes of JSON in, the places of all that matters inside texts out: quotes, backslashes and control characters (line
 * feeds among them). Whoever walks along these places need not look at the bytes between them.
 */
import { createWideMarks, type WideMarks } from './json-marks-wasm.ts';

let wide: WideMarks | undefined;
let isTried = false;

/** Ascending. The array is valid until the next call. */
export function findMarks(bytes: Uint8Array): Uint32Array {
  if (!isTried) {
    isTried = true;
    wide = createWideMarks();
  }
  return wide === undefined ? findMarksSlowly(bytes) : wide.find(bytes);
}

/** The same without wide registers. */
export function findMarksSlowly(bytes: Uint8Array): Uint32Array {
  const marks = new Uint32Array(bytes.length);
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === 0x22 || byte === 0x5c || byte < 0x20) marks[count++] = at;
  }
  return marks.subarray(0, count);
}
