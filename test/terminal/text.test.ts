import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { wrap } from '../../src/terminal/text.ts';

it('wrap keeps every word', () => {
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
