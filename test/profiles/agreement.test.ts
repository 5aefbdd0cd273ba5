import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { checkHash } from '../../src/profiles/check-hash.ts';
import { serverVerdict } from '../../src/profiles/server-verdict.ts';
import { hashes } from '../fuzz/targets/hashes.ts';
import { hashTexts } from '../support/mcf.ts';

test(`${hashes.about}: 15,000 inputs of the fuzzer`, async () => {
  await expect(fc.assert(await hashes.open(), { numRuns: 15_000 })).resolves.toBeUndefined();
});

test('an unchanged hash is judged exactly as the server judges it', () => {
  const all = builtInProfiles.get('all-verifiers');
  const expected = { ok: 'ok', 'CRYPT-5uV9n': 'password:parameters-out-of-limits' };
  fc.assert(
    fc.property(fc.oneof(...hashTexts), (mcf) => {
      if (all === undefined) throw new Error('no profile');
      const verdict = checkHash(mcf, all);
      const answer = serverVerdict(mcf, all);
      expect(answer).toMatch(/^(ok|CRYPT-5uV9n)$/);
      expect(verdict.verdict === 'ok' ? 'ok' : verdict.code).toBe(
        expected[answer === 'ok' ? 'ok' : 'CRYPT-5uV9n'],
      );
    }),
    { numRuns: 500 },
  );
});
