import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineWidth, wrap } from '../../src/terminal/text.ts';

it('lineWidth and wrap limit the width', () => {
  expect([undefined, 0, 10, 64, 500].map(lineWidth)).toEqual([Infinity, 80, 30, 64, 100]);
});

it('lineWidth and wrap break lines at spaces, never in a word', () => {
  expect(wrap('one two three', 8, '', 2)).toEqual(['one two', '  three']);
  expect(wrap('a-very-long-word and', 5)).toEqual(['a-very-long-word', 'and']);
  expect(wrap('', 5)).toEqual(['']);
  expect(wrap('one two', 9, 'hint: ')).toEqual(['hint: one', '      two']);
});

it('lineWidth and wrap keep every word', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 });
  fc.assert(
    fc.property(words, fc.integer({ min: 5, max: 40 }), (list, width) => {
      const lines = wrap(list.join(' '), width, '', 2);
      expect(lines.map((line) => line.trim()).join(' ')).toBe(list.join(' '));
      for (const line of lines) {
        expect(line.length <= width || !line.trim().includes(' ')).toBe(true);
      }
    }),
  );
});
