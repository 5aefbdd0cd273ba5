/**
 * A batch of elements in; of each value only what somebody will look at out: nobody pays for what nobody reads. The
 * whole text is checked all the same.
 */
import { isUtf8 } from 'node:buffer';
import { createPickTables, type PickTable } from './json-pick-tables.ts';
import { freeMemory } from './json-pick-layout.ts';
import { endOfTexts, startPickProgram } from './json-pick-wasm.ts';
import { type Span, TapeReader } from './json-tape.ts';
import { type Memory, type Program, reserve } from './wasm-engine.ts';

/**
 * The keys that are wanted of an object: the whole value (`true`, or a word on what texts may stand there, for
 * `stencils.ts`), or again only some keys of it. Lists are passed through.
 */
export interface WantedKeys {
  readonly [key: string]: true | string | WantedKeys;
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

/** Where in the memory what of a batch stands, or will. */
export interface Loaded {
  readonly from: number;
  readonly to: number;
  readonly texts: number;
  readonly tape: number;
  /** What follows is free. */
  readonly end: number;
}

/** The program with its memory, and the tape of the batch that was read last. */
export interface Picker {
  readonly program: Program;
  readonly memory: Memory;
  readonly wanted: WantedKeys;
  readonly tables: readonly PickTable[];
  /** Where the memory begins that was reserved. */
  readonly reserved: number;
  /** Where the bytes of a batch stand. */
  readonly base: number;
  /** Well-formed UTF-8; undefined where it is too long. Good until the next batch is loaded. */
  readonly load: (bytes: Uint8Array) => Loaded | undefined;
  /** Undefined as `Pick` has it. Good until the next batch is loaded. */
  readonly read: (bytes: Uint8Array) => { readonly tape: Span; readonly texts: Span } | undefined;
}

/** Undefined where WebAssembly or its SIMD is missing. */
export function createPicker(wanted: WantedKeys, reservedBytes = 0): Picker | undefined {
  const program = startPickProgram();
  if (program === undefined) return undefined;
  const { memory, run } = program;
  const { tables, end: reserved } = createPickTables(memory, freeMemory, wanted);
  const root = tables[0]!.address;
  const base = reserved + reservedBytes;
  const load = (bytes: Uint8Array): Loaded | undefined => {
    const { length } = bytes;
    if (length > longest) return undefined;
    const to = base + length;
    const texts = to + padding;
    const tape = (texts + length + padding + 7) & ~7;
    const end = tape + bytesPerToken * (length + 1);
    reserve(memory, end);
    const all = new Uint8Array(memory.buffer);
    all.set(bytes, base);
    all.fill(0x20, to, texts);
    return { from: base, to, texts, tape, end };
  };
  return {
    program,
    memory,
    wanted,
    tables,
    reserved,
    base,
    load,
    read(bytes) {
      const loaded = isUtf8(bytes) ? load(bytes) : undefined;
      if (loaded === undefined) return undefined;
      const { from, to, texts, tape } = loaded;
      const end = run(from, to, texts, tape, root, 0);
      if (end === 0) return undefined;
      return { tape: { start: tape, end }, texts: { start: texts, end: endOfTexts(memory) } };
    },
  };
}

/** Undefined where WebAssembly or its SIMD is missing. Batches with a value that is not enough are not picked from. */
export function createPick(
  wanted: WantedKeys,
  isEnough: (value: unknown) => boolean = () => true,
): Pick | undefined {
  const picker = createPicker(wanted);
  if (picker === undefined) return undefined;
  const { memory, tables, base } = picker;
  return (bytes, starts) => {
    const found = picker.read(bytes);
    if (found === undefined) return undefined;
    const reader = new TapeReader(memory.buffer, found.tape, found.texts, tables);
    const values = starts === undefined ? reader.list() : reader.listOf(starts, base);
    return values?.every(isEnough) === true ? values : undefined;
  };
}
