/**
 * Numbers from 0 in, a value for some of them out, of which many are the same: four bytes a number up to the highest,
 * and each value once, where a Map takes more than sixty for each.
 */
export class DictionaryColumn<Value> {
  readonly #keyOf: (value: Value) => string;
  readonly #values: Value[] = [];
  readonly #places = new Map<string, number>();
  /** The place of the value among the values, from 1; 0 where there is none. */
  #chosen = new Uint32Array(0);

  /** Values with the same key are the same. */
  constructor(keyOf: (value: Value) => string) {
    this.#keyOf = keyOf;
  }

  get(number: number): Value | undefined {
    return this.#values[(this.#chosen[number] ?? 0) - 1];
  }

  has(number: number): boolean {
    return (this.#chosen[number] ?? 0) > 0;
  }

  set(number: number, value: Value): void {
    this.#makeRoom(number);
    const key = this.#keyOf(value);
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.#values.push(value);
      this.#places.set(key, place);
    }
    this.#chosen[number] = place;
  }

  delete(number: number): void {
    if (this.has(number)) this.#chosen[number] = 0;
  }

  /** Rising. */
  *[Symbol.iterator](): Generator<[number, Value]> {
    for (const [number, place] of this.#chosen.entries())
      if (place > 0) yield [number, this.#values[place - 1]!];
  }

  #makeRoom(number: number): void {
    if (number < this.#chosen.length) return;
    const wider = new Uint32Array(Math.max(number + 1, 2 * this.#chosen.length));
    wider.set(this.#chosen);
    this.#chosen = wider;
  }
}
