/** The running number of a record in, its input and place out: how a duplicate names the first of its kind. */

export interface PlaceOf {
  readonly input: string;
  readonly index: number;
}

export interface RecordNumbers {
  /** The running number of the next record. */
  readonly next: number;
  /** Notes that the next `count` records are of `input`; returns the index of the first of them there. */
  advance(input: string, count: number): number;
  find(ordinal: number): PlaceOf;
}

/** Holds one entry an input, never one a record. Records of an input come in one run. */
export function createRecordNumbers(): RecordNumbers {
  const inputs: { input: string; start: number; count: number }[] = [];
  let next = 0;
  return {
    get next() {
      return next;
    },
    advance(input, count) {
      let current = inputs.at(-1);
      if (current?.input !== input) {
        current = { input, start: next, count: 0 };
        inputs.push(current);
      }
      const index = current.count;
      current.count += count;
      next += count;
      return index;
    },
    find(ordinal) {
      let low = 0;
      let high = inputs.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((inputs[middle]?.start ?? 0) <= ordinal) low = middle;
        else high = middle - 1;
      }
      const found = inputs[low];
      if (found === undefined) throw new RangeError(`no record has the number ${ordinal}`);
      return { input: found.input, index: ordinal - found.start };
    },
  };
}
