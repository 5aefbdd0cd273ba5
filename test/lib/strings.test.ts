import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { flattenString } from '../../src/lib/strings.ts';

it('gives an equal text, also with lone surrogates', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '美', '\ud83c', '\udf88', '\0') }), (text) => {
      expect(flattenString(text)).toBe(text);
    }),
  );
});
