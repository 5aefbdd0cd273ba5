import { expect, it, test } from 'vitest';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { checkHash } from '../../src/profiles/check-hash.ts';
import { verifiedHashes } from '../support/samples.ts';

const selfHosted = builtInProfiles.get('self-hosted')!;
const allVerifiers = builtInProfiles.get('all-verifiers')!;

it('a hash is never shown in part', () => {
  for (const { mcf } of verifiedHashes()) {
    const told = JSON.stringify(checkHash(mcf, selfHosted));
    for (const part of mcf.split('$').filter((part) => part.length > 16)) expect(told).not.toContain(part);
  }
});

const samples = verifiedHashes().map((sample) => ({ ...sample, name: sample.note ?? '' }));
/** What cannot be seen. */
const looksRight = [
  'NEG wp68 stripped $wp -> valid but FAILS',
  'NEG django bcrypt_sha256 stripped -> valid but FAILS',
];
const judge = (name: string, targetValid: boolean): unknown => {
  if (looksRight.includes(name)) return { verdict: 'ok' };
  if (name.startsWith('NEG')) return { verdict: 'refused' };
  return targetValid ? { verdict: 'ok' } : { code: 'password:parameters-out-of-limits' };
};

test.each(samples)(
  '$name: is judged as the library of the target does, or stricter',
  ({ name, mcf, targetValid }) => {
    expect(checkHash(mcf, allVerifiers)).toMatchObject(judge(name, targetValid) as object);
  },
);
