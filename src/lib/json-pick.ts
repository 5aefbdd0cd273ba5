/**
 * A batch of elements in; of each value only what somebody will look at out: nobody pays for what nobody reads. The
 * whole text is checked all the same.
 */
import { isUtf8 } from 'node:buffer';
import { detached } from './detached.ts';
import { createPickTables, type PickTable } from './json-pick-tables.ts';
import { endOfTexts, freeMemory, type PickProgram, startPickProgram, token } from './json-pick-wasm.ts';

/** The keys that are wanted of an object: the whole value (`true`), or again only some keys of it. Lists are passed through. */
export interface WantedKeys {
  readonly [key: string]: true | WantedKeys;
}

/**
 * Elements with commas between them in, their values out, as JSON.parse gives them; of objects only the wanted keys,
 * and all of these, undefined where they are absent. Undefined for what is broken, or so unusual that JSON.parse is to
 * have it. With `starts`, also where the values are not objects that begin just at these places.
 */
export type Pick = (bytes: Uint8Array, starts?: readonly number[]) => unknown[] | undefined;

/** Longer batches (one huge element) are left to JSON.parse, for the sake of memory. */
const longest = 1024 * 1024;
/** So many spaces stand behind a batch, because it is read in larger steps. */
const padding = 64;
const bytesPerToken = 8;
const pageBytes = 64 * 1024;

/** Undefined where WebAssembly or its SIMD is missing. Batches with a value that is not enough are not picked from. */
export function createPick(
  wanted: WantedKeys,
  isEnough: (value: unknown) => boolean = () => true,
): Pick | undefined {
  const program = startPickProgram();
  if (program === undefined) return undefined;
  const { tables, end } = createPickTables(program.memory, freeMemory, wanted);
  const root = tables[0]!.address;

  return (bytes, starts) => {
    const { length } = bytes;
    if (length > longest || !isUtf8(bytes)) return undefined;
    const texts = end + length + padding;
    const tape = (texts + length + padding + 7) & ~7;
    reserve(program, tape + bytesPerToken * (length + 1));
    const memory = new Uint8Array(program.memory.buffer);
    memory.set(bytes, end);
    memory.fill(0x20, end + length, texts);
    const tapeEnd = program.run(end, end + length, texts, tape, root);
    if (tapeEnd === 0) return undefined;
    const { buffer } = program.memory;
    const all = Buffer.from(buffer);
    const builder = new Builder(
      new Uint32Array(buffer, tape, (tapeEnd - tape) / 4),
      all.toString('latin1', texts, endOfTexts(program)),
      texts,
      all,
      tables,
    );
    const values = starts === undefined ? builder.list() : builder.listOf(starts, end);
    return values?.every(isEnough) === true ? values : undefined;
  };
}

function reserve({ memory }: PickProgram, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
}

/** Values out of a tape. */
class Builder {
  readonly #tape: Uint32Array;
  /** All texts of the tape, one character for each byte. */
  readonly #texts: string;
  readonly #textsStart: number;
  readonly #memory: Buffer;
  readonly #tables: readonly PickTable[];
  #at = 0;

  constructor(
    tape: Uint32Array,
    texts: string,
    textsStart: number,
    memory: Buffer,
    tables: readonly PickTable[],
  ) {
    this.#tape = tape;
    this.#texts = texts;
    this.#textsStart = textsStart;
    this.#memory = memory;
    this.#tables = tables;
  }

  list(): unknown[] {
    const values: unknown[] = [];
    while (this.#at < this.#tape.length) values.push(this.#value());
    return values;
  }

  /** Undefined unless there is one object for each of these places, from `base` on, and it begins there. */
  listOf(starts: readonly number[], base: number): unknown[] | undefined {
    const values: unknown[] = [];
    for (const start of starts) {
      const isObject = (this.#tape[this.#at]! & 15) === token.picked;
      if (!isObject || this.#tape[this.#at + 1] !== base + start) return undefined;
      values.push(this.#value());
    }
    return this.#at === this.#tape.length ? values : undefined;
  }

  #value(): unknown {
    const at = this.#at;
    const number = this.#tape[at]! >>> 4;
    const place = this.#tape[at + 1]!;
    this.#at = at + 2;
    switch (this.#tape[at]! & 15) {
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
    if ((this.#tape[this.#at]! & 15) !== token.close) return false;
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

  #picked({ names, blank }: PickTable): Record<string, unknown> {
    const object: Record<string, unknown> = { ...blank };
    while (!this.#isClosed()) {
      const name = names[this.#tape[this.#at]! >>> 4]!;
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
