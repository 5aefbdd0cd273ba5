/** A list in order, with holes that no one sees. */
import { array, assert, constantFrom, integer, oneof, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createUserList } from '../../../src/server/store/user-list.ts';

interface Row {
  readonly order: number;
  readonly name: string;
}
const row = (order: number, name = `n${order}`): Row => ({ order, name });

describe('a list', () => {
  it('does what a sorted list does, whatever comes and goes', () => {
    const order = integer({ min: 1, max: 30 });
    const step = oneof(
      record({ what: constantFrom('put' as const), order, name: constantFrom('a', 'b') }),
      record({ what: constantFrom('remove' as const), order, name: constantFrom('') }),
    );
    assert(
      property(array(step, { maxLength: 80 }), (steps) => {
        const list = createUserList<Row>();
        const model = new Map<number, Row>();
        for (const [place, { what, order, name }] of steps.entries()) {
          if (what === 'put') {
            list.put(row(order, name));
            model.set(order, row(order, name));
          } else if (what === 'remove') {
            list.remove(row(order));
            model.delete(order);
          }
          const expected = [...model.values()].sort((a, b) => a.order - b.order);
          expect(list.size).toBe(expected.length);
          expect([...list.values()]).toEqual(expected);
          expect([...list.values(true)]).toEqual(expected.toReversed());
          const newest = expected.toReversed().slice(2, 2 + order);
          // Asking for a page closes the holes: not every time, so that there are some.
          expect(place % 5 === 0 ? list.page(2, order, true) : newest).toEqual(newest);
        }
        expect(list.page(0, Infinity, false)).toEqual([...list.values()]);
      }),
      { numRuns: 200 },
    );
  });
});
