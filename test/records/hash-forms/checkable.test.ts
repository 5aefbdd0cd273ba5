/** Which forms `idport jit` counts as checked at the first login. */
import { expect, it } from 'vitest';
import { isCheckable, type SourceForm } from '../../../src/records/hash-forms/form.ts';
import { verifyForm } from '../../../src/records/hash-forms/verify-form.ts';
import { checkRecord } from '../../../src/flows/read/check-record.ts';
import { startUser } from '../../../src/records/user.ts';
import { usualJob } from '../../support/usual-job.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const firebase = {
  kind: 'firebase-scrypt',
  memoryCost: 4,
  rounds: 8,
  parallelization: 1,
  salt: key,
  separator: 'Bw==',
  signerKey: { base64: key },
  hash: key,
} as const;
const pbkdf2 = (rounds: number, salt = key, ownKey = key): SourceForm => ({
  kind: 'mcf',
  mcf: `$pbkdf2-sha3-256$${rounds}$${salt}$${ownKey}`,
  of: 'password',
});

it.each<[string, SourceForm]>([
  ['firebase', firebase],
  ['a hash that is not base64', { ...firebase, hash: 'x' }],
  ['a salt that is not base64', { ...firebase, salt: '*' }],
  ['pbkdf2', pbkdf2(10)],
  ['a key that is not base64', pbkdf2(10, key, '*')],
  ['a salt inside that is not base64', pbkdf2(10, '*')],
  ['a digest that is not base64', { kind: 'digest', expected: '*', of: 'password' }],
  [
    'a salt of Argon2 that is too short',
    { kind: 'mcf', mcf: '$argon2id$v=19$m=64,t=1,p=1$c2FsdA$AQIDBAUGBwgJCgsMDQ4PEA', of: 'password' },
  ],
  ['too many rounds', pbkdf2(2 ** 31)],
  ['one of several that is not base64', { kind: 'any', of: [pbkdf2(10), pbkdf2(10, key, '*')] }],
])('isCheckable agrees with verifyForm: %s', async (_, form) => {
  const result = await verifyForm(form, 'wrong');
  expect(isCheckable(form)).toBe(typeof result === 'boolean');
});

it.each([
  [10, 'first-login'],
  [2 ** 31, 'set-password'],
])('a user whose hash takes %i rounds is counted as %s', (rounds, signIn) => {
  const email = 'a@b.de';
  const user = { ...startUser({ input: 'in', index: 0, id: '' }), email, sourceForm: pbkdf2(rounds) };
  const policy = { ...usualJob.policy, route: 'one-call', atFirstLogin: true } as const;
  expect(checkRecord(user, policy)).toMatchObject({ kind: 'human', signIn });
});
