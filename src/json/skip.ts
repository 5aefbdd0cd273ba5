/** Skips white space and whole JSON values by looking only at quotes, backslashes and brackets. */

export function isSpace(byte: number) {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Counts the values in JSON text: its commas and opening brackets outside strings. Brackets need not match. */
export function countValues(bytes: Uint8Array) {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === 0x2c || (byte | 0x20) === 0x7b) count++;
    else if (byte === 0x22) {
      for (i++; i < bytes.length && bytes[i] !== 0x22; i++) if (bytes[i] === 0x5c) i++;
    }
  }
  return count;
}

/** Depth in brackets, and whether the position is inside a string. `escaped`: a backslash precedes the next byte. */
export interface Nesting {
  depth: number;
  inText: boolean;
  escaped: boolean;
}

/**
 * Skips to the end of the outermost bracket (or, at depth 0, of the string) in `bytes[from, to)`. Returns the index after it, or
 * `to`; `nesting` tells which. A scan spends most of its time in these two loops.
 */
export function skipNested(bytes: Uint8Array, from: number, to: number, nesting: Nesting) {
  let { depth, inText } = nesting;
  let i = nesting.escaped ? from + 1 : from;
  scan: for (;;) {
    if (!inText) {
      for (;;) {
        if (i >= to) break scan;
        const byte = bytes[i++]!;
        if (byte === 0x22) break;
        const folded = byte | 0x20;
        if (folded === 0x7b) depth++;
        else if (folded === 0x7d && --depth === 0) break scan;
      }
      inText = true;
    }
    for (;;) {
      if (i >= to) break scan;
      const byte = bytes[i++]!;
      if (byte === 0x22) break;
      if (byte === 0x5c) i++;
    }
    inText = false;
    if (depth === 0) break;
  }
  nesting.depth = depth;
  nesting.inText = inText;
  nesting.escaped = i > to;
  return Math.min(i, to);
}

/** Reports whether a number or a literal ends before this byte. */
export function endsScalar(byte: number) {
  return (
    byte <= 0x20 ||
    byte === 0x2c ||
    byte === 0x3a ||
    byte === 0x22 ||
    (byte | 0x20) === 0x7b ||
    (byte | 0x20) === 0x7d
  );
}
