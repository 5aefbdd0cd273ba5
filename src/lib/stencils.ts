/**
 * A batch of elements in; those like one that was seen before written out at once, the others as values. Nearly all
 * people of an export differ from many others in plain texts alone: what was made of the first of them is what is to
 * be made of all, with other texts in the holes. `stencil-wasm-texts.ts` says what texts are plain.
 *
 * A stencil is taken from what the slow way makes of an element, and held against it with many texts before it counts;
 * any difference, and such elements go the slow way for good. So the rules stand in one place, and not in here.
 */
import { createPicker, type WantedKeys } from './json-pick.ts';
import { token } from './json-pick-layout.ts';
import { TapeReader } from './json-tape.ts';
import { type Copyist, StencilMaker } from './stencil-maker.ts';
import type { Oddities } from './stencil-samples.ts';
import { given as givenFields, holeKind, layOut, nothingGoes, row, status } from './stencil-layout.ts';
import { scratchBytes } from './stencil-trial.ts';
import { startStencilProgram } from './stencil-wasm.ts';
import type { Span } from './json-tape.ts';
import { reserve } from './wasm-engine.ts';

/** Stands in the place of a value that a stencil has written. */
export const written = Symbol('written');

/** Good until the next batch is pressed. */
export interface Pressed {
  /** As `Pick` gives them, and `written`. */
  readonly values: unknown[];
  /** What was written, one element behind the other. */
  readonly output: Uint8Array;
  /** Of each element what `row` says, one after the other; but for `end` only where it is written. */
  readonly rows: Uint32Array;
  /** Where the output begins, by the measure of `end`. */
  readonly start: number;
  readonly name: (place: number) => string;
  readonly id: (place: number) => string;
  /** What the slow way had to say of such elements. */
  readonly remarks: (place: number) => unknown;
}

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

export interface Stencils {
  /** As `Pick` has it; `copy` is the slow way. */
  press(bytes: Uint8Array, copy: Copyist, starts?: readonly number[], givens?: Givens): Pressed | undefined;
  /** The slow way is another one from now on. */
  forget(): void;
}

const stencilBytes = 768 * 1024;
/** What is written of a batch has this room, and twice the bytes of the batch; the rest goes the slow way. */
const outputBytes = 64 * 1024;
/** A second element of a kind is worth a stencil: kinds that come once only would cost more than they bring. */
const seenCount = 4096;

const noGivens: Span = { start: 0, end: 0 };

function writeGivens(memory: ArrayBuffer, givens: Givens, { start, end }: Span): void {
  const list = new Uint32Array(memory, start, (end - start) / 4);
  const bytes = Buffer.from(memory);
  let next = end;
  for (let place = 0; place < givens.count; place++) {
    const length = givens.write(place, bytes, next);
    const at = place * givenFields.words;
    list[at + givenFields.place] = next;
    list[at + givenFields.length] = length < 0 ? nothingGoes : length;
    list[at + givenFields.head] = givens.head;
    next += Math.max(length, 0);
  }
}

/** Undefined where WebAssembly or its SIMD is missing. `seed` is that of `hashText`. */
export function createStencils(wanted: WantedKeys, oddities: Oddities, seed: number): Stencils | undefined {
  const picker = createPicker(wanted, layOut(0).stencils + stencilBytes);
  if (picker === undefined) return undefined;
  const { memory, tables } = picker;
  reserve(memory, picker.base);
  const layout = layOut(picker.reserved);
  const run = startStencilProgram(memory, layout, seed);
  if (run === undefined) return undefined;
  const kinds = new Uint8Array(memory.buffer, layout.kinds, 256);
  for (const { firstKey, kinds: words } of tables) {
    words.forEach((word, place) => {
      if (word !== undefined) kinds[firstKey + place] = holeKind[word as keyof typeof holeKind];
    });
  }
  const maker = new StencilMaker(picker, layout, run, oddities, seed);
  const seen = new Uint32Array(seenCount);

  return {
    forget() {
      maker.forget();
      seen.fill(0);
    },
    press(bytes, copy, starts, givens) {
      const found = picker.read(bytes);
      if (found === undefined) return undefined;
      const { tape, texts } = found;
      const output = (tape.end + 15) & ~15;
      const rowsStart = (output + 2 * bytes.length + outputBytes + 15) & ~15;
      const tokens = (tape.end - tape.start) / 8;
      const rowBytes = 4 * row.words;
      const givenStart = rowsStart + tokens * rowBytes;
      const given = { start: givenStart, end: givenStart + 4 * givenFields.words * (givens?.count ?? 0) };
      const scratch = (given.end + (givens?.count ?? 0) * (givens?.most ?? 0) + 63) & ~15;
      reserve(memory, scratch + scratchBytes);
      if (givens !== undefined) writeGivens(memory.buffer, givens, given);
      const list = givens === undefined ? noGivens : given;
      const rowsEnd = run(tape.start, tape.end, rowsStart, output, rowsStart, list.start, list.end);
      const count = (rowsEnd - rowsStart) / rowBytes;
      const { buffer } = memory;
      const rows = new Uint32Array(buffer, rowsStart, count * row.words);
      const words = new Uint32Array(buffer, tape.start, (tape.end - tape.start) / 4);
      const number = (place: number, field: number): number => rows[place * row.words + field]!;
      if (starts !== undefined && !beginsAt(starts)) return undefined;

      let reader: TapeReader | undefined;
      const values: unknown[] = [];
      for (let place = 0; place < count; place++) {
        if (number(place, row.status) === status.written) {
          values.push(written);
          continue;
        }
        reader ??= new TapeReader(buffer, tape, texts, tables);
        values.push(reader.valueAt(number(place, row.tape)));
      }
      for (let place = 0; place < count; place++) {
        if (number(place, row.status) !== status.unknown || !isSeen(number(place, row.hash))) continue;
        const end = place + 1 < count ? number(place + 1, row.tape) : tape.end;
        const own = list.start + 4 * givenFields.words * place;
        maker.make({ start: number(place, row.tape), end }, scratch, copy, givens === undefined ? 0 : own);
      }
      const text = (place: number, field: number): string =>
        Buffer.from(buffer, number(place, field), number(place, field + 1)).toString('latin1');
      return {
        values,
        output: new Uint8Array(buffer, output, count === 0 ? 0 : number(count - 1, row.end) - output),
        rows,
        start: output,
        name: (place) => text(place, row.name),
        id: (place) => text(place, row.id),
        remarks: (place) => maker.remarks(number(place, row.stencil)),
      };

      function beginsAt(places: readonly number[]): boolean {
        return (
          places.length === count &&
          places.every((start, place) => {
            const at = (number(place, row.tape) - tape.start) / 4;
            return (words[at]! & 15) === token.picked && words[at + 1] === picker!.base + start;
          })
        );
      }
    },
  };

  function isSeen(hash: number): boolean {
    const place = hash % seenCount;
    if (seen[place] === hash) return true;
    seen[place] = hash;
    return false;
  }
}
