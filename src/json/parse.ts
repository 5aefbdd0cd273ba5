/** Parses batches of elements, and finds what is wrong with a broken one. */
import { JsonSyntaxError } from './error.ts';
import { checkJson } from './scan.ts';
import { jsonText } from './text.ts';

const opening = Uint8Array.of(0x5b);
const closing = Uint8Array.of(0x5d);

/**
 * The values of elements separated by commas. They are parsed in parts, so that V8 can collect each part while it is
 * young; `cuts` are the offsets of the commas between the parts. Throws `JsonSyntaxError` with the offset in `bytes`.
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

function parseList(text: string, bytes: Uint8Array): unknown[] {
  try {
    return JSON.parse(text) as unknown[];
  } catch (error) {
    throw error instanceof SyntaxError ? problemOf(bytes) : error;
  }
}

function problemOf(bytes: Uint8Array): JsonSyntaxError {
  const { code, problem, offset } = checkJson(opening, bytes, closing)!;
  const at = offset - 1;
  if (code === 'input:trailing-garbage') {
    // The last bracket before it has closed the list of elements itself.
    const bracket = bytes.lastIndexOf(0x5d, Math.min(at, bytes.length) - 1);
    return new JsonSyntaxError('input:syntax', '"]" stands where no array is open', bracket);
  }
  if (at < bytes.length) return new JsonSyntaxError(code, problem, at);
  return new JsonSyntaxError('input:truncated', 'it ends in the middle of a value', bytes.length);
}
