/** The ids that the service gave, by the number of the person: 8 bytes each, for the service's ids are numbers. */

const numeric = /^[1-9]\d{0,18}$/;

export class NewIds {
  readonly #numbers: BigUint64Array;
  /** Ids that are not numbers; a target that gives such is another make, and small. */
  readonly #others = new Map<number, string>();

  constructor(people: number) {
    this.#numbers = new BigUint64Array(people);
  }

  set(person: number, id: string): void {
    if (numeric.test(id)) this.#numbers[person] = BigInt(id);
    else this.#others.set(person, id);
  }

  /** Undefined for whom the service gave none. */
  get(person: number): string | undefined {
    const number = this.#numbers[person] ?? 0n;
    return number === 0n ? this.#others.get(person) : String(number);
  }
}
