/** A list of numbers from 0 to 2^32 - 1 in 4 bytes each. */
import { growingWords, growTo } from './growing-words.ts';

export class NumberList {
  length = 0;
  #numbers = growingWords();

  /** Returns the index of the first added number. */
  push(...numbers: readonly number[]): number {
    const first = this.length;
    this.length += numbers.length;
    this.#numbers = growTo(this.#numbers, this.length);
    for (let at = 0; at < numbers.length; at++) this.#numbers[first + at] = numbers[at]!;
    return first;
  }

  /** Undefined after the last one. */
  get(index: number): number | undefined {
    return index < this.length ? this.#numbers[index] : undefined;
  }
}
