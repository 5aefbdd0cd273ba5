/** Parses batches of elements, and finds what is wrong with a broken one. */
import { isAscii, isUtf8, transcode } from 'node:buffer';
import { JsonSyntaxError } from './error.ts';
import { checkJson } from './scan.ts';

const opening = Uint8Array.of(0x5b);
const closing = Uint8Array.of(0x5d);

/**
 * Yields the values of elements separated by commas. They are parsed in parts, so that V8 can collect each part while it is
 * young. `cuts` are the offsets of the commas between the parts. Throws `JsonSyntaxError` with the offset in `bytes`.
 */
export function* parseElements(bytes: Uint8Array, cuts: readonly number[] = []): Generator {
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

/** Returns the JSON text, or undefined if the bytes are not UTF-8. */
export function jsonText(bytes: Uint8Array) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) ? decodeUtf8(buffer) : undefined;
}

/** Decodes valid UTF-8. If it is not just ASCII, this takes half the time of `toString('utf8')`. */
const decodeUtf8 = (bytes: Buffer) =>
  isAscii(bytes) ? bytes.toString('latin1') : transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
