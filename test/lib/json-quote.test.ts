import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteJson } from '../../src/lib/json-quote.ts';

test('a text is quoted as JSON.stringify does it', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
      expect(quoteJson(text)).toBe(JSON.stringify(text));
    }),
  );
});

test('every character that JSON escapes is escaped', () => {
  for (let unit = 0; unit < 0x10000; unit++) {
    const text = `a${String.fromCharCode(unit)}`;
    if (quoteJson(text) !== JSON.stringify(text)) expect.unreachable(`U+${unit.toString(16)}`);
  }
});
