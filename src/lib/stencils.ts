/**
 * A batch of elements in; those like one that was seen before written out at once, the others as values. Nearly all
 * people of an export differ from many others in plain texts alone: what was made of the first of them is what is to
 * be made of all, with other texts in the holes. `stencil-wasm-texts.ts` says what texts are plain.
 *
 * A stencil is taken from what the slow way makes of an element, and held against it with many texts before it counts;
 * any difference, and such elements go the slow way for good. So the rules stand in one place, and not in here.
 */
import { isUtf8 } from 'node:buffer';
import { createPicker, type WantedKeys } from './json-pick.ts';
import { endOfTexts } from './json-pick-wasm.ts';
import { TapeReader } from './json-tape.ts';
import { type Copyist, type Made, StencilMaker } from './stencil-maker.ts';
import { OutlineMaker } from './outline-maker.ts';
import type { OutlineCopy } from './outline-store.ts';
import type { Oddities } from './stencil-samples.ts';
import { holeKind, layOut, outlineBytes, row, status, stencilBytes } from './stencil-layout.ts';
import { type BatchTask, type Givens, loadBatch } from './stencil-task.ts';
import { endOfTape, startStencilProgram } from './stencil-wasm.ts';
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

export interface Stencils {
  /** As `Pick` has it; `copy` is the slow way. The bytes are well-formed UTF-8, or else they have `starts`. */
  press(bytes: Uint8Array, copy: Copyist, starts?: readonly number[], givens?: Givens): Pressed | undefined;
  /** What the slow way depends on beside the element: where that is another one, all is forgotten. */
  standOn(ground: string): void;
  /** For another thread that presses such batches. */
  lesson(): Lesson;
  /** Takes over what another thread has learned with the same wanted keys and the same seed. */
  adopt(lesson: Lesson): void;
}

/** What has been learned from batches; survives a structured clone. */
export interface Lesson {
  readonly ground: string;
  readonly made: Made;
  readonly outlines: OutlineCopy;
}

/** A second element of a kind is worth a stencil: kinds that come once only would cost more than they bring. */
const seenCount = 4096;

/** Undefined where WebAssembly or its SIMD is missing. `seed` is that of `hashText`. */
export function createStencils(wanted: WantedKeys, oddities: Oddities, seed: number): Stencils | undefined {
  const picker = createPicker(wanted, layOut(0).stencils + stencilBytes + outlineBytes);
  if (picker === undefined) return undefined;
  const { memory, tables } = picker;
  reserve(memory, picker.base);
  const layout = layOut(picker.reserved);
  const run = startStencilProgram(picker.program, tables[0]!.address, layout, seed);
  if (run === undefined) return undefined;
  const kinds = new Uint8Array(memory.buffer, layout.kinds, 256);
  for (const { firstKey, kinds: words } of tables) {
    words.forEach((word, place) => {
      if (word !== undefined) kinds[firstKey + place] = holeKind[word as keyof typeof holeKind];
    });
  }
  const maker = new StencilMaker(picker, layout, run, oddities, seed);
  const outlines = new OutlineMaker(picker, layout, run);
  const seen = new Uint32Array(seenCount);
  let ground = '';

  return {
    standOn(other) {
      if (other === ground) return;
      ground = other;
      maker.forget();
      outlines.forget();
      seen.fill(0);
    },
    lesson: () => ({ ground, made: maker.made, outlines: outlines.made }),
    adopt(lesson) {
      this.standOn(lesson.ground);
      maker.adopt(lesson.made);
      outlines.adopt(lesson.outlines);
    },
    press(bytes, copy, starts, givens) {
      // Whoever cuts elements out of a list has looked at all bytes; whoever cuts lines has not.
      if (starts !== undefined && !isUtf8(bytes)) return undefined;
      const task = loadBatch(picker, bytes, givens);
      const rowsEnd = task === undefined ? 0 : run(task);
      if (task === undefined || rowsEnd === 0) return undefined;
      const count = (rowsEnd - task.rows) / (4 * row.words);
      const { buffer } = memory;
      const rows = new Uint32Array(buffer, task.rows, count * row.words);
      const number = (place: number, field: number): number => rows[place * row.words + field]!;
      if (starts !== undefined && !beginsAt(starts, task)) return undefined;

      const tape = { start: task.tape, end: endOfTape(memory) };
      const texts = { start: task.texts, end: endOfTexts(memory) };
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
      for (let place = 0; place < count; place++) learn(place, task);
      const text = (place: number, field: number): string =>
        Buffer.from(buffer, number(place, field), number(place, field + 1)).toString('latin1');
      return {
        values,
        output: new Uint8Array(buffer, task.out, count === 0 ? 0 : number(count - 1, row.end) - task.out),
        rows,
        start: task.out,
        name: (place) => text(place, row.name),
        id: (place) => text(place, row.id),
        remarks: (place) => maker.remarks(number(place, row.stencil)),
      };

      /** What is new of an element helps those behind it. */
      function learn(place: number, { to, scratch, givenAt }: BatchTask): void {
        const tapeAt = number(place, row.tape);
        const stencil = number(place, row.stencil);
        const isLast = place + 1 === count;
        const given = givenAt(place);
        if (number(place, row.status) === status.unknown && isSeen(number(place, row.hash))) {
          const end = isLast ? tape.end : number(place + 1, row.tape);
          maker.make({ start: tapeAt, end }, scratch, copy, given);
        }
        if (number(place, row.status) !== status.written || number(place, row.outlined) === 1) return;
        if (!outlines.wants(stencil)) return;
        const start = number(place, row.start);
        const end = isLast ? to : number(place + 1, row.start);
        const element = Buffer.from(buffer, start, end - start);
        outlines.make(element.subarray(0, element.lastIndexOf('}') + 1), stencil, scratch, given);
      }

      /** Whether there is one object at each of these places, and nothing else. */
      function beginsAt(all: readonly number[], { from }: BatchTask): boolean {
        return (
          all.length === count &&
          all.every((start, place) => number(place, row.start) === from + start && bytes[start] === 0x7b)
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
