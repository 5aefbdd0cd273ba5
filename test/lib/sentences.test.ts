import { expect, it } from 'vitest';
import { withoutFlags } from '../../src/lib/sentences.ts';
import { reasons } from '../../src/records/reasons.ts';

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

/** What the run was told to do needs no remedy. */
const asked = new Set(['attribute:not-migrated', 'phone:left-out']);

it.each(
  Object.entries(reasons).filter(
    ([code, { outcome, remedy }]) => outcome !== 'skipped' && remedy.includes('--') && !asked.has(code),
  ),
)('leaves something to do of the remedy of %s, whatever flags were given', (_, { remedy }) => {
  expect(withoutFlags(remedy, new Set(remedy.match(/--[a-z-]+/g)))).toBeTypeOf('string');
});
