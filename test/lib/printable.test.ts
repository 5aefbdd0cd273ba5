import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable } from '../../src/lib/printable.ts';

describe('a text that is shown', () => {
  it('lets no character through that controls the screen', () => {
    assert(
      property(string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(
          /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/u,
        );
      }),
    );
  });

  it.each([
    ['a\u001b[2Jb\nc\u202ed', 'a\\u001b[2Jb\\u000ac\\u202ed'],
    ['lone \ud800 surrogate', 'lone \\ud800 surrogate'],
    ...['Hudā', 'Müller', '日本 太郎', 'مريم', '👩‍🚀 Ada'].map((name) => [name, name]),
  ])('%j is shown as %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('keeps its meaning as JSON', () => {
    assert(
      property(string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(printable(JSON.stringify({ [text]: text })))).toEqual({ [text]: text });
      }),
    );
  });
});
