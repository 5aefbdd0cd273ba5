/** Rows of named numbers in 4 bytes each, and rows of named flags in one bit each. What was not set is 0, or lowered. */
import { growingWords, growTo } from './growing-words.ts';

export class ColumnTable<Name extends string> {
  readonly #names: readonly Name[];
  #numbers = growingWords();

  constructor(names: readonly Name[]) {
    this.#names = names;
  }

  get(row: number, name: Name): number {
    return this.#numbers[this.#placeOf(row, name)] ?? 0;
  }

  set(row: number, name: Name, number: number): void {
    const place = this.#placeOf(row, name);
    this.#numbers = growTo(this.#numbers, place + 1);
    this.#numbers[place] = number;
  }

  #placeOf(row: number, name: Name): number {
    return row * this.#names.length + this.#names.indexOf(name);
  }
}

/** At most 32 names. */
export class FlagTable<Name extends string> {
  readonly #names: readonly Name[];
  readonly #bits = new ColumnTable(['bits']);

  constructor(names: readonly Name[]) {
    this.#names = names;
  }

  has(row: number, name: Name): boolean {
    return (this.#bits.get(row, 'bits') & this.#bitOf(name)) !== 0;
  }

  /** A name that the table does not have is never raised. */
  set(row: number, name: Name, isRaised: boolean): void {
    const others = this.#bits.get(row, 'bits') & ~this.#bitOf(name);
    this.#bits.set(row, 'bits', isRaised ? others | this.#bitOf(name) : others);
  }

  #bitOf(name: Name): number {
    const at = this.#names.indexOf(name);
    return at === -1 ? 0 : 1 << at;
  }
}
