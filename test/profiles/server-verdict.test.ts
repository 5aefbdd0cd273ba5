import { expect, test } from 'vitest';
import { parseProfile } from '../../src/profiles/parse.ts';
import { isRecoveryCodeHash, serverVerdict } from '../../src/profiles/server-verdict.ts';
import type { TargetProfile } from '../../src/wire/profile.ts';
import { type VerifiedHash, verifiedHashes } from '../support/samples.ts';

const selfHosted = parseProfile('{}', 'self-hosted.json');
const allOn = parseProfile('{"base":"all-verifiers"}', 'all.json');
const argon2Hasher = parseProfile(
  '{"passwordHasher":{"algorithm":"argon2id","verifiers":["pbkdf2","scrypt"]}}',
  'argon2.json',
);
const tail = 'd.GvZhGwTllA7OdAmsA75uGGzqr/mhdQoU88M3zD.fX3Vb8Rcf33.';
const argon2Key = 'c2FsdHNhbHQ$a2V5a2V5';

/** Rows of the table that was executed against the library; columns as there. */
const table: readonly (readonly [what: string, mcf: string, ...verdicts: string[]])[] = [
  ['bcrypt of cost 12', `$2b$12$${tail}`, 'ok', 'ok', 'CRYPT-2xK7d'],
  ['bcrypt of cost 9', `$2b$09$${tail}`, 'CRYPT-5uV9n', 'CRYPT-5uV9n', 'CRYPT-2xK7d'],
  ['bcrypt of cost 17', `$2b$17$${tail}`, 'CRYPT-5uV9n', 'CRYPT-5uV9n', 'CRYPT-2xK7d'],
  ['bcrypt, first version', `$2$10$${tail}`, 'CRYPT-r8Qm2', 'CRYPT-r8Qm2', 'CRYPT-2xK7d'],
  ['bcrypt, faulty version', `$2x$10$${tail}`, 'CRYPT-r8Qm2', 'CRYPT-r8Qm2', 'CRYPT-2xK7d'],
  ['garbage', 'garbage', 'CRYPT-r8Qm2', 'CRYPT-r8Qm2', 'CRYPT-2xK7d'],
  ['{SSHA}', '{SSHA}JFZFs0oHzxbMwkSJmYVeI8MnTDy/276a', 'CRYPT-r8Qm2', 'CRYPT-r8Qm2', 'CRYPT-2xK7d'],
  ['pbkdf2', '$pbkdf2-sha256$27500$c2FsdA==$a2V5', 'CRYPT-r8Qm2', 'ok', 'ok'],
  ['pbkdf2 of 999 rounds', '$pbkdf2-sha256$999$c2FsdA==$a2V5', 'CRYPT-r8Qm2', 'CRYPT-5uV9n', 'CRYPT-5uV9n'],
  [
    'Keycloak’s argon2',
    `$argon2id$v=19$m=7168,t=5,p=1$${argon2Key}`,
    'CRYPT-r8Qm2',
    'CRYPT-5uV9n',
    'CRYPT-5uV9n',
  ],
  ['the same with enough memory', `$argon2id$v=19$m=8192,t=5,p=1$${argon2Key}`, 'CRYPT-r8Qm2', 'ok', 'ok'],
  [
    'argon2 with padding',
    `$argon2id$v=19$m=8192,t=5,p=1$${argon2Key}==`,
    'CRYPT-r8Qm2',
    'CRYPT-r8Qm2',
    'CRYPT-r8Qm2',
  ],
  ['scrypt with padding', '$scrypt$ln=14,r=8,p=1$c2FsdA==$a2V5', 'CRYPT-r8Qm2', 'CRYPT-r8Qm2', 'CRYPT-r8Qm2'],
  ['exactly $2', '$2', 'panic', 'panic', 'CRYPT-2xK7d'],
  ['no hash', '', 'ok', 'ok', 'ok'],
];

const settings: readonly (readonly [TargetProfile, number])[] = [
  [selfHosted, 0],
  [allOn, 1],
  [argon2Hasher, 2],
];
test.each(table)('the three settings of the table: %s', (_, mcf, ...verdicts) => {
  for (const [profile, column] of settings) expect(serverVerdict(mcf, profile)).toBe(verdicts[column]);
});

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

