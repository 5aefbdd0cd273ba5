/** Values in a row in, of which neighbours are mostly the same; each run of equal ones once out. */

export interface RunLengths<Value> {
  readonly values: readonly Value[];
  /** Behind the last place of each run. */
  readonly ends: readonly number[];
}

/** A structured clone has its fields, but cannot be added to. */
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

/** Undefined behind the last place. */
export function valueAt<Value>({ values, ends }: RunLengths<Value>, place: number): Value | undefined {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! <= place) low = middle + 1;
    else high = middle;
  }
  return values[low];
}
