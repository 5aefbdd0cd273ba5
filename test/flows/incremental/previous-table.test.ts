import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { PreviousTable } from '../../../src/flows/incremental/previous-table.ts';
import { fingerprintText } from '../../../src/flows/incremental/fingerprint.ts';

it('gives back what was left of each user, the latest where there were several', () => {
  const left = fc.record({
    content: fc.string(),
    id: fc.oneof(fc.constant(''), fc.bigInt(1n, 2n ** 62n).map(String), fc.uuid(), fc.constant('007')),
    writtenAt: fc.option(fc.integer({ min: 1, max: 4_000_000_000_000 }), { nil: undefined }),
    parts: fc.option(fc.stringMatching(/^[\w-]{36}$/), { nil: '' }),
    createdSince: fc.option(fc.integer({ min: 1, max: 4_000_000_000_000 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 3000 }), left), { maxLength: 60 }), (rows) => {
      const table = new PreviousTable();
      for (const [place, { content, parts, ...rest }] of rows) {
        table.set(place, { fingerprint: fingerprintText('key', content) + parts, ...rest });
      }
      for (const [place, { content, id, createdSince, writtenAt, parts }] of new Map(rows)) {
        const before = table.get(place)!;
        expect([before.id, before.createdSince, before.writtenAt, before.parts]).toEqual([
          id,
          createdSince,
          writtenAt,
          parts,
        ]);
        expect(before.isStill(fingerprintText('key', content))).toBe(true);
        expect(before.isStill(fingerprintText('key', `${content}.`))).toBe(false);
        table.remove(place);
        expect(table.get(place)).toBeUndefined();
      }
    }),
  );
});
