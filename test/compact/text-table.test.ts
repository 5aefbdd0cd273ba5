import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextTable } from '../../src/compact/text-table.ts';

test('finds every text under its newest number, and no other text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(fc.string({ maxLength: 4 }), { nil: undefined })),
      fc.string(),
      (texts, other) => {
        const table = new TextTable();
        const numbers = texts.map((text) => (text === undefined ? table.skip() : table.add(text)));
        expect(numbers).toEqual([...texts.keys()]);
        const added = texts.filter((text) => text !== undefined);
        expect(added.map((text) => table.find(text))).toEqual(added.map((text) => texts.lastIndexOf(text)));
        expect(table.find(other)).toBe(texts.lastIndexOf(other));
        expect(table.size).toBe(texts.length);
      },
    ),
    { numRuns: 100 },
  );
});
