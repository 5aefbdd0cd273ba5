import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { NumberList } from '../../src/compact/number-list.ts';

it('gives back every number at its place, and nothing behind the last one', () => {
  const part = fc.array(fc.nat({ max: 2 ** 32 - 1 }), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 300 }), (parts) => {
      const list = new NumberList();
      for (const numbers of parts) {
        const place = list.length;
        expect(list.push(...numbers)).toBe(place);
      }
      const all = parts.flat();
      expect(all.map((_, at) => list.get(at))).toEqual(all);
      expect([list.length, list.get(all.length)]).toEqual([all.length, undefined]);
    }),
  );
});
