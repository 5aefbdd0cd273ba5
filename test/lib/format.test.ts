import { describe, expect, it } from 'vitest';
import { printable } from '../../src/lib/format.ts';
import { assert, property, string } from 'fast-check';

describe('a displayed text', () => {
  it('contains no terminal control character', () => {
    assert(
      property(string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(
          /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/u,
        );
      }),
    );
  });

  it('keeps its meaning as JSON', () => {
    assert(
      property(string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(printable(JSON.stringify({ [text]: text })))).toEqual({ [text]: text });
      }),
    );
  });
});
