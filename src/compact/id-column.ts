/** Maps entry numbers to ids: 8 bytes an entry where the id is a decimal number, as the service's ids are. */

const chunkBits = 12;
const chunkSize = 1 << chunkBits;
/** Numbers that always fit into 64 bits and are printed again as they were written. */
const decimal = /^[1-9]\d{0,18}$/;

export class IdColumn {
  readonly #chunks = new Map<number, BigUint64Array>();
  readonly #others = new Map<number, string>();

  set(entry: number, text: string): void {
    const isNumber = decimal.test(text);
    if (isNumber || this.#chunks.has(entry >>> chunkBits)) {
      this.#chunk(entry)[entry & (chunkSize - 1)] = isNumber ? BigInt(text) : 0n;
    }
    if (isNumber) this.#others.delete(entry);
    else this.#others.set(entry, text);
  }

  /** Undefined for an entry without an id. */
  get(entry: number): string | undefined {
    const number = this.#chunks.get(entry >>> chunkBits)?.[entry & (chunkSize - 1)] ?? 0n;
    return number === 0n ? this.#others.get(entry) : String(number);
  }

  #chunk(entry: number): BigUint64Array {
    const known = this.#chunks.get(entry >>> chunkBits);
    if (known !== undefined) return known;
    const made = new BigUint64Array(chunkSize);
    this.#chunks.set(entry >>> chunkBits, made);
    return made;
  }
}
