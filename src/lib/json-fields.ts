/**
 * Lines of JSON objects as bytes in, where the texts of a few wanted fields stand in each out, without making a value
 * of anything. It checks the whole grammar. Whatever is unusual (an escape in a wanted text, a wanted field of another
 * type or twice, deep nesting) is left to JSON.parse: then `readLine` says no.
 */
import { plantFields, type FieldPath, type Fields, type Wanted } from './json-field-paths.ts';
import { findMarks } from './json-marks.ts';
import { LineOutlines } from './line-outlines.ts';
import { skipLiteral, skipNumber } from './json-scalars.ts';

const maxDepth = 64;
const broken = -1;

export class FieldReader {
  /** Where the text of each field begins and ends, without the quotes; a start of -1 for a field that is absent. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly #root: Fields;
  /** Which wanted keys were met: the last of two equal ones would count. */
  readonly #met: Uint8Array;
  /** From the second load on: small inputs end with the first one. */
  #outlines: LineOutlines | undefined;
  #isUsed = false;
  #bytes: Uint8Array = new Uint8Array(0);
  /**
   * Quotes, backslashes and control characters; those before `#next` are behind us. Undefined until they are needed.
   */
  #marks: Uint32Array | undefined;
  #next = 0;
  /** Of the text that was read last. */
  #hasEscape = false;

  constructor(paths: readonly FieldPath[]) {
    const { root, count } = plantFields(paths);
    this.starts = new Int32Array(paths.length);
    this.ends = new Int32Array(paths.length);
    this.#root = root;
    this.#met = new Uint8Array(count);
  }

  /** Bytes that are well-formed UTF-8: lines of them are read from now on, in ascending order. */
  load(bytes: Uint8Array): void {
    this.#bytes = bytes;
    if (this.#isUsed) this.#outlines ??= new LineOutlines();
    this.#isUsed = true;
    this.#outlines?.load(bytes);
    this.#marks = undefined;
    this.#next = 0;
  }

  /**
   * Where the line that begins at `start` ends (at its line feed, or behind all bytes), if it is exactly one object
   * with nothing unusual about the wanted fields: then `starts` and `ends` are set. Else -1.
   */
  readLine(start: number): number {
    const bytes = this.#bytes;
    const { starts, ends } = this;
    const known = this.#outlines?.find(start, starts, ends) ?? broken;
    if (known !== broken) return known;
    const end = this.#readLine(start);
    if (end !== broken) this.#outlines?.learn(bytes.subarray(start, end), start, starts);
    return end;
  }

  #readLine(start: number): number {
    const bytes = this.#bytes;
    const { starts } = this;
    for (let field = 0; field < starts.length; field++) starts[field] = -1;
    const met = this.#met;
    for (let key = 0; key < met.length; key++) met[key] = 0;
    const open = skipSpace(bytes, start);
    if (open === bytes.length || bytes[open] !== 0x7b) return broken;
    const close = this.#object(bytes, open + 1, this.#root, 1);
    if (close === broken) return broken;
    const end = skipSpace(bytes, close);
    return end === bytes.length || bytes[end] === 0x0a ? end : broken;
  }

  /** The text of a field of the last line; empty where it is absent. */
  text(field: number): string {
    const start = this.starts[field]!;
    if (start === -1) return '';
    const { buffer, byteOffset } = this.#bytes;
    return Buffer.from(buffer, byteOffset + start, this.ends[field]! - start).toString('utf8');
  }

  /** From behind the `{` to behind the `}`. */
  #object(bytes: Uint8Array, from: number, fields: Fields | undefined, depth: number): number {
    const { length } = bytes;
    let at = skipSpace(bytes, from);
    if (at < length && bytes[at] === 0x7d) return at + 1;
    while (at < length && bytes[at] === 0x22) {
      const keyStart = at + 1;
      at = this.#text(bytes, keyStart);
      if (at === broken) return broken;
      let wanted: Wanted | undefined;
      if (fields !== undefined) {
        // An escaped key may be one of those that are wanted.
        if (this.#hasEscape) return broken;
        wanted = find(fields, bytes, keyStart, at - 1);
      }
      at = skipSpace(bytes, at);
      if (at === length || bytes[at] !== 0x3a) return broken;
      at = skipSpace(bytes, at + 1);
      at = wanted === undefined ? this.#value(bytes, at, depth) : this.#wanted(bytes, at, wanted, depth);
      if (at === broken) return broken;
      at = skipSpace(bytes, at);
      if (at === length) return broken;
      if (bytes[at] === 0x7d) return at + 1;
      if (bytes[at] !== 0x2c) return broken;
      at = skipSpace(bytes, at + 1);
    }
    return broken;
  }

