import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCharacters } from '../../src/lib/field-rules.ts';
import { cut, foldName, onOneLine, splitLastWord, sanitize, trimBlanks } from '../../src/records/text.ts';

const anyText = fc.string({ unit: 'binary' });

it.each([
  ['  Ada  ', '  Ada  '],
  ['Ada\t\r\nLovelace', 'Ada\t\r\nLovelace'],
  ['Ada  King\u00a0\u2003Lovelace', 'Ada  King\u00a0\u2003Lovelace'],
  ['\u001b[31mAda\u007f', '\u001b[31mAda\u007f'],
  ['Ad\0a', 'Ada'],
  ['👩‍🚀', '👩‍🚀'],
  ['a\ud800b', 'a\ufffdb'],
])('sanitize of %j returns %j', (text, expected) => {
  expect(sanitize(text)).toBe(expected);
});

it.each([
  ['  Ada  King ', '  Ada  King '],
  ['Ada\t\r\nKing', 'Ada King'],
  ['Ada King\r\n', 'Ada King'],
  ['\u001b[31mAda\u007f\u2028', '[31mAda'],
  ['\u200fAda \u202eK', '\u200fAda \u202eK'],
])('onOneLine of %j returns %j', (name, expected) => {
  expect(onOneLine(name)).toBe(expected);
});

/** As `strings.ToLower` of Go answers. */
it.each([
  ['İlke', 'ilke'],
  ['ΝΊΚΟΣ', 'νίκοσ'],
  ['νίκος', 'νίκος'],
])('foldName of %j returns %j', (name, expected) => {
  expect(foldName(name)).toBe(expected);
});

describe('trimBlanks and splitLastWord', () => {
  it.each([
    ['  Ada  King ', 'Ada  King'],
    ['\t\n\v\f\r\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000', ''],
    ['\ufeff\u200bAda\u001f', '\ufeff\u200bAda\u001f'],
  ])('trim %j as Go does: %j', (text, expected) => {
    expect(trimBlanks(text)).toBe(expected);
  });

  it('trim only the ends', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const trimmed = trimBlanks(text);
        expect(text).toContain(trimmed);
        expect(trimBlanks(trimmed)).toBe(trimmed);
        expect(trimBlanks(text.replace(trimmed, () => ''))).toBe('');
      }),
    );
  });

  it('split before the last word', () => {
    expect(splitLastWord(' Ada  King\t Lovelace ')).toEqual(['Ada  King', 'Lovelace']);
    expect(splitLastWord(' Ada ')).toBeUndefined();
    expect(splitLastWord(' ')).toBeUndefined();
  });
});

describe('cut and countCharacters', () => {
  it('count code points and never split one', () => {
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

  it('count as Go counts runes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(countCharacters(text)).toBe(Array.from(text).length);
      }),
    );
  });
});
