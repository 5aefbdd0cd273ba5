import { bcrypt } from 'hash-wasm';
import { expect, it, test } from 'vitest';
import { explainMismatch } from '../../../src/records/hash-forms/explain-mismatch.ts';
import { verifiedForms } from '../../support/samples.ts';

const traps = verifiedForms().filter(({ naiveMcf }) => naiveMcf !== undefined);

/** Keyed with what the operator has, or nested with a salt that the hash string has not. */
const inexplicable =
  /secret UNKNOWN|config\.pepper|passwordpeppers|flask-security|U\$S\$|vbulletin 3\/4|django sha1/;

test.each(traps.filter(({ title }) => !inexplicable.test(title)))(
  'explainMismatch explains the hash $title',
  async ({ naiveMcf = '', password }) => {
    const stored = naiveMcf.startsWith('$') ? { mcf: naiveMcf } : { parts: { hash: naiveMcf } };
    const found = await explainMismatch(stored, password ?? '', () => false);
    expect(found).toMatchObject({ text: expect.any(String) });
  },
);

it('explainMismatch stops when its time is over', async () => {
  const mcf = await bcrypt({
    password: 'x',
    salt: Buffer.alloc(16, 1),
    costFactor: 4,
    outputType: 'encoded',
  });
  let asked = 0;
  expect(await explainMismatch({ mcf }, 'Secret1', () => ++asked > 3)).toBe('unfinished');
});