  #wanted(bytes: Uint8Array, at: number, wanted: Wanted, depth: number): number {
    if (this.#met[wanted.number] !== 0 || at === bytes.length) return broken;
    this.#met[wanted.number] = 1;
    const byte = bytes[at]!;
    if (byte === 0x22 && wanted.field >= 0) {
      const close = this.#text(bytes, at + 1);
      if (close === broken || this.#hasEscape) return broken;
      this.starts[wanted.field] = at + 1;
      this.ends[wanted.field] = close - 1;
      return close;
    }
    if (byte === 0x7b && wanted.inside !== undefined) {
      return this.#object(bytes, at + 1, wanted.inside, depth + 1);
    }
    if (byte === 0x5b && wanted.element !== undefined) {
      return this.#single(bytes, at + 1, wanted.element, depth + 1);
    }
    // Null is as good as absent; any other type is for somebody else to judge.
    return byte === 0x6e ? skipLiteral(bytes, at) : broken;
  }

  /** A list of one object, or of nothing. */
  #single(bytes: Uint8Array, from: number, fields: Fields, depth: number): number {
    const { length } = bytes;
    let at = skipSpace(bytes, from);
    if (at < length && bytes[at] === 0x5d) return at + 1;
    if (at === length || bytes[at] !== 0x7b) return broken;
    at = this.#object(bytes, at + 1, fields, depth + 1);
    if (at === broken) return broken;
    at = skipSpace(bytes, at);
    return at < length && bytes[at] === 0x5d ? at + 1 : broken;
  }

  /** Any value; gives the place behind it. */
  #value(bytes: Uint8Array, at: number, depth: number): number {
    if (at === bytes.length || depth > maxDepth) return broken;
    const byte = bytes[at]!;
    if (byte === 0x22) return this.#text(bytes, at + 1);
    if (byte === 0x7b) return this.#object(bytes, at + 1, undefined, depth + 1);
    if (byte === 0x5b) return this.#list(bytes, at + 1, depth + 1);
    return byte > 0x39 ? skipLiteral(bytes, at) : skipNumber(bytes, at);
  }

  #list(bytes: Uint8Array, from: number, depth: number): number {
    const { length } = bytes;
    let at = skipSpace(bytes, from);
    if (at < length && bytes[at] === 0x5d) return at + 1;
    for (;;) {
      at = this.#value(bytes, at, depth);
      if (at === broken) return broken;
      at = skipSpace(bytes, at);
      if (at === length) return broken;
      if (bytes[at] === 0x5d) return at + 1;
      if (bytes[at] !== 0x2c) return broken;
      at = skipSpace(bytes, at + 1);
    }
  }

  /** From behind the opening quote to behind the closing one, from mark to mark. */
  #text(bytes: Uint8Array, from: number): number {
    const marks = (this.#marks ??= findMarks(bytes));
    let next = this.#next;
    while (next < marks.length && marks[next]! < from) next++;
    let hasEscape = false;
    for (; next < marks.length; next++) {
      const mark = marks[next]!;
      const byte = bytes[mark]!;
      if (byte === 0x22) {
        this.#next = next + 1;
        this.#hasEscape = hasEscape;
        return mark + 1;
      }
      if (byte !== 0x5c) return broken;
      hasEscape = true;
      const last = escapeEnd(bytes, mark + 1);
      if (last === broken) return broken;
      // The byte behind the backslash may be a mark, too.
      if (next + 1 < marks.length && marks[next + 1] === mark + 1) next++;
    }
    return broken;
  }
}

function find({ keys }: Fields, bytes: Uint8Array, start: number, end: number): Wanted | undefined {
  const length = end - start;
  for (let i = 0; i < keys.length; i++) {
    const wanted = keys[i]!;
    const { key } = wanted;
    if (key.length !== length) continue;
    let same = 0;
    while (same < length && key[same] === bytes[start + same]) same++;
    if (same === length) return wanted;
  }
  return undefined;
}

/** A line feed is no space here: it ends the line. */
function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0d && byte !== 0x09)) break;
    at++;
  }
  return at;
}

/** At the letter behind a backslash; gives the place of the last byte of the escape. */
function escapeEnd(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) return broken;
  const byte = bytes[at]!;
  if (byte !== 0x75) return simpleEscapes[byte] === 1 ? at : broken;
  if (at + 4 >= bytes.length) return broken;
  for (let i = at + 1; i <= at + 4; i++) if (!isHex(bytes[i]!)) return broken;
  return at + 4;
}

const simpleEscapes = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) simpleEscapes[byte] = 1;

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}
