import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isStrictBase64, readBase64, encodeBase64As } from '../../../src/records/mcf/base64.ts';

const bytes = fc.uint8Array({ minLength: 1, maxLength: 80 });

describe('readBase64', () => {
  it('normalizes padded, unpadded and passlib encodings', () => {
    fc.assert(
      fc.property(bytes, (some) => {
        const padded = Buffer.from(some).toString('base64');
        expect(readBase64(padded)).toBe(padded);
        expect(readBase64(encodeBase64As(padded, 'unpadded'))).toBe(padded);
        expect(readBase64(encodeBase64As(padded, 'ab64'))).toBe(padded);
      }),
    );
  });

  it('clears stray bits in the last character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('abcXYZ019+/')), minLength: 2, maxLength: 60 }),
        (text) => {
          fc.pre(text.length % 4 !== 1);
          expect(readBase64(text)).toBe(Buffer.from(text, 'base64').toString('base64'));
        },
      ),
    );
  });

  test.each([
    ['is empty', '', '=='],
    ['is in the URL-safe alphabet of base64', '_-_-'],
    ['mixes `+` and `.`, two alphabets of base64', '+/.A'],
    ['is not base64', 'ab cd', 'abcé', 'ab=c'],
    ['has a length that base64 cannot have', 'abcde'],
    ['has the wrong number of `=` at its end', 'abcd=', 'ab=', 'abc=='],
  ])('a text that %s is refused', (flaw, ...texts) => {
    for (const text of texts) expect([text, readBase64(text)]).toEqual([text, { flaw }]);
  });
});

describe('isStrictBase64', () => {
  it('accepts unpadded base64', () => {
    fc.assert(
      fc.property(bytes, (some) => {
        expect(isStrictBase64(encodeBase64As(Buffer.from(some).toString('base64'), 'unpadded'))).toBe(true);
      }),
    );
  });

  test.each(['', 'ab==', 'abcde', 'ab.d', 'ab-d', 'ab', 'abd', 'aé'])('refuses %j', (text) => {
    expect(isStrictBase64(text)).toBe(false);
  });
});
