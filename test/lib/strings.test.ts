import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { flattenString, withoutAdviceOn } from '../../src/lib/strings.ts';

it('gives an equal text, also with lone surrogates', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '美', '\ud83c', '\udf88', '\0') }), (text) => {
      expect(flattenString(text)).toBe(text);
    }),
  );
});

it('leaves out the sentences that name a flag', () => {
  const text =
    'Add the address. Or choose `--email-fallback=username`. `idport migrate --email-domain` helps.';
  expect(withoutAdviceOn(text, new Set(['--email']))).toBe(text);
  expect(withoutAdviceOn(text, new Set(['--email-fallback']))).toBe(
    'Add the address. `idport migrate --email-domain` helps.',
  );
  expect(withoutAdviceOn('Choose `--metadata=all`.', new Set(['--metadata']))).toBeUndefined();
});
