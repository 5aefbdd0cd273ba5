/** An element that no stencil fits, and the slow way to write it, in; a stencil, or the resolve never to have one, out. */
import { isDeepStrictEqual } from 'node:util';
import { hashText } from './hash-text.ts';
import type { Picker } from './json-pick.ts';
import { type Span, TapeReader } from './json-tape.ts';
import { type Filled, prepareFill } from './stencil-fill.ts';
import { findItems } from './stencil-items.ts';
import { type Layout, leasts, noHole, outlineBytes, status } from './stencil-layout.ts';
import { type Oddities, sampleTexts } from './stencil-samples.ts';
import { type StencilCopy, StencilStore } from './stencil-store.ts';
import { type Element, type Hole, holesOf, scratch, scratchBytes, tryElement } from './stencil-trial.ts';
import type { Run } from './stencil-wasm.ts';
import { reserve } from './wasm-engine.ts';

/** What the slow way makes of a value. */
export interface Copy {
  /** JSON as UTF-8. */
  readonly bytes: Uint8Array;
  /** A number that grows by one with each byte of a text, and with nothing else. */
  readonly size: number;
  /** A number that is the same whatever the texts are. */
  readonly facts: number;
  readonly name: string;
  readonly id: string;
  /** Whatever else is to be said, the same whatever the texts are. */
  readonly remarks: unknown;
}

/** Undefined for what must not be written by a stencil. `given` is what comes with the element, if anything does. */
export type Copyist = (value: unknown, given: string) => Copy | undefined;

/** What has been made so far. */
export interface Made {
  readonly stencils: StencilCopy;
  readonly remarks: ReadonlyMap<number, unknown>;
}

/** A stencil that is being made. */
interface Attempt {
  readonly element: Element;
  readonly room: number;
  readonly holes: readonly Hole[];
  readonly address: number;
  readonly copy: Copyist;
}

export class StencilMaker {
  readonly #picker: Picker;
  readonly #layout: Layout;
  readonly #run: Run;
  readonly #oddities: Oddities;
  readonly #seed: number;
  readonly #store: StencilStore;
  readonly #remarks = new Map<number, unknown>();

  constructor(picker: Picker, layout: Layout, run: Run, oddities: Oddities, seed: number) {
    this.#picker = picker;
    this.#layout = layout;
    this.#run = run;
    this.#oddities = oddities;
    this.#seed = seed;
    this.#store = new StencilStore(picker.memory, layout, picker.base - outlineBytes);
  }

  remarks(address: number): unknown {
    return this.#remarks.get(address);
  }

  /** As if there never had been any. */
  forget(): void {
    this.#store.forget();
    this.#remarks.clear();
  }

  get made(): Made {
    return { stencils: this.#store.copy(), remarks: this.#remarks };
  }

  /** As if it had been made here: by a maker for the same keys. */
  adopt({ stencils, remarks }: Made): void {
    this.#store.adopt(stencils);
    for (const [address, said] of remarks) this.#remarks.set(address, said);
  }

  /**
   * `tape` is that of the element alone, `room` the address of `scratchBytes` that nobody needs, `givenAt` that of what
   * is given with the element, or zero.
   */
  make(tape: Span, room: number, copy: Copyist, givenAt = 0): void {
    const { memory } = this.#picker;
    reserve(memory, room + scratchBytes);
    if (tape.end - tape.start > scratch.texts - scratch.tape) return;
    const element = { ...tape, givenAt };
    const tried = this.#try(element, room);
    if (tried.status !== status.unknown) return;
    const holes = holesOf(memory, this.#layout, room);
    const address = this.#store.add({ hash: tried.hash, length: tried.size });
    if (address === undefined) return;
    for (const least of leasts) {
      this.#store.restrict(address, least);
      const remarks = this.#prove({ element, room, holes, address, copy }, least);
      if (remarks === undefined) continue;
      this.#remarks.set(address, remarks.said);
      return;
    }
    this.#store.giveUp(address);
  }

  /** Fills the stencil and holds it against the slow way; undefined for any difference. */
  #prove(
    { element, room, holes, address, copy }: Attempt,
    least: number,
  ): { readonly said: unknown } | undefined {
    let said: { readonly said: unknown } | undefined;
    const fill = prepareFill(this.#picker.memory, element, room, holes);
    for (const texts of sampleTexts(holes, this.#oddities, least)) {
      const filled = fill(texts);
      const made = filled && this.#copy(filled, copy);
      if (filled === undefined || made === undefined) return undefined;
      if (said === undefined) {
        if (!this.#complete(address, made, holes, texts)) return undefined;
        said = { said: made.remarks };
      }
      if (!isDeepStrictEqual(made.remarks, said.said) || !this.#isEqual(filled, room, made)) return undefined;
    }
    return said;
  }

  #copy(tape: Filled, copy: Copyist): Copy | undefined {
    const reader = new TapeReader(this.#picker.memory.buffer, tape, tape.texts, this.#picker.tables);
    try {
      return copy(reader.valueAt(tape.start), tape.given);
    } catch {
      // Nobody asked for this text: what it breaks is not to be told.
      return undefined;
    }
  }

  #isEqual(tape: Element, room: number, made: Copy): boolean {
    const tried = this.#try(tape, room);
    if (tried.status !== status.written) return false;
    const keys = new Uint32Array(4);
    hashText(made.name.toLowerCase(), this.#seed, keys, 0);
    hashText(made.id, this.#seed, keys, 2);
    return (
      tried.size === made.size &&
      tried.facts === made.facts &&
      tried.name === made.name &&
      tried.id === made.id &&
      Buffer.compare(tried.bytes, made.bytes) === 0 &&
      isDeepStrictEqual(tried.keys, keys)
    );
  }

  #try(element: Element, room: number): ReturnType<typeof tryElement> {
    return tryElement(this.#picker.memory, this.#run, element, room);
  }

  /** Writes down what stands between the holes, and how the holes are written. */
  #complete(address: number, made: Copy, holes: readonly Hole[], texts: readonly string[]): boolean {
    const items = findItems(made.bytes, holes, texts);
    const nameHole = texts.indexOf(made.name);
    const idHole = texts.indexOf(made.id);
    if (items === undefined || nameHole === -1 || idHole === -1) return false;
    const filled = items.reduce(
      (sum, { hole }) => (hole === noHole ? sum : sum + Buffer.byteLength(texts[hole]!)),
      0,
    );
    const size = made.size - filled;
    return this.#store.complete(address, items, { size, facts: made.facts, nameHole, idHole });
  }
}
