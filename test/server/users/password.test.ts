/** The quick judgement of hashes says what the long one says, for hashes of every kind and nonsense near them. */
import { assert, constantFrom, integer, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInProfiles } from '../../../src/profiles/built-in.ts';
import { serverVerdict } from '../../../src/profiles/server-verdict.ts';
import { hashVerdict } from '../../../src/server/users/password.ts';

const names =
  'pbkdf2 pbkdf2-sha256 pbkdf2-sha512 pbkdf2-md9 argon2id scrypt 7 5 6 1 md5salted-suffix md5salted-prefix 2a 2b 2y 2x P S ab';
const name = constantFrom('', ...names.split(' '));
const part = string({ unit: constantFrom(...'ABab01+/.=_$ '.split('')), maxLength: 12 });
const sound = string({ unit: constantFrom(...'ABCDabcd0189+/'.split('')), minLength: 1, maxLength: 60 });
const rounds = constantFrom(
  '1',
  '12',
  '999',
  '1000',
  '27500',
  '10000001',
  'rounds=5000',
  'x',
  'ln=14,r=8,p=1',
  'v=19$m=8192,t=1,p=1',
);

describe('hashVerdict', () => {
  it.each([...builtInProfiles.values()])('agrees with the server for $name', (profile) => {
    const hash = tuple(name, rounds, constantFrom(sound, part), constantFrom(sound, part)).chain(
      ([family, count, salt, key]) =>
        tuple(salt, key, integer({ min: 0, max: 3 })).map(
          ([a, b, pads]) => `$${family}$${count}$${a}${'='.repeat(pads)}$${b}`,
        ),
    );
    assert(
      property(hash, (text) => {
        // Twice: the second answer may come from memory.
        expect(hashVerdict(text, profile)).toBe(serverVerdict(text, profile));
        expect(hashVerdict(text, profile)).toBe(serverVerdict(text, profile));
      }),
      { numRuns: 1500 },
    );
  });

  it('does not take the verdict on one length for that on another', () => {
    const profile = builtInProfiles.get('all-verifiers')!;
    for (const text of [
      '$P$27500$AA$AA'.padEnd(34, 'A'),
      '$P$27500$AA$AA',
      '$S$27500$AA$AA'.padEnd(55, 'A'),
    ]) {
      expect(hashVerdict(text, profile)).toBe(serverVerdict(text, profile));
    }
    expect(hashVerdict('$S$27500$AA$AA', profile)).toBe(serverVerdict('$S$27500$AA$AA', profile));
  });

  it('tells sixty characters of bcrypt apart by version and cost', () => {
    const profile = builtInProfiles.get('self-hosted')!;
    for (const text of ['$2a$10$', '$2b$09$', '$2y$17$', '$2x$12$', '$2a$99$', '$2a$1x$', '$2$1000']) {
      const hash = text.padEnd(60, 'x');
      expect(hashVerdict(hash, profile)).toBe(serverVerdict(hash, profile));
    }
  });
});
