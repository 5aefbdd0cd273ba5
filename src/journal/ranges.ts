/** Rising numbers in, the runs among them out, and the way back: `[0,1,2,7]` is written `[[0,2],[7,7]]`. */

/** First and last number of a run. */
export type Range = readonly [from: number, to: number];

/** `numbers` must rise. */
export function toRanges(numbers: Iterable<number>): Range[] {
  const ranges: [number, number][] = [];
  let last: [number, number] | undefined;
  for (const number of numbers) {
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else ranges.push((last = [number, number]));
  }
  return ranges;
}

export function* fromRanges(ranges: Iterable<Range>): Generator<number> {
  for (const [from, to] of ranges) for (let number = from; number <= to; number++) yield number;
}
