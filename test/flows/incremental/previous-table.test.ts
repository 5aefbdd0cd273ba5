import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { PreviousTable } from '../../../src/flows/incremental/previous-table.ts';
import { fingerprintText } from '../../../src/flows/incremental/fingerprint.ts';

it('gives back what was left of each user, the latest where there were several', () => {
  const left = fc.record({
    content: fc.string(),
    id: fc.oneof(fc.constant(''), fc.bigInt(1n, 2n ** 62n).map(String), fc.uuid(), fc.constant('007')),
    createdSince: fc.option(fc.integer({ min: 0, max: 4_000_000_000_000 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 3000 }), left), { maxLength: 60 }), (rows) => {
      const table = new PreviousTable();
      for (const [place, { content, ...rest }] of rows) {
        table.set(place, { fingerprint: fingerprintText('key', content), ...rest });
      }
      for (const [place, { content, id, createdSince }] of new Map(rows)) {
        const before = table.get(place)!;
        expect([before.id, before.createdSince]).toEqual([id, createdSince]);
        expect(before.isStill(fingerprintText('key', content))).toBe(true);
        expect(before.isStill(fingerprintText('key', `${content}.`))).toBe(false);
        table.remove(place);
        expect(table.get(place)).toBeUndefined();
      }
    }),
  );
});
