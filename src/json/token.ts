/**
 * Reads one JSON string, number or literal, which may be split over several blocks: checks its grammar, and keeps its
 * bytes only when its value is requested.
 */
import { describeByte, JsonSyntaxError } from './error.ts';

export type Scalar = string | number | boolean | null;
export type ScalarKind = 'string' | 'number' | 'boolean' | 'null';

/** States inside a number; it may end in the odd ones. */
const SIGN = 0;
const ZERO = 1;
const POINT = 2;
const INTEGER = 3;
const EXPONENT = 4;
const FRACTION = 5;
const EXPONENT_SIGN = 6;
const EXPONENT_DIGITS = 7;

export class JsonToken {
  /** Offset of the token in the input. */
  start = 0;
  /** False while more bytes belong to the token. */
  ended = true;
  #kind: ScalarKind = 'null';
  /** In a string: 0, 1 after a backslash, 2 to 5 before the digits of `\u`. In a number: one of the states above. */
  #state = 0;
  #literal = '';
  #literalAt = 0;
  #limit = 0;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;

  /** `byte` is the first one, `start` its offset in the input; `value()` is available for up to `keep` bytes. */
  begin(kind: ScalarKind, byte: number, start: number, keep: number): void {
    this.start = start;
    this.ended = false;
    this.#kind = kind;
    this.#state = kind === 'number' ? numberStart(byte) : 0;
    this.#limit = keep;
    if (this.#kept.length > 0) this.#kept = [];
    this.#keptBytes = 0;
    if (kind === 'number' && keep > 0) this.#keep(Uint8Array.of(byte));
    if (kind === 'number' || kind === 'string') return;
    this.#literal = literals[byte]!;
    this.#literalAt = 1;
  }

  /** Reads on in `bytes[from, to)`; byte 0 has the offset `base`. Returns the index after the token's bytes. */
  read(bytes: Uint8Array, from: number, to: number, base: number): number {
    if (this.#kind === 'string') return this.#readText(bytes, from, to, base);
    return this.#kind === 'number'
      ? this.#readNumber(bytes, from, to, base)
      : this.#readLiteral(bytes, from, to, base);
  }

  /** The input ended, which may end a number. */
  finish(): void {
    if (this.#kind === 'number' && this.#state % 2 === 1) this.ended = true;
  }

  /** Undefined for a token longer than `keep`. */
  value(): Scalar | undefined {
    if (this.#keptBytes > this.#limit) return undefined;
    if (this.#kind === 'boolean') return this.#literal === 'true';
    if (this.#kind === 'null') return null;
    const text = Buffer.concat(this.#kept).toString('utf8');
    if (this.#kind === 'number') return Number(text);
    return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
  }

  #readText(bytes: Uint8Array, from: number, to: number, base: number): number {
    let i = from;
    let escape = this.#state;
    while (i < to) {
      const byte = bytes[i]!;
      if (escape === 0) {
        if (byte === 0x22) break;
        if (byte === 0x5c) escape = 1;
        else if (byte < 0x20) fail(`a text holds the control character ${describeByte(byte)}`, base + i);
      } else if (escape === 1) {
        if (byte !== 0x75 && simpleEscapes[byte] === 0) {
          fail(`a text holds "\\" followed by ${describeByte(byte)}`, base + i);
        }
        escape = byte === 0x75 ? 2 : 0;
      } else {
        if (!isHexDigit(byte))
          fail(`"\\u" is followed by ${describeByte(byte)}, not by four hex digits`, base + i);
        escape = escape === 5 ? 0 : escape + 1;
      }
      i++;
      if (escape === 0) i = skipPlain(bytes, i, to);
    }
    this.#state = escape;
    if (this.#limit > 0) this.#keep(bytes.subarray(from, i));
    if (i === to) return i;
    this.ended = true;
    return i + 1;
  }

  #readNumber(bytes: Uint8Array, from: number, to: number, base: number): number {
    let i = from;
    for (; i < to; i++) {
      const next = numberStep(this.#state, bytes[i]!);
      if (next === undefined) break;
      this.#state = next;
    }
    if (this.#limit > 0) this.#keep(bytes.subarray(from, i));
    if (i === to) return i;
    if (this.#state % 2 === 0) fail(`expected a digit but found ${describeByte(bytes[i]!)}`, base + i);
    this.ended = true;
    return i;
  }

  #readLiteral(bytes: Uint8Array, from: number, to: number, base: number): number {
    let i = from;
    for (; i < to && this.#literalAt < this.#literal.length; i++, this.#literalAt++) {
      if (bytes[i] === this.#literal.charCodeAt(this.#literalAt)) continue;
      fail(`expected "${this.#literal}" but found ${describeByte(bytes[i]!)} in it`, base + i);
    }
    this.ended = this.#literalAt === this.#literal.length;
    return i;
  }

  /** Drops all bytes once there are too many. */
  #keep(bytes: Uint8Array): void {
    this.#keptBytes += bytes.length;
    if (this.#keptBytes <= this.#limit) this.#kept.push(new Uint8Array(bytes));
    else this.#kept = [];
  }
}

const literals: Readonly<Record<number, string>> = { 0x74: 'true', 0x66: 'false', 0x6e: 'null' };
const simpleEscapes = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) simpleEscapes[byte] = 1;

/** The kind of value that begins with this byte. */
export function kindOf(byte: number): ScalarKind | 'object' | 'array' | undefined {
  if (byte === 0x22) return 'string';
  if (byte === 0x7b) return 'object';
  if (byte === 0x5b) return 'array';
  if (byte === 0x2d || isDigit(byte)) return 'number';
  if (byte === 0x6e) return 'null';
  return byte === 0x74 || byte === 0x66 ? 'boolean' : undefined;
}

/** The index of the next quote, backslash or control character of a string. */
function skipPlain(bytes: Uint8Array, from: number, to: number): number {
  let i = from;
  while (i < to) {
    const byte = bytes[i]!;
    if (byte === 0x22 || byte === 0x5c || byte < 0x20) break;
    i++;
  }
  return i;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

function numberStart(byte: number): number {
  if (byte === 0x2d) return SIGN;
  return byte === 0x30 ? ZERO : INTEGER;
}

/** The state after one more byte of a number, or undefined when the byte does not belong to it. */
function numberStep(state: number, byte: number): number | undefined {
  if (isDigit(byte)) {
    if (state === SIGN) return byte === 0x30 ? ZERO : INTEGER;
    if (state === POINT) return FRACTION;
    if (state === EXPONENT || state === EXPONENT_SIGN) return EXPONENT_DIGITS;
    return state === ZERO ? undefined : state;
  }
  if (byte === 0x2e && (state === ZERO || state === INTEGER)) return POINT;
  if ((byte | 0x20) === 0x65 && (state === ZERO || state === INTEGER || state === FRACTION)) return EXPONENT;
  if ((byte === 0x2b || byte === 0x2d) && state === EXPONENT) return EXPONENT_SIGN;
  return undefined;
}

function fail(problem: string, offset: number): never {
  throw new JsonSyntaxError('input:syntax', problem, offset);
}
