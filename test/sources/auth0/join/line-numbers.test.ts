import { array, assert, constantFrom, integer, property } from 'fast-check';
import { expect, it } from 'vitest';
import { LineNumbers } from '../../../../src/sources/auth0/join/line-numbers.ts';

it('numbers over several files come back as ascending ranges of each', () => {
  assert(
    property(
      array(integer({ min: 1, max: 60 }), { maxLength: 80 }),
      constantFrom([0], [0, 20, 20, 45]),
      (numbers, starts) => {
        const list = new LineNumbers();
        for (const number of numbers) list.push(number);
        const files = starts.map((before, at) => ({ input: `file ${at}`, before }));
        const found = list.placesIn(files).flatMap(({ input, ranges }) => {
          const { before } = files.find((file) => file.input === input)!;
          return ranges.flatMap(([first, last]) =>
            Array.from({ length: last - first + 1 }, (_, i) => before + first + i),
          );
        });
        expect(found).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
      },
    ),
  );
});

it('neighbours are one range, and a file begins with line 1', () => {
  const list = new LineNumbers();
  for (const number of [5, 3, 4, 9, 4, 11, 12]) list.push(number);
  expect(
    list.placesIn([
      { input: 'a', before: 0 },
      { input: 'b', before: 10 },
    ]),
  ).toEqual([
    {
      input: 'a',
      ranges: [
        [3, 5],
        [9, 9],
      ],
    },
    { input: 'b', ranges: [[1, 2]] },
  ]);
});
