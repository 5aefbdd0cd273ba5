import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { IdColumn } from '../../src/compact/id-column.ts';

const id = fc.oneof(
  fc.bigInt({ min: 1n, max: 2n ** 64n }).map(String),
  fc.constantFrom('', '0', '007', '18446744073709551616', 'auth0|abc'),
  fc.uuid(),
);

it('gives back what was set last, whatever it was', () => {
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
