/** What `json-pick-wasm.ts` has noted on its tape in, values as JSON.parse gives them out. */
import { detached } from './detached.ts';
import { token } from './json-pick-layout.ts';
import type { PickTable } from './json-pick-tables.ts';

/** Where the texts of a tape stand in the memory. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export class TapeReader {
  readonly #words: Uint32Array;
  readonly #memory: Buffer;
  readonly #texts: string;
  readonly #textsStart: number;
  readonly #tables: readonly PickTable[];
  readonly #start: number;
  #at = 0;

  constructor(memory: ArrayBuffer, tape: Span, texts: Span, tables: readonly PickTable[]) {
    this.#start = tape.start;
    this.#words = new Uint32Array(memory, tape.start, (tape.end - tape.start) / 4);
    this.#memory = Buffer.from(memory);
    // All texts of the tape at once, one character for each byte.
    this.#texts = this.#memory.toString('latin1', texts.start, texts.end);
    this.#textsStart = texts.start;
    this.#tables = tables;
  }

  list(): unknown[] {
    const values: unknown[] = [];
    while (this.#at < this.#words.length) values.push(this.#value());
    return values;
  }

  /** Undefined unless there is one object for each of these places, from `base` on, and it begins there. */
  listOf(starts: readonly number[], base: number): unknown[] | undefined {
    const values: unknown[] = [];
    for (const start of starts) {
      const isObject = (this.#words[this.#at]! & 15) === token.picked;
      if (!isObject || this.#words[this.#at + 1] !== base + start) return undefined;
      values.push(this.#value());
    }
    return this.#at === this.#words.length ? values : undefined;
  }

  /** The value whose first token stands at this address. */
  valueAt(address: number): unknown {
    this.#at = (address - this.#start) / 4;
    return this.#value();
  }

  #value(): unknown {
    const at = this.#at;
    const number = this.#words[at]! >>> 4;
    const place = this.#words[at + 1]!;
    this.#at = at + 2;
    switch (this.#words[at]! & 15) {
      case token.text:
        return this.#text(number, place);
      case token.wide:
        return decode(this.#text(number, place));
      case token.escaped:
        return JSON.parse(`"${this.#memory.toString('utf8', place, place + number)}"`);
      case token.number:
        return Number(this.#memory.toString('latin1', place, place + number));
      case token.true:
        return true;
      case token.false:
        return false;
      case token.list:
        return this.#rest();
      case token.object:
        return this.#object();
      case token.picked:
        return this.#picked(this.#tables[number]!);
      default:
        return null;
    }
  }

  #text(length: number, place: number): string {
    const start = place - this.#textsStart;
    return this.#texts.slice(start, start + length);
  }

  #isClosed(): boolean {
    if ((this.#words[this.#at]! & 15) !== token.close) return false;
    this.#at += 2;
    return true;
  }

  #rest(): unknown[] {
    const values: unknown[] = [];
    while (!this.#isClosed()) values.push(this.#value());
    return values;
  }

  #object(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    while (!this.#isClosed()) {
      const key = this.#value() as string;
      const value = this.#value();
      if (key === '__proto__') Object.defineProperty(object, key, { value, ...ownProperty });
      else object[key] = value;
    }
    return object;
  }

  #picked({ firstKey, names, blank }: PickTable): Record<string, unknown> {
    const object: Record<string, unknown> = { ...blank };
    while (!this.#isClosed()) {
      const name = names[(this.#words[this.#at]! >>> 4) - firstKey]!;
      this.#at += 2;
      object[name] = this.#value();
    }
    return object;
  }
}

const ownProperty = { writable: true, enumerable: true, configurable: true } as const;

/** Names come back, and the second time one costs little. */
const decoded = new Map<string, string>();
const mostDecoded = 4096;
const longestDecoded = 40;

/** UTF-8 with one character for each byte in, the text out. */
function decode(bytes: string): string {
  const known = decoded.get(bytes);
  if (known !== undefined) return known;
  const text = Buffer.from(bytes, 'latin1').toString('utf8');
  if (bytes.length > longestDecoded) return text;
  if (decoded.size === mostDecoded) decoded.clear();
  decoded.set(detached(bytes), text);
  return text;
}
