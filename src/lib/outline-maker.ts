/**
 * Elements that a stencil has written by their tape in; their outlines, by which others like them need no tape, out.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Picker } from './json-pick.ts';
import { outlineOf } from './outline-steps.ts';
import { type OutlineCopy, OutlineStore } from './outline-store.ts';
import { fillSteps, givenStep } from './outline-trial.ts';
import { type Layout, outlineBytes, status } from './stencil-layout.ts';
import { holesOf, scratchBytes, tryBytes } from './stencil-trial.ts';
import type { Run } from './stencil-wasm.ts';
import { reserve } from './wasm-engine.ts';

/** Stencils of more outlines, as those with long lists that nobody wants, are not worth so much work. */
const mostTries = 16;

export class OutlineMaker {
  readonly #picker: Picker;
  readonly #layout: Layout;
  readonly #run: Run;
  readonly #store: OutlineStore;
  /** How often it was tried for each stencil. */
  readonly #tries = new Map<number, number>();

  /** The last of the memory that the picker has reserved is for outlines. */
  constructor(picker: Picker, layout: Layout, run: Run) {
    this.#picker = picker;
    this.#layout = layout;
    this.#run = run;
    const { memory, base } = picker;
    this.#store = new OutlineStore(memory, layout.firstNode, base - outlineBytes, base);
  }

  /** As if there never had been any. */
  forget(): void {
    this.#store.forget();
    this.#tries.clear();
  }

  get made(): OutlineCopy {
    return this.#store.copy();
  }

  /** As if they had been made here: by a maker for the same keys, of whose stencils they are. */
  adopt(made: OutlineCopy): void {
    this.#store.adopt(made);
  }

  /** Whether elements of this stencil may be worth another one. */
  wants(stencil: number): boolean {
    return (this.#tries.get(stencil) ?? 0) < mostTries;
  }

  /**
   * `room` is the address of `scratchBytes` that nobody needs, `givenAt` that of what is given with
   * the element, or zero.
   */
  make(element: Uint8Array, stencil: number, room: number, givenAt: number): void {
    const { memory, wanted } = this.#picker;
    reserve(memory, room + scratchBytes);
    const bytes = Buffer.from(element);
    const tried = tryBytes(memory, this.#run, bytes, { givenAt, outlines: true }, room);
    if (tried?.stencil !== stencil || tried.isOutlined) return;
    this.#tries.set(stencil, (this.#tries.get(stencil) ?? 0) + 1);
    const secrets = holesOf(memory, this.#layout, room)
      .filter(({ kind }) => kind === 'secret')
      .map(({ place, length }) => Buffer.from(memory.buffer, place, length).toString('latin1'));
    const steps = outlineOf(bytes, wanted, secrets);
    if (steps === undefined) return;
    const end = this.#store.add(givenAt === 0 ? steps : [givenStep(memory, givenAt), ...steps]);
    if (end === undefined) return;
    this.#store.settle(end, stencil);
    if (!this.#isProven(fillSteps(steps), stencil, room, givenAt)) this.#store.settle(end, 0);
  }

  /** Whether an element with other texts comes out the same by its outline as by its tape. */
  #isProven(bytes: Uint8Array, stencil: number, room: number, givenAt: number): boolean {
    const [quick, slow] = [true, false].map((outlines) =>
      tryBytes(this.#picker.memory, this.#run, bytes, { givenAt, outlines }, room),
    );
    if (quick?.isOutlined !== true || slow?.status !== status.written) return false;
    return (
      quick.stencil === stencil &&
      isDeepStrictEqual({ ...quick, hash: slow.hash }, { ...slow, isOutlined: true })
    );
  }
}
