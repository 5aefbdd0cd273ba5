import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextTable } from '../../src/compact/key-table.ts';

test('TextTable finds every text under its numbers, newest first', () => {
  const text = fc.option(fc.string({ maxLength: 3 }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 3000 }), fc.string(), (texts, other) => {
      const table = new TextTable();
      const numbers = texts.map((text) => (text === undefined ? table.skip() : table.add(text)));
      expect(numbers).toEqual([...texts.keys()]);
      expect(table.size).toBe(texts.length);
      const expected = new Map<string, number[]>([[other, []]]);
      for (const [at, text] of texts.entries())
        if (text !== undefined) expected.set(text, [at, ...(expected.get(text) ?? [])]);
      for (const [text, all] of expected)
        expect([table.find(text), table.findAll(text)]).toEqual([all[0] ?? -1, all]);
    }),
    { numRuns: 50 },
  );
});
