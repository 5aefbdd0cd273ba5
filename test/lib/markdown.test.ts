import { assert, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { markdownText } from '../../src/lib/markdown.ts';

it('markdownText escapes every border, link, markup and line end', () => {
  assert(
    property(string({ unit: 'binary' }), (text) => {
      const plain = markdownText(text).replace(/\\[\\`*_[\]|#~$:.]/g, '');
      expect(plain).not.toMatch(/[\\`*[\]|<~$\n\r\u001b\u009b\u200f]|:\/\//);
    }),
  );
});
