import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownTable, markdownText } from '../../src/lib/markdown.ts';

describe('markdownTable', () => {
  it('has one line per row, with numbers as counts', () => {
    expect(markdownTable('Users', ['who', 'how many'], [['a|b', 1200]])).toEqual([
      '## Users',
      '',
      '| who | how many |',
      '| --- | --- |',
      '| a\\|b | 1,200 |',
      '',
    ]);
  });

  it('returns nothing without rows', () => {
    expect(markdownTable('Users', ['who'], [])).toEqual([]);
  });
});

describe('markdownText', () => {
  it('names invisible characters', () => {
    expect(markdownText('a\nb\u202e')).toBe('aU+000AbU+202E');
  });

  it('escapes every border, link, markup and line end', () => {
    assert(
      property(string({ unit: 'binary' }), (text) => {
        const plain = markdownText(text).replace(/\\[\\`*_[\]|#~$:.]/g, '');
        expect(plain).not.toMatch(/[\\`*[\]|<~$\n\r\u001b\u009b\u200f]|:\/\//);
      }),
    );
  });
});
