/** A list in which neighbours are mostly equal: each run of equal values is stored once. */

export interface RunLengths<Value> {
  readonly values: readonly Value[];
  /** For each run the index after its last value. */
  readonly ends: readonly number[];
}

/** A structured clone of it is a `RunLengths`, which cannot grow any more. */
export class RunLengthList<Value> implements RunLengths<Value> {
  readonly values: Value[] = [];
  readonly ends: number[] = [];

  push(value: Value): void {
    const last = this.values.length - 1;
    const end = this.ends[last] ?? 0;
    if (last >= 0 && this.values[last] === value) {
      this.ends[last] = end + 1;
      return;
    }
    this.values.push(value);
    this.ends.push(end + 1);
  }
}

/** Undefined after the last value. */
export function valueAt<Value>({ values, ends }: RunLengths<Value>, index: number): Value | undefined {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! <= index) low = middle + 1;
    else high = middle;
  }
  return values[low];
}
