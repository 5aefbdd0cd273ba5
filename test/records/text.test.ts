import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCharacters } from '../../src/records/field-rules.ts';
import { cut, losesCharacters, tidy } from '../../src/records/text.ts';

const anyText = fc.string({ unit: 'binary' });
/** What the slow way alone would do, for every text. */
const slowly = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll('\0', '')
    .replace(/[\s\u0001-\u001f\u007f-\u009f]+/gu, ' ')
    .trim();

describe('tidy text', () => {
  it.each([
    ['  Ada  ', 'Ada'],
    ['Ada\t\r\nLovelace', 'Ada Lovelace'],
    ['Ada\u00a0\u2003Lovelace', 'Ada Lovelace'],
    ['Ad\0a', 'Ada'],
    ['\u007f\u0085', ''],
    ['\ufeffAda', 'Ada'],
    ['Hudā Müller 日本', 'Hudā Müller 日本'],
    ['👩‍🚀', '👩‍🚀'],
    ['a\ud800b', 'a\ufffdb'],
  ])('%j becomes %j', (text, expected) => {
    expect(tidy(text)).toBe(expected);
  });

  it('is the same the fast and the slow way, and twice is as good as once', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(tidy(text)).toBe(slowly(text));
        expect(tidy(tidy(text))).toBe(tidy(text));
      }),
    );
  });

  it('knows when characters are lost', () => {
    expect(losesCharacters(' spaced ')).toBe(false);
    expect(losesCharacters('a\0')).toBe(true);
    expect(losesCharacters('\udc00')).toBe(true);
  });
});

describe('cut text', () => {
  it('counts code points and never splits one', () => {
    expect(cut('👩👩👩', 2)).toBe('👩👩');
    expect(cut('abc', 3)).toBe('abc');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, max) => {
        const short = cut(text, max);
        expect(text.startsWith(short)).toBe(true);
        expect(countCharacters(short)).toBe(Math.min(max, countCharacters(text)));
        expect(short.isWellFormed()).toBe(true);
      }),
    );
  });

  it('counts as Go counts runes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(countCharacters(text)).toBe(Array.from(text).length);
      }),
    );
  });
});
