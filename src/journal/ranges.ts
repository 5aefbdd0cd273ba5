/** Rising numbers in, the runs among them out, and the way back: `[0,1,2,7]` is written `[[0,2],[7,7]]`. */

/** First and last number of a run. */
export type Range = readonly [from: number, to: number];

/** As JSON. `numbers` must rise. */
export function formatRanges(numbers: readonly number[]): string {
  // The journal of people one by one has nothing else.
  if (numbers.length === 1) return `[[${numbers[0]},${numbers[0]}]]`;
  let text = '';
  for (let at = 0; at < numbers.length; at++) {
    const from = at;
    while (numbers[at + 1] === numbers[at]! + 1) at += 1;
    text += `${text === '' ? '' : ','}[${numbers[from]},${numbers[at]}]`;
  }
  return `[${text}]`;
}

export function* fromRanges(ranges: Iterable<Range>): Generator<number> {
  for (const [from, to] of ranges) for (let number = from; number <= to; number++) yield number;
}
