/**
 * Reads strings and whole values from a position in a JSON text. Its syntax errors have the wording that was
 * recorded from Go's scanner.
 */

import { isSpace } from '../json/skip.ts';

/** Thrown if the text is not JSON. */
class NotJson extends Error {}

/** An unexpected token or a value of the wrong type, at an index. It becomes a `DecodeError` with line and column. */
export class Misfit extends Error {
  readonly at: number;
  readonly kind: '' | 'syntax error ';
  constructor(at: number, text: string, kind: '' | 'syntax error ' = '') {
    super(text);
    this.at = at;
    this.kind = kind;
  }
}

export interface Cursor {
  readonly text: string;
  readonly strict: boolean;
  at: number;
}

export const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array, encoding: 'utf8' | 'latin1') =>
  Buffer.from(buffer, byteOffset, byteLength).toString(encoding);

export function skipSpace(cursor: Cursor) {
  while (isSpace(cursor.text.charCodeAt(cursor.at))) cursor.at++;
  return cursor.at;
}

export function peek(cursor: Cursor) {
  return cursor.text[skipSpace(cursor)];
}

/** Reads a string. It is a copy, so that it does not keep the body in memory; Node itself copies up to twelve characters. */
export function readString(cursor: Cursor) {
  if (peek(cursor) !== '"') throw unexpected(cursor);
  const start = cursor.at;
  const found = read(plainText, cursor.text, start) || quoted(cursor.text, start);
  cursor.at += found.length;
  if (found.length < 15 && !found.includes('\\')) return found.slice(1, -1);
  for (const { 1: half, index } of found.includes('\\u') ? found.matchAll(escapes) : []) {
    if (half === undefined) continue;
    const next = start + index + 6;
    const code = JSON.stringify(cursor.text.slice(next, next + 6));
    throw new Misfit(start, `invalid escape code ${code} in string`, 'syntax error ');
  }
  return JSON.parse(found) as string;
}

/** The group has the beginning of an escaped half of a surrogate pair that stands alone. */
const escapes = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f]|(ud[89a-f])|.)/gis;

/** Reads and parses any value. */
export function readAny(cursor: Cursor): unknown {
  if (peek(cursor) === '"') return readString(cursor);
  const start = cursor.at;
  cursor.at = endOfValue(cursor.text, start);
  return JSON.parse(cursor.text.slice(start, cursor.at));
}

/** Returns the source text of the value at `start`. For an object or array it is only the bracket, as the service shows it. */
export function raw({ text }: Cursor, start: number) {
  const first = text[start];
  return first === '{' || first === '[' ? first : text.slice(start, endOfValue(text, start));
}

export const unexpected = (cursor: Cursor) =>
  new Misfit(skipSpace(cursor), `unexpected token ${raw(cursor, skipSpace(cursor))}`, 'syntax error ');

/**
 * Returns what is wrong with the first JSON value of the bytes, or undefined. `unexpected EOF` means that the bytes end early.
 */
export function jsonSyntaxError(bytes: Uint8Array) {
  try {
    endOfValue(textOf(bytes, 'latin1'), 0);
    return undefined;
  } catch (error) {
    if (error instanceof NotJson) return error.message;
    throw error;
  }
}

const token = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/y;
/** A string without an escape. */
const plainText = /"[^"\\\0-\x1f]*"/y;
const partOfText = /[^"\\\0-\x1f]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const space = /[ \t\n\r]*/y;

const deepest = 10_000;

function read(pattern: RegExp, text: string, from: number) {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0] ?? '';
}

/**
 * Returns where the value that begins at `from` ends. Throws `NotJson`, which names a byte as if it were a character, like Go.
 */
function endOfValue(text: string, from: number) {
  const open: string[] = [];
  let place: Place = 'value';
  let before = '';
  for (let at = from; ; at += before.length) {
    at += read(space, text, at).length;
    if (at >= text.length) throw new NotJson('unexpected EOF');
    const found = text[at] === '"' ? quoted(text, at) : read(token, text, at);
    const next = follow(place, found, open, before);
    if (next === undefined) throw invalid(text[at]!, places[place](open.at(-1)));
    if (open.length > deepest) throw invalid(found, 'exceeded max depth');
    if (next === 'end') return at + found.length;
    place = next;
    before = found;
  }
}

/** Reads a string part by part. One pattern for the whole string overflows the stack, or takes too long if it is not closed. */
function quoted(text: string, start: number) {
  let end = start + 1;
  for (let part; (part = read(partOfText, text, end)) !== '';) end += part.length;
  if (text[end] === '"') return text.slice(start, end + 1);
  const [wrong, where] = text[end] === '\\' ? [text[end + 1], 'escape code'] : [text[end], 'literal'];
  throw wrong === undefined ? new NotJson('unexpected EOF') : invalid(wrong, `in string ${where}`);
}

type Place = 'value' | 'key' | 'colon' | 'comma';

const places: Readonly<Record<Place, (inside: string | undefined) => string>> = {
  value: () => 'looking for beginning of value',
  key: () => 'looking for beginning of object key string',
  colon: () => 'after object key',
  comma: (inside) => (inside === '{' ? 'after object key:value pair' : 'after array element'),
};

/** Returns what must follow the token, or undefined if the token is not allowed. Keeps track of open brackets in `open`. */
function follow(place: Place, found: string, open: string[], before: string): Place | 'end' | undefined {
  const inside = open.at(-1);
  const mayClose = place === 'comma' || before === inside;
  if (mayClose && found === (inside === '{' ? '}' : ']')) {
    open.pop();
    return open.length === 0 ? 'end' : 'comma';
  }
  if (place === 'colon') return found === ':' ? 'value' : undefined;
  if (place === 'comma') return found === ',' ? afterComma(inside) : undefined;
  if (place === 'key') return found.startsWith('"') ? 'colon' : undefined;
  if (found === '{' || found === '[') {
    open.push(found);
    return afterComma(found);
  }
  if (found === '' || /^[\]},:]/.test(found)) return undefined;
  return inside === undefined ? 'end' : 'comma';
}

const afterComma = (inside: string | undefined): Place => (inside === '{' ? 'key' : 'value');

const named: Readonly<Record<string, string>> = {
  "'": `'\\''`,
  '\\': `'\\\\'`,
  '\n': `'\\n'`,
  '\t': `'\\t'`,
  '\r': `'\\r'`,
};

function invalid(letter: string, where: string) {
  const hidden = /[\0-\x1f\x7f-\xa0\xad]/.test(letter);
  const shown = hidden ? `'\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}'` : `'${letter}'`;
  return new NotJson(`invalid character ${named[letter] ?? shown} ${where}`);
}
