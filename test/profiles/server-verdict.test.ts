import { expect, test } from 'vitest';
import { parseProfile } from '../../src/profiles/parse.ts';
import { serverVerdict } from '../../src/profiles/server-verdict.ts';
import { type VerifiedHash, verifiedHashes } from '../support/samples.ts';

const allOn = parseProfile('{"base":"all-verifiers"}', 'all.json');

/** What the library itself said of a hash. */
const said = ({ targetValid, targetError }: VerifiedHash) => {
  if (targetValid) return 'ok';
  if (targetError?.startsWith('PANIC')) return 'panic';
  return targetError?.includes('multiple parse errors') ? 'CRYPT-r8Qm2' : 'CRYPT-5uV9n';
};
test.each(verifiedHashes().map((sample) => [sample.mcf, sample] as const))(
  'what the library was asked about: %s',
  (mcf, sample) => {
    expect(serverVerdict(mcf, allOn)).toBe(said(sample));
  },
);
