/** A batch, and what is given with its elements, in; both in the memory of the program, and its task, out. */
import type { Loaded, Picker } from './json-pick.ts';
import type { Span } from './json-tape.ts';
import { given as field, nothingGoes, row } from './stencil-layout.ts';
import { scratchBytes } from './stencil-trial.ts';
import type { Task } from './stencil-wasm.ts';
import { reserve } from './wasm-engine.ts';

/** Texts of ASCII that come with the elements and do not stand in them, of the letters of base64 and `.`. */
export interface Givens {
  /** Of elements. */
  readonly count: number;
  /** Bytes of a text, at most. */
  readonly most: number;
  /** So many bytes at the beginning are few words that come back. */
  readonly head: number;
  /** Writes that of an element, and returns its length: 0 for none, -1 where the element is to go the slow way. */
  write(place: number, into: Buffer, at: number): number;
}

export interface BatchTask extends Task, Loaded {
  /** Where `scratchBytes` are that nobody needs. */
  readonly scratch: number;
  /** Where it is told what is given with an element; zero for nothing. */
  readonly givenAt: (place: number) => number;
}

/** What is written of a batch has this room, and twice the bytes of the batch; the rest goes the slow way. */
const outputBytes = 64 * 1024;
/** Rows for elements of so many bytes, and some more; a batch of shorter ones goes the slow way. */
const shortest = 32;
const spareRows = 64;
const align = (address: number): number => (address + 15) & ~15;

/** Undefined for bytes that cannot be picked from. */
export function loadBatch(picker: Picker, bytes: Uint8Array, givens?: Givens): BatchTask | undefined {
  const loaded = picker.load(bytes);
  if (loaded === undefined) return undefined;
  const { count = 0, most = 0 } = givens ?? {};
  const rows = align(loaded.end);
  const rowsEnd = rows + 4 * row.words * (Math.ceil(bytes.length / shortest) + spareRows);
  const out = align(rowsEnd);
  const outEnd = out + 2 * bytes.length + outputBytes;
  const start = align(outEnd);
  const end = start + 4 * field.words * count;
  const scratch = align(end + count * most + 48);
  reserve(picker.memory, scratch + scratchBytes);
  if (givens !== undefined) writeGivens(picker.memory.buffer, givens, { start, end });
  return {
    ...loaded,
    tapeEnd: 0,
    outlines: true,
    rows,
    rowsEnd,
    out,
    outEnd,
    givens: givens === undefined ? 0 : start,
    givensEnd: givens === undefined ? 0 : end,
    scratch,
    givenAt: (place) => (givens === undefined ? 0 : start + 4 * field.words * place),
  };
}

function writeGivens(memory: ArrayBuffer, givens: Givens, { start, end }: Span): void {
  const list = new Uint32Array(memory, start, (end - start) / 4);
  const bytes = Buffer.from(memory);
  let next = end;
  for (let place = 0; place < givens.count; place++) {
    const length = givens.write(place, bytes, next);
    const at = place * field.words;
    list[at + field.place] = next;
    list[at + field.length] = length < 0 ? nothingGoes : length;
    list[at + field.head] = givens.head;
    next += Math.max(length, 0);
  }
}
