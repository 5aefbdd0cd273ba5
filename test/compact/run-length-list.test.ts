import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { RunLengthList, valueAt } from '../../src/compact/run-length-list.ts';

it('runs give each value back at its place, and keep neighbours that are the same once', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', undefined)), (values) => {
      const list = new RunLengthList<string | undefined>();
      for (const value of values) list.push(value);
      const runs = structuredClone(list);
      expect(values.map((_, place) => valueAt(runs, place))).toEqual(values);
      expect(valueAt(runs, values.length)).toBeUndefined();
      expect(runs.values.filter((value, run) => run > 0 && value === runs.values[run - 1])).toEqual([]);
    }),
  );
});
