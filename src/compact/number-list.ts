/** A list of numbers from 0 to 2^32 - 1 in 4 bytes each, which grows without copies. */
import { createGrowableMemory } from './growable-memory.ts';

const bytes = 4;
const minimumLength = 1024;

export class NumberList {
  length = 0;
  readonly #memory = createGrowableMemory();
  #numbers = new Uint32Array(0);

  /** Returns the index of the first added number. */
  push(...numbers: readonly number[]): number {
    const first = this.length;
    this.length += numbers.length;
    if (this.length > this.#numbers.length) this.#grow();
    for (const [at, number] of numbers.entries()) this.#numbers[first + at] = number;
    return first;
  }

  /** Undefined after the last one. */
  get(index: number): number | undefined {
    return index < this.length ? this.#numbers[index] : undefined;
  }

  #grow(): void {
    const room = Math.max(minimumLength, Math.ceil(this.length * 1.25));
    this.#memory.grow(room * bytes);
    this.#numbers = new Uint32Array(this.#memory.buffer, 0, room);
  }
}
