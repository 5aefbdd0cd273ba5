/**
 * Maps numbers from 0 to values of which many are equal: four bytes for each number up to the highest, and each value
 * once, where a Map takes more than sixty bytes an entry.
 */
import { growingWords, growTo } from './growing-words.ts';

export class DictionaryColumn<Value> {
  readonly #keyOf: (value: Value) => string;
  readonly #values: Value[] = [];
  readonly #codes = new Map<string, number>();
  /** By number: the code of its value, which is its index in `#values` plus 1; 0 for no value. */
  #column = growingWords();

  /** Values with the same key are stored once. */
  constructor(keyOf: (value: Value) => string) {
    this.#keyOf = keyOf;
  }

  get(number: number): Value | undefined {
    return this.#values[(this.#column[number] ?? 0) - 1];
  }

  has(number: number): boolean {
    return (this.#column[number] ?? 0) > 0;
  }

  set(number: number, value: Value): void {
    this.#column = growTo(this.#column, number + 1);
    const key = this.#keyOf(value);
    let code = this.#codes.get(key);
    if (code === undefined) {
      code = this.#values.push(value);
      this.#codes.set(key, code);
    }
    this.#column[number] = code;
  }

  delete(number: number): void {
    if (this.has(number)) this.#column[number] = 0;
  }

  /** By ascending number. */
  *[Symbol.iterator](): Generator<[number, Value]> {
    for (const [number, code] of this.#column.entries())
      if (code > 0) yield [number, this.#values[code - 1]!];
  }
}
