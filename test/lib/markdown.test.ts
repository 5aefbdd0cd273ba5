import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownTable, markdownText } from '../../src/lib/markdown.ts';

describe('markdownTable', () => {
  it('is a section with one line a row, numbers as counts', () => {
    expect(markdownTable('Users', ['who', 'how many'], [['a|b', 1200]])).toEqual([
      '## Users',
      '',
      '| who | how many |',
      '| --- | --- |',
      '| a\\|b | 1,200 |',
      '',
    ]);
  });

  it('is nothing without rows', () => {
    expect(markdownTable('Users', ['who'], [])).toEqual([]);
  });
});

describe('markdownText', () => {
  it('names what cannot be seen', () => {
    expect(markdownText('a\nb\u202e')).toBe('aU+000AbU+202E');
  });

  it('has no border, link, markup or line end that is not escaped', () => {
    assert(
      property(string({ unit: 'binary' }), (text) => {
        const plain = markdownText(text).replace(/\\[\\`*_[\]|#~$:.]/g, '');
        expect(plain).not.toMatch(/[\\`*[\]|<~$\n\r\u001b\u009b\u200f]|:\/\//);
      }),
    );
  });
});
