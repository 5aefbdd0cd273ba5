/** A list in order, with holes that nobody sees. */
import { array, assert, constantFrom, integer, oneof, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRoster } from '../../../src/server/store/roster.ts';

interface Row {
  readonly order: number;
  readonly name: string;
}
const row = (order: number, name = `n${order}`): Row => ({ order, name });

describe('a roster', () => {
  it('pages from either end', () => {
    const roster = createRoster<Row>();
    for (let order = 1; order <= 5; order++) roster.put(row(order));
    expect(roster.page(1, 2, false).map((each) => each.order)).toEqual([2, 3]);
    expect(roster.page(1, 2, true).map((each) => each.order)).toEqual([4, 3]);
    expect(roster.page(4, 9, true).map((each) => each.order)).toEqual([1]);
    expect(roster.page(9, 9, true)).toEqual([]);
    expect(roster.page(0, Infinity, false)).toHaveLength(5);
  });

  it('does what a sorted list does, whatever comes and goes', () => {
    const order = integer({ min: 1, max: 30 });
    const step = oneof(
      record({ what: constantFrom('put' as const), order, name: constantFrom('a', 'b') }),
      record({ what: constantFrom('remove' as const), order, name: constantFrom('') }),
    );
    assert(
      property(array(step, { maxLength: 80 }), (steps) => {
        const roster = createRoster<Row>();
        const model = new Map<number, Row>();
        for (const [place, { what, order, name }] of steps.entries()) {
          if (what === 'put') {
            roster.put(row(order, name));
            model.set(order, row(order, name));
          } else if (what === 'remove') {
            roster.remove(row(order));
            model.delete(order);
          }
          const expected = [...model.values()].sort((a, b) => a.order - b.order);
          expect(roster.size).toBe(expected.length);
          expect([...roster.values()]).toEqual(expected);
          expect([...roster.values(true)]).toEqual(expected.toReversed());
          const newest = expected.toReversed().slice(2, 2 + order);
          // Asking for a page closes the holes: not every time, so that there are some.
          expect(place % 5 === 0 ? roster.page(2, order, true) : newest).toEqual(newest);
        }
        expect(roster.page(0, Infinity, false)).toEqual([...roster.values()]);
      }),
      { numRuns: 200 },
    );
  });
});
