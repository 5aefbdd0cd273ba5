/** Parses batches of elements, and finds what is wrong with a broken one. */
import { isAscii, isUtf8, transcode } from 'node:buffer';
import { endsInBackslash } from '../lib/strings.ts';
import { JsonSyntaxError } from './error.ts';
import { checkJson } from './scan.ts';

const opening = Uint8Array.of(0x5b);
const closing = Uint8Array.of(0x5d);

/**
 * Yields the values of elements separated by commas. They are parsed in parts, so that V8 can collect each part while it is
 * young. `cuts` are the offsets of the commas between the parts. Throws `JsonSyntaxError` with the offset in `bytes`.
 */
export function* parseElements(bytes: Uint8Array, cuts: readonly number[] = []) {
  let start = 0;
  for (const end of [...cuts, bytes.length]) {
    const text = jsonText(bytes.subarray(start, end));
    if (text === undefined) throw problemOf(bytes);
    yield* parseList(`[${text}]`, bytes);
    start = end + 1;
  }
}

function parseList(text: string, bytes: Uint8Array) {
  try {
    return JSON.parse(text) as unknown[];
  } catch (error) {
    throw error instanceof SyntaxError ? problemOf(bytes) : error;
  }
}

function problemOf(bytes: Uint8Array) {
  const { code, problem, offset } = checkJson(opening, bytes, closing)!;
  const at = offset - 1;
  if (code === 'input:trailing-garbage') {
    // The last bracket before it closed the list of elements itself.
    const bracket = bytes.lastIndexOf(0x5d, Math.min(at, bytes.length) - 1);
    return new JsonSyntaxError('input:syntax', '"]" without an open array', bracket);
  }
  if (at < bytes.length) return new JsonSyntaxError(code, problem, at);
  return new JsonSyntaxError('input:truncated', 'it ends in the middle of a value', bytes.length);
}

/**
 * Returns the JSON text, in which strings are shortened that no field of the target can hold. Undefined if the bytes are not
 * UTF-8.
 */
export function jsonText(bytes: Uint8Array) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) ? decodeUtf8(shortenTexts(buffer)) : undefined;
}

/** Decodes valid UTF-8. If it is not just ASCII, this takes half the time of `toString('utf8')`. */
const decodeUtf8 = (bytes: Buffer) =>
  isAscii(bytes) ? bytes.toString('latin1') : transcode(bytes, 'utf8', 'utf16le').toString('utf16le');

/**
 * Longest string in bytes of JSON, where one byte may be written as six. No field of the target accepts more than 500,000 bytes.
 */
const longestText = 4 * 1024 * 1024;

/** Cuts each string at `longestText`, because parsing would copy it several times. */
function shortenTexts(bytes: Buffer) {
  if (bytes.length <= longestText) return bytes;
  const parts: Buffer[] = [];
  let kept = 0;
  for (let open = bytes.indexOf(0x22); open !== -1;) {
    const close = endOfText(bytes, open);
    if (close === -1) break;
    const text = bytes.subarray(open, close);
    // A line feed ends a line of JSON. No string spans several lines, so its closing quote must be missing.
    if (text.length > longestText && !text.includes(0x0a)) {
      parts.push(bytes.subarray(kept, open + wholeCharacters(text, longestText)));
      kept = close;
    }
    open = bytes.indexOf(0x22, close + 1);
  }
  return parts.length === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(kept)]);
}

/** Returns the index of the closing quote of a string, or -1. */
function endOfText(bytes: Buffer, open: number) {
  let at = bytes.indexOf(0x22, open + 1);
  while (at !== -1 && endsInBackslash(bytes, at)) at = bytes.indexOf(0x22, at + 1);
  return at;
}

/** Returns the end of the last whole character or escape before `end`. */
function wholeCharacters(text: Buffer, end: number) {
  let at = end;
  while ((text[at]! & 0xc0) === 0x80) at--;
  const slash = text.lastIndexOf(0x5c, at - 1);
  return at - slash < longestEscape && endsInBackslash(text, slash + 1) ? slash : at;
}

const longestEscape = 6;
