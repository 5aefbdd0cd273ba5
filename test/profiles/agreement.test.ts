import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { checkHash } from '../../src/profiles/check-hash.ts';
import { parseProfile } from '../../src/profiles/parse.ts';
import { serverVerdict } from '../../src/profiles/server-verdict.ts';
import { mutated, hashTexts } from '../support/mcf.ts';

const hashes = fc.oneof(...hashTexts);

const profiles = [
  ...builtInProfiles.values(),
  parseProfile(
    '{"passwordHasher":{"algorithm":"argon2id","verifiers":["pbkdf2","md5salted"]}}',
    'argon2.json',
  ),
  parseProfile('{"base":"hosted","features":{"pbkdf2Encoding":"ab64"}}', 'old.json'),
];

describe.each(profiles)('the target $name', (profile) => {
  test('takes every hash that is judged ok', () => {
    const texts = fc.oneof({ arbitrary: hashes, weight: 1 }, { arbitrary: mutated(hashes), weight: 2 });
    fc.assert(
      fc.property(texts, (mcf) => {
        const { verdict } = checkHash(mcf, profile);
        expect(verdict === 'refused' || serverVerdict(mcf, profile) === 'ok').toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});

test('an unchanged hash is judged exactly as the server judges it', () => {
  const all = builtInProfiles.get('all-verifiers');
  const expected = { ok: 'ok', 'CRYPT-5uV9n': 'password:parameters-out-of-limits' } as const;
  fc.assert(
    fc.property(hashes, (mcf) => {
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
