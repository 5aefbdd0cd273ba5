/**
 * Lines of JSON in; where the texts of wanted fields stand in those of a known outline out, without looking at their
 * grammar: it is that of an earlier line, which somebody has read.
 */
import { line, startLineProgram } from './line-outlines-wasm.ts';
import { outlineOf } from './outline-steps.ts';
import { OutlineStore } from './outline-store.ts';
import { reserve } from './wasm-engine.ts';

/** Longer batches (one huge line) are read by their grammar, for the sake of memory. */
const longest = 1024 * 1024;
const storeBytes = 64 * 1024;
/** The address of the first step, before the store. */
const root = 0;
const storeStart = 16;
/** So many spaces stand behind the lines, because they are read in larger steps. */
const padding = 64;
/** Three bytes are the least of a text in a list, and make two words. */
const bytesPerByte = 8;
/** Files whose lines have more outlines than that gain nothing by them. */
const mostTries = 256;

export class LineOutlines {
  readonly #program = startLineProgram();
  readonly #store: OutlineStore | undefined;
  /** By the number of an outline: which of its holes is the text of each field, or -1 for none. */
  readonly #fields: Int32Array[] = [new Int32Array(0)];
  #words = new Int32Array(0);
  /** Of the next line in `#words`. */
  #next = 0;
  #tries = 0;

  constructor() {
    if (this.#program === undefined) return;
    reserve(this.#program.memory, storeBytes);
    this.#store = new OutlineStore(this.#program.memory, root, storeStart, storeBytes);
  }

  /** Well-formed UTF-8, which is read in ascending order from now on. */
  load(bytes: Uint8Array): void {
    const program = this.#program;
    this.#next = 0;
    this.#words = new Int32Array(0);
    if (program === undefined || this.#fields.length === 1 || bytes.length > longest) return;
    const to = storeBytes + bytes.length;
    const out = (to + padding + 3) & ~3;
    reserve(program.memory, out + bytesPerByte * bytes.length + padding);
    const all = new Uint8Array(program.memory.buffer);
    all.set(bytes, storeBytes);
    all.fill(0x20, to, to + padding);
    const end = program.run(storeBytes, to, root, out);
    this.#words = new Int32Array(program.memory.buffer, out, (end - out) / 4);
  }

  /** The end of the line that begins at `start`, and where its fields stand; -1 where its outline is not known. */
  find(start: number, starts: Int32Array, ends: Int32Array): number {
    const words = this.#words;
    let at = this.#next;
    while (at < words.length && words[at + line.start]! < storeBytes + start) at = this.#behind(at);
    this.#next = at;
    if (at >= words.length || words[at + line.start] !== storeBytes + start) return -1;
    const fields = this.#fields[words[at + line.outline]!]!;
    for (let field = 0; field < starts.length; field++) {
      const hole = at + line.holes + 2 * fields[field + 1]!;
      starts[field] = fields[field + 1] === -1 ? -1 : words[hole]! - storeBytes;
      ends[field] = fields[field + 1] === -1 ? -1 : starts[field]! + words[hole + 1]!;
    }
    return words[at + line.end]! - storeBytes;
  }

  /** A line that somebody has read, and where its fields stand by the measure of `start`. */
  learn(bytes: Uint8Array, start: number, starts: Int32Array): void {
    if (this.#store === undefined || this.#tries >= mostTries) return;
    this.#tries++;
    const steps = outlineOf(bytes, {}, []);
    if (steps?.at(-1)?.start !== bytes.length) return;
    const texts = steps.filter(({ kind }) => kind === 'text');
    const fields = Array.from(starts, (at) => texts.findIndex((text) => text.start === at - start));
    if (fields.some((hole, field) => hole === -1 && starts[field] !== -1)) return;
    const end = this.#store.add(steps);
    if (end === undefined) return;
    this.#store.settle(end, this.#fields.length);
    this.#fields.push(Int32Array.of(texts.length, ...fields));
  }

  #behind(at: number): number {
    return at + line.holes + 2 * this.#fields[this.#words[at + line.outline]!]![0]!;
  }
}
