import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { DictionaryColumn } from '../../src/compact/dictionary-column.ts';

it('has what a Map would have, in the order of the numbers', () => {
  const entry = fc.tuple(fc.nat(5000), fc.record({ code: fc.constantFrom('a', 'b'), detail: fc.string() }));
  fc.assert(
    fc.property(fc.array(entry), fc.nat(6000), (entries, other) => {
      const values = new DictionaryColumn<{ code: string; detail: string }>(
        ({ code, detail }) => `${code}\n${detail}`,
      );
      const map = new Map(entries);
      for (const [number, value] of entries) values.set(number, value);
      values.delete(other);
      map.delete(other);
      expect([...values]).toEqual([...map].toSorted(([a], [b]) => a - b));
      for (const number of [...map.keys(), other]) {
        expect([values.get(number), values.has(number)]).toEqual([map.get(number), map.has(number)]);
      }
    }),
  );
});

it('keeps equal values once', () => {
  const values = new DictionaryColumn<{ code: string }>(({ code }) => code);
  for (let i = 0; i < 100; i++) values.set(i, { code: 'same' });
  expect(new Set([...values].map(([, value]) => value)).size).toBe(1);
});