/** What the library accepts although it never matches; found by running it beside this code. */
const lenient: readonly (readonly [what: string, mcf: string])[] = [
  ['bcrypt of characters that bcrypt does not have', `$2b$10$${'!'.repeat(53)}`],
  ['bcrypt that is too long', `$2b$10$${tail}and more`],
  ['bcrypt with another character before the cost', `$2b 10$${tail}`],
  ['bcrypt with a sign in the cost after two digits are made', `$2b$10.${tail}`],
  ['argon2 with more after the key', `$argon2id$v=19$m=8192,t=5,p=1$${argon2Key}$more`],
  ['argon2 with blanks for dollar signs', '$argon2id v=19 m=8192,t=5,p=1 c2FsdHNhbHQ a2V5a2V5'],
  ['argon2 and a line break', `$argon2id$v=19$m=8192,t=5,p=1$${argon2Key}\n`],
  ['argon2 with leading zeros', `$argon2id$v=019$m=08192,t=5,p=1$${argon2Key}`],
  ['pbkdf2 of padding only', '$pbkdf2-sha256$1000$====$===='],
  ['pbkdf2 with stray bits', '$pbkdf2-sha256$1000$c2FsdB$a2V5'],
  ['scrypt under the name of crypt(3)', '$7$ln=14,r=8,p=1$c2FsdA$a2V5'],
  ['md5 of any even number of digits', 'abcd'],
  ['salted md5 with a blank in the salt', '$md5salted-suffix$ab cd$FrPK/PvbkP8jWTdTos+Opw=='],
  ['md5 of crypt(3) of any length', '$1$a$b'],
  ['sha2 of crypt(3) of any length', '$5$a$b'],
  ['sha2 of crypt(3) of no rounds, which it counts as 5000', '$6$rounds=0$a$b'],
  ['sha2 of crypt(3) with something in front', 'x$6$a$b'],
  ['phpass of foreign characters', `$P$B${'é'.repeat(15)}`],
];

const strict: readonly (readonly [what: string, mcf: string, verdict: string])[] = [
  ['rounds with a sign', '$pbkdf2-sha256$+1000$c2FsdA$abcd', 'CRYPT-r8Qm2'],
  ['a digest that it does not know', '$pbkdf2-sha1$1000$c2FsdA$abcd', 'CRYPT-r8Qm2'],
  ['a line break in the middle', '$pbkdf2-sha256$1000$c2Fs\ndA$abcd', 'CRYPT-r8Qm2'],
  ['argon2 with stray bits', '$argon2id$v=19$m=8192,t=5,p=1$c2FsdHNhbHR$a2V5a2V5', 'CRYPT-r8Qm2'],
  ['more threads than 8 bits', `$argon2id$v=19$m=8192,t=5,p=256$${argon2Key}`, 'CRYPT-r8Qm2'],
  ['a negative cost of scrypt', '$scrypt$ln=-1,r=8,p=1$c2FsdA$a2V5', 'CRYPT-5uV9n'],
  ['a cost of scrypt beyond 64 bits', '$scrypt$ln=99999999999999999999,r=8,p=1$c2FsdA$a2V5', 'CRYPT-r8Qm2'],
  ['a cost of bcrypt that is no number', `$2b$1x$${tail}`, 'CRYPT-r8Qm2'],
  ['a cost of bcrypt beyond the algorithm', `$2b$32$${tail}`, 'CRYPT-r8Qm2'],
  ['phpass of a round character outside of the alphabet', `$P$!${'.'.repeat(30)}`, 'CRYPT-5uV9n'],
  ['drupal7 of an iteration character outside of the alphabet', `$S$!${'.'.repeat(51)}`, 'CRYPT-r8Qm2'],
  ['an odd number of hexadecimal digits', 'abc', 'CRYPT-r8Qm2'],
];

test.each(lenient)('serverVerdict accepts a hash that never matches: %s', (_, mcf) => {
  expect(serverVerdict(mcf, allOn)).toBe('ok');
});

test.each(strict)('serverVerdict refuses: %s', (_, mcf, verdict) => {
  expect(serverVerdict(mcf, allOn)).toBe(verdict);
});

test('isRecoveryCodeHash checks only the start of a hash', () => {
  expect(isRecoveryCodeHash('$2b$10$anything')).toBe(true);
  expect(isRecoveryCodeHash('$argon2id$v=19$m=8192,t=5,p=1$c2FsdA$a2V5')).toBe(false);
});
