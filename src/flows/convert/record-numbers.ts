/** Numbers the records of a run, and finds the input and the index of a number for the message about a duplicate. */

/** Keeps one entry for each input. All records of an input are numbered before those of the next. */
export class RecordNumbers {
  /** The running number of the next record. */
  next = 0;
  readonly #inputs: { readonly input: string; readonly start: number }[] = [];

  /** Numbers the next `count` records, of `input`; returns the index of the first of them in that input. */
  advance(input: string, count: number): number {
    if (this.#inputs.at(-1)?.input !== input) this.#inputs.push({ input, start: this.next });
    const index = this.next - this.#inputs.at(-1)!.start;
    this.next += count;
    return index;
  }

  find(ordinal: number): { readonly input: string; readonly index: number } {
    const found = this.#inputs.findLast(({ start }) => start <= ordinal);
    if (found === undefined) throw new RangeError(`no record has the number ${ordinal}`);
    return { input: found.input, index: ordinal - found.start };
  }
}
