/** Checks one JSON string, number or literal that is completely in memory. */
import { describeByte, JsonSyntaxError } from './error.ts';

export type Scalar = string | number | boolean | null;
export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array';

/** Returns the kind of value that begins with this byte. */
export function kindOf(byte: number): JsonKind | undefined {
  if (byte === 0x22) return 'string';
  if (byte === 0x7b) return 'object';
  if (byte === 0x5b) return 'array';
  if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return 'number';
  if (byte === 0x6e) return 'null';
  return byte === 0x74 || byte === 0x66 ? 'boolean' : undefined;
}

/**
 * Returns the end of the token that begins at `from`, or -1 if it does not end before `to`. Throws `JsonSyntaxError` for the
 * first byte that cannot belong to the token. Byte 0 has the offset `base`.
 */
export function checkToken(bytes: Uint8Array, from: number, to: number, base: number) {
  if (bytes[from] === 0x22) return checkText(bytes, from, to, base);
  const literal = literals[bytes[from]!];
  if (literal === undefined) return checkNumber(bytes, from, to, base);
  return checkLiteral(literal, bytes, from, to, base);
}

/** Returns the value of a token that was checked. */
export const valueOf = (bytes: Uint8Array, from: number, to: number): unknown =>
  JSON.parse(Buffer.from(bytes.subarray(from, to)).toString('utf8'));

const literals: Readonly<Record<number, string>> = { 0x74: 'true', 0x66: 'false', 0x6e: 'null' };

function checkText(bytes: Uint8Array, from: number, to: number, base: number) {
  for (let i = from + 1; i < to; i++) {
    const byte = bytes[i]!;
    if (byte === 0x22) return i + 1;
    if (byte < 0x20) fail(`a text holds the control character ${describeByte(byte)}`, base + i);
    if (byte !== 0x5c || ++i === to) continue;
    const escape = String.fromCharCode(bytes[i]!);
    if (!'"\\/bfnrtu'.includes(escape)) {
      fail(`a text holds "\\" followed by ${describeByte(bytes[i]!)}`, base + i);
    }
    for (let digits = escape === 'u' ? 4 : 0; digits > 0 && ++i < to; digits--) {
      if (/[\da-f]/i.test(String.fromCharCode(bytes[i]!))) continue;
      fail(`"\\u" is followed by ${describeByte(bytes[i]!)}, not by four hex digits`, base + i);
    }
  }
  return -1;
}

/** Matches as much as can be the beginning of a number. */
const numberStart = /^-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)e[+-]?\d*)?)?/i;

function checkNumber(bytes: Uint8Array, from: number, to: number, base: number) {
  const [number] = numberStart.exec(Buffer.from(bytes.subarray(from, to)).toString('latin1'))!;
  const end = from + number.length;
  if (/\d$/.test(number)) return end;
  return end === to ? -1 : fail(`expected a digit but found ${describeByte(bytes[end]!)}`, base + end);
}

function checkLiteral(literal: string, bytes: Uint8Array, from: number, to: number, base: number) {
  for (let i = 1; i < literal.length; i++) {
    const at = from + i;
    if (at === to) return -1;
    if (bytes[at] === literal.charCodeAt(i)) continue;
    fail(`expected "${literal}" but found ${describeByte(bytes[at]!)} in it`, base + at);
  }
  return from + literal.length;
}

function fail(problem: string, offset: number): never {
  throw new JsonSyntaxError('input:syntax', problem, offset);
}
