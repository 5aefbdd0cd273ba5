/**
 * Columns of millions of numbers, flags, ids and repeated values, in few bytes each. Their words mostly grow in place, because
 * copies would be garbage. They use memory only for what they hold, and reserve address space for more.
 */

const bytesOf = (words: number) => words * Uint32Array.BYTES_PER_ELEMENT;

const reserve = (words: number) => new Uint32Array(new ArrayBuffer(0, { maxByteLength: bytesOf(words) }));

const leastReserved = 64 * 1024 * 1024;
/** Smallest number of words to add. */
const step = 1024;

export const growingWords = () => reserve(leastReserved);

/**
 * Returns an array of at least `length` words. New words are zero. It adds a sixteenth more, so that growing step by step costs
 * little. Mostly, the result is the same array.
 */
export function growTo(words: Uint32Array<ArrayBuffer>, length: number) {
  if (length <= words.length) return words;
  const size = Math.max(length, words.length + step, Math.ceil((17 / 16) * words.length));
  const fits = bytesOf(size) <= words.buffer.maxByteLength;
  const grown = fits ? words : reserve(4 * size);
  grown.buffer.resize(bytesOf(size));
  if (!fits) grown.set(words);
  return grown;
}

/** A list of numbers from 0 to 2^32 - 1 in 4 bytes each. */
export class NumberList {
  length = 0;
  #numbers = growingWords();

  /** Returns the index of the first added number. */
  push(...numbers: readonly number[]) {
    const first = this.length;
    this.length += numbers.length;
    this.#numbers = growTo(this.#numbers, this.length);
    for (let at = 0; at < numbers.length; at++) this.#numbers[first + at] = numbers[at]!;
    return first;
  }

  /** Returns undefined after the last number. */
  get(index: number) {
    return index < this.length ? this.#numbers[index] : undefined;
  }
}

/** Rows of named numbers in 4 bytes each. Numbers that were not set are 0. */
export class ColumnTable<Name extends string> {
  readonly #names: readonly Name[];
  #numbers = growingWords();

  constructor(names: readonly Name[]) {
    this.#names = names;
  }

  get(row: number, name: Name) {
    return this.#numbers[this.#placeOf(row, name)] ?? 0;
  }

  set(row: number, name: Name, number: number) {
    const place = this.#placeOf(row, name);
    this.#numbers = growTo(this.#numbers, place + 1);
    this.#numbers[place] = number;
  }

  #placeOf(row: number, name: Name) {
    return row * this.#names.length + this.#names.indexOf(name);
  }
}

/** Rows of at most 32 named flags in one bit each. Flags that were not set are false. */
export class FlagTable<Name extends string> {
  readonly #names: readonly Name[];
  readonly #bits = new ColumnTable(['bits']);

  constructor(names: readonly Name[]) {
    this.#names = names;
  }

  has(row: number, name: Name) {
    return (this.#bits.get(row, 'bits') & this.#bitOf(name)) !== 0;
  }

  /** A name that is not in the table is never set. */
  set(row: number, name: Name, isRaised: boolean) {
    const others = this.#bits.get(row, 'bits') & ~this.#bitOf(name);
    this.#bits.set(row, 'bits', isRaised ? others | this.#bitOf(name) : others);
  }

  #bitOf(name: Name) {
    const at = this.#names.indexOf(name);
    return at === -1 ? 0 : 1 << at;
  }
}

/** Numbers that always fit into 64 bits and are printed exactly as they were written. */
const decimal = /^[1-9]\d{0,18}$/;

/** Maps entry numbers to ids. An entry takes 8 bytes if its id is a decimal number, as the service's ids are. */
export class IdColumn {
  /** Two words of the number by entry, or 0. */
  #words = growingWords();
  readonly #others = new Map<number, string>();

  set(entry: number, text: string) {
    const number = decimal.test(text) ? BigInt(text) : 0n;
    if (number > 0n) {
      this.#words = growTo(this.#words, 2 * entry + 2);
      this.#others.delete(entry);
    } else this.#others.set(entry, text);
    // Nothing is written if there is neither a number nor room for one.
    this.#numbers()[entry] = number;
  }

  /** Returns undefined for an entry without an id. */
  get(entry: number) {
    const number = this.#numbers()[entry] ?? 0n;
    return number === 0n ? this.#others.get(entry) : String(number);
  }

  #numbers() {
    return new BigUint64Array(this.#words.buffer, 0, this.#words.length >>> 1);
  }
}

/**
 * Maps numbers from 0 to values, many of which are equal. Takes four bytes for each number up to the highest, and stores each
 * value once. A Map takes more than sixty bytes per entry.
 */
export class DictionaryColumn<Value> {
  readonly #keyOf: (value: Value) => string;
  readonly #values: Value[] = [];
  readonly #codes = new Map<string, number>();
  /** Code of the value by number: its index in `#values` plus 1, or 0 for no value. */
  #column = growingWords();

  /** Values with the same key are stored once. */
  constructor(keyOf: (value: Value) => string = String) {
    this.#keyOf = keyOf;
  }

  get(number: number) {
    return this.#values[(this.#column[number] ?? 0) - 1];
  }

  has(number: number) {
    return (this.#column[number] ?? 0) > 0;
  }

  set(number: number, value: Value) {
    this.#column = growTo(this.#column, number + 1);
    const key = this.#keyOf(value);
    let code = this.#codes.get(key);
    if (code === undefined) {
      code = this.#values.push(value);
      this.#codes.set(key, code);
    }
    this.#column[number] = code;
  }

  delete(number: number) {
    if (this.has(number)) this.#column[number] = 0;
  }

  /** Yields the entries by ascending number. */
  *[Symbol.iterator](): Generator<[number, Value]> {
    for (const [number, code] of this.#column.entries())
      if (code > 0) yield [number, this.#values[code - 1]!];
  }
}
