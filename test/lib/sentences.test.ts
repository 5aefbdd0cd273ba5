import { expect, it } from 'vitest';
import { withoutFlags } from '../../src/lib/sentences.ts';

it('leaves out the sentences that name a flag', () => {
  const text =
    'Add the address. Or choose `--email-fallback username`. `idport migrate --email-domain` helps.';
  expect(withoutFlags(text, new Set())).toBe(text);
  expect(withoutFlags(text, new Set(['--email']))).toBe(text);
  expect(withoutFlags(text, new Set(['--email-fallback']))).toBe(
    'Add the address. `idport migrate --email-domain` helps.',
  );
  expect(withoutFlags('Choose `--metadata all`.', new Set(['--metadata']))).toBeUndefined();
});
