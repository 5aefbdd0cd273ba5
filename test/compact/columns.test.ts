import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { DictionaryColumn, NumberList, IdColumn } from '../../src/compact/columns.ts';

it('DictionaryColumn returns what a Map would, in numeric order', () => {
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

it('DictionaryColumn stores equal values once', () => {
  const values = new DictionaryColumn<{ code: string }>(({ code }) => code);
  for (let i = 0; i < 100; i++) values.set(i, { code: 'same' });
  expect(new Set([...values].map(([, value]) => value)).size).toBe(1);
});

it('NumberList returns every number at its place and nothing past the end', () => {
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

const id = fc.oneof(
  fc.bigInt({ min: 1n, max: 2n ** 64n }).map(String),
  fc.constantFrom('', '0', '007', '18446744073709551616', 'auth0|abc'),
  fc.uuid(),
);

it('IdColumn returns the value that was set last', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(10_000), id)), (pairs) => {
      const texts = new IdColumn();
      for (const [entry, text] of pairs) texts.set(entry, text);
      const last = new Map(pairs);
      for (const [entry, text] of last) expect(texts.get(entry)).toBe(text);
      expect(texts.get(10_001)).toBeUndefined();
    }),
  );
});
