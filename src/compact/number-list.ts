/** A list of numbers from 0 to 2^32 - 1 in 4 bytes each. */
import { widen } from './widen.ts';

export class NumberList {
  length = 0;
  #numbers = new Uint32Array(0);

  /** Returns the index of the first added number. */
  push(...numbers: readonly number[]): number {
    const first = this.length;
    this.length += numbers.length;
    if (this.length > this.#numbers.length) this.#numbers = widen(this.#numbers, this.length);
    for (let at = 0; at < numbers.length; at++) this.#numbers[first + at] = numbers[at]!;
    return first;
  }

  /** Undefined after the last one. */
  get(index: number): number | undefined {
    return index < this.length ? this.#numbers[index] : undefined;
  }
}
