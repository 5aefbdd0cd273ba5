/** Numbers the records of a run, and finds the input and the index of a number for the message about a duplicate. */

export interface RecordPosition {
  readonly input: string;
  readonly index: number;
}

export interface RecordNumbers {
  /** The running number of the next record. */
  readonly next: number;
  /** Numbers the next `count` records, of `input`; returns the index of the first of them in that input. */
  advance(input: string, count: number): number;
  find(ordinal: number): RecordPosition;
}

/** Keeps one entry for each input. All records of an input are numbered before those of the next. */
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
      const found = inputs.findLast(({ start }) => start <= ordinal);
      if (found === undefined) throw new RangeError(`no record has the number ${ordinal}`);
      return { input: found.input, index: ordinal - found.start };
    },
  };
}
