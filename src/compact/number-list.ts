/** Numbers from 0 to 2^32 - 1 in, in an order; the one at each place out: 4 bytes each. */
import { createGrowableMemory } from './growable-memory.ts';

const bytes = 4;
const smallest = 1024;

export class NumberList {
  length = 0;
  readonly #memory = createGrowableMemory();
  #numbers = new Uint32Array(0);

  /** Returns the place of the first of them. */
  push(...numbers: readonly number[]): number {
    const place = this.length;
    this.length += numbers.length;
    if (this.length > this.#numbers.length) this.#grow();
    for (const [at, number] of numbers.entries()) this.#numbers[place + at] = number;
    return place;
  }

  /** Undefined behind the last one. */
  get(place: number): number | undefined {
    return place < this.length ? this.#numbers[place] : undefined;
  }

  #grow(): void {
    const room = Math.max(smallest, Math.ceil(this.length * 1.25));
    this.#memory.grow(room * bytes);
    this.#numbers = new Uint32Array(this.#memory.buffer, 0, room);
  }
}
