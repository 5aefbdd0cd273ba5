import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { judgeHash } from '../../src/profiles/judge.ts';
import { parseProfile } from '../../src/profiles/parse.ts';
import { serverVerdict } from '../../src/profiles/server-verdict.ts';
import { argon2 } from '../../src/records/mcf/argon2.ts';
import { bcrypt } from '../../src/records/mcf/bcrypt.ts';
import { md5, md5Crypt, md5Salted } from '../../src/records/mcf/md5.ts';
import { pbkdf2 } from '../../src/records/mcf/pbkdf2.ts';
import { drupal7, phpass } from '../../src/records/mcf/phpass.ts';
import { scrypt } from '../../src/records/mcf/scrypt.ts';
import { shaCrypt } from '../../src/records/mcf/sha-crypt.ts';
import * as random from '../support/mcf.ts';

/** Valid hashes of every family, with costs inside and outside of the limits. */
const hashes = fc.oneof(
  random.argon2Parts.map((parts) =>
    argon2.encode({
      ...parts,
      memory: 1 + (parts.memory % 600_000),
      time: 1 + (parts.time % 12),
      threads: 1 + (parts.threads % 20),
    }),
  ),
  random.bcryptParts.map(bcrypt.encode),
  random.drupal7Parts.map(drupal7.encode),
  random.md5Parts.map(md5.encode),
  random.md5CryptParts.map(md5Crypt.encode),
  random.md5SaltedParts.map(md5Salted.encode),
  random.pbkdf2Parts.map((parts) => pbkdf2.encode({ ...parts, rounds: 1 + (parts.rounds % 11_000_000) })),
  random.phpassParts.map(phpass.encode),
  random.scryptParts.map((parts) =>
    scrypt.encode({ ...parts, ln: 10 + (parts.ln % 14), r: 4 + (parts.r % 32), p: 1 + (parts.p % 20) }),
  ),
  random.shaCryptParts.map(shaCrypt.encode),
);

const profiles = [
  ...builtInProfiles.values(),
  parseProfile(
    '{"passwordHasher":{"algorithm":"argon2id","verifiers":["pbkdf2","md5salted"]}}',
    'argon2.json',
  ),
  parseProfile('{"base":"hosted","features":{"pbkdf2Spelling":"ab64"}}', 'old.json'),
];

describe.each(profiles)('the target $name', (profile) => {
  test('takes every hash that is judged ok', () => {
    const texts = fc.oneof(
      { arbitrary: hashes, weight: 1 },
      { arbitrary: random.mutated(hashes), weight: 2 },
    );
    fc.assert(
      fc.property(texts, (mcf) => {
        const { verdict } = judgeHash(mcf, profile);
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
      const verdict = judgeHash(mcf, all);
      const answer = serverVerdict(mcf, all);
      expect(answer).toMatch(/^(ok|CRYPT-5uV9n)$/);
      expect(verdict.verdict === 'ok' ? 'ok' : verdict.code).toBe(
        expected[answer === 'ok' ? 'ok' : 'CRYPT-5uV9n'],
      );
    }),
    { numRuns: 500 },
  );
});
