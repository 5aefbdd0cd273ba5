import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteJson } from '../../src/json/quote.ts';

test('a text is quoted as JSON.stringify does it', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
      expect(quoteJson(text)).toBe(JSON.stringify(text));
    }),
  );
});

test('every character that JSON escapes is escaped', () => {
  const texts = Array.from({ length: 0x10000 }, (_, unit) => `a${String.fromCharCode(unit)}`);
  expect(texts.filter((text) => quoteJson(text) !== JSON.stringify(text))).toEqual([]);
});
