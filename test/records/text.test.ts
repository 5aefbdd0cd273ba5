import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCharacters } from '../../src/lib/field-rules.ts';
import { cut, trimBlanks } from '../../src/records/text.ts';

it('trimBlanks trims only the ends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const trimmed = trimBlanks(text);
      expect(text).toContain(trimmed);
      expect(trimBlanks(trimmed)).toBe(trimmed);
      expect(trimBlanks(text.replace(trimmed, () => ''))).toBe('');
    }),
  );
});

describe('cut and countCharacters', () => {
  it('count code points and never split one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, max) => {
        const short = cut(text, max);
        expect(text.startsWith(short)).toBe(true);
        expect(countCharacters(short)).toBe(Math.min(max, countCharacters(text)));
        expect(short.isWellFormed()).toBe(true);
      }),
    );
  });

  it('count as Go counts runes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(countCharacters(text)).toBe(Array.from(text).length);
      }),
    );
  });
});
