/** Reads strings, literals and whole values from a place in the bytes of a JSON text. */
import { skipSpace as skipSpaceOf } from '../json/skip.ts';

/** A value of the wrong type, with its place; becomes a DecodeError with line and column. */
export class Misfit extends Error {
  readonly at: number;
  readonly kind: '' | 'syntax error ';
  constructor(at: number, text: string, kind: '' | 'syntax error ' = '') {
    super(text);
    this.at = at;
    this.kind = kind;
  }
}

/** The text is not JSON: `json-syntax.ts` words the error. */
export const broken = (at: number): Misfit => new Misfit(at, 'unexpected character', 'syntax error ');

export interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

export function readString(cursor: Cursor): string {
  const { bytes } = cursor;
  const start = skipSpace(cursor) + 1;
  if (bytes[start - 1] !== 0x22) throw unexpected(cursor);
  let end = start;
  let plain = true;
  let ascii = true;
  for (;;) {
    const byte = bytes[end];
    if (byte === undefined || byte < 0x20) throw broken(end);
    if (byte === 0x22) break;
    if (byte === 0x5c) {
      plain = false;
      end++;
    } else if (byte >= 0x80) ascii = false;
    end++;
  }
  cursor.at = end + 1;
  if (plain) return ascii ? bytes.toString('latin1', start, end) : bytes.toString('utf8', start, end);
  const value = parseJson(cursor, start - 1, end + 1) as string;
  if (/[\ud800-\udfff]/u.test(value)) {
    const code = JSON.stringify(afterLoneSurrogate(bytes, start));
    throw new Misfit(start - 1, `invalid escape code ${code} in string`, 'syntax error ');
  }
  return value;
}

/** The six characters in the place of the second half of a surrogate pair. */
function afterLoneSurrogate(bytes: Buffer, start: number): string {
  const text = bytes.toString('utf8', start);
  const escapes = /\\(?:u([0-9a-f]{4})|.)/gis;
  for (let found = escapes.exec(text); found !== null; found = escapes.exec(text)) {
    if (!/^d[89a-f]/i.test(found[1] ?? '')) continue;
    const next = text.slice(escapes.lastIndex, escapes.lastIndex + 6);
    if (/^d[c-f]/i.test(found[1]!) || !/^\\ud[c-f]/i.test(next)) return next;
    escapes.lastIndex += 6;
  }
  return '';
}

function parseJson(cursor: Cursor, start: number, end: number): unknown {
  try {
    return JSON.parse(cursor.bytes.toString('utf8', start, end));
  } catch {
    throw broken(start);
  }
}

export function readLiteral(cursor: Cursor, word: 'true' | 'false' | 'null'): boolean {
  const end = cursor.at + word.length;
  if (cursor.bytes.toString('latin1', cursor.at, end) !== word) throw broken(cursor.at);
  cursor.at = end;
  return word === 'true';
}

/** Any value, parsed: the rarer scalars, values of open messages, and unknown fields. */
export function readAny(cursor: Cursor): unknown {
  const start = skipSpace(cursor);
  skipValue(cursor);
  return parseJson(cursor, start, cursor.at);
}

/** Skips one value without recursion, so that a body of brackets does not overflow the stack. */
function skipValue(cursor: Cursor): void {
  const { bytes } = cursor;
  let depth = 0;
  skipSpace(cursor);
  for (;;) {
    const byte = bytes[cursor.at];
    if (byte === undefined) throw broken(cursor.at);
    if (byte === 0x22) skipString(cursor);
    else {
      if (depth === 0 && (byte === 0x2c || byte === 0x7d || byte === 0x5d)) return;
      cursor.at++;
      if (byte === 0x7b || byte === 0x5b) {
        depth++;
        if (depth > 10_000) throw new Misfit(cursor.at, 'exceeded max depth');
      } else if (byte === 0x7d || byte === 0x5d) depth--;
      else if (depth === 0) {
        skipWord(cursor);
        return;
      }
    }
    if (depth === 0) return;
  }
}

function skipString(cursor: Cursor): void {
  const { bytes } = cursor;
  cursor.at++;
  for (;;) {
    const byte = bytes[cursor.at++];
    if (byte === undefined) throw broken(cursor.at - 1);
    if (byte === 0x22) return;
    if (byte === 0x5c) cursor.at++;
  }
}

function skipWord(cursor: Cursor): void {
  for (;;) {
    const byte = cursor.bytes[cursor.at];
    if (byte === undefined || byte <= 0x20 || byte === 0x2c || byte === 0x7d || byte === 0x5d) return;
    cursor.at++;
  }
}

export function peek(cursor: Cursor): number | undefined {
  return cursor.bytes[skipSpace(cursor)];
}

export function skipSpace(cursor: Cursor): number {
  cursor.at = skipSpaceOf(cursor.bytes, cursor.at);
  return cursor.at;
}

/** The source text of the value at `start`; of an object or array only its bracket, as the service shows it. */
export function raw(cursor: Cursor, start: number): string {
  const first = cursor.bytes[start];
  if (first === 0x7b || first === 0x5b) return String.fromCharCode(first);
  const probe: Cursor = { bytes: cursor.bytes, at: start };
  skipValue(probe);
  return cursor.bytes.toString('utf8', start, probe.at);
}

export const unexpected = (cursor: Cursor): Misfit =>
  new Misfit(skipSpace(cursor), `unexpected token ${raw(cursor, cursor.at)}`, 'syntax error ');
