/** Maps entry numbers to ids: 8 bytes an entry where the id is a decimal number, as the service's ids are. */
import { growingWords, growTo } from './growing-words.ts';

/** Numbers that always fit into 64 bits and are printed again as they were written. */
const decimal = /^[1-9]\d{0,18}$/;

export class IdColumn {
  /** By entry: two words of the number, or 0. */
  #words = growingWords();
  readonly #others = new Map<number, string>();

  set(entry: number, text: string): void {
    const number = decimal.test(text) ? BigInt(text) : 0n;
    if (number > 0n) {
      this.#words = growTo(this.#words, 2 * entry + 2);
      this.#others.delete(entry);
    } else this.#others.set(entry, text);
    // Nothing is written where there is no number, and no room for one.
    this.#numbers()[entry] = number;
  }

  /** Undefined for an entry without an id. */
  get(entry: number): string | undefined {
    const number = this.#numbers()[entry] ?? 0n;
    return number === 0n ? this.#others.get(entry) : String(number);
  }

  #numbers() {
    return new BigUint64Array(this.#words.buffer, 0, this.#words.length >>> 1);
  }
}
