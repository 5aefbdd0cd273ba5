/** Hash strings of the parts that sources have: what is wrong with a part is said. */
import { expect, it, test } from 'vitest';
import { encodeArgon2, encodePbkdf2, encodeScrypt } from '../../../src/records/mcf/keyed.ts';

const keys = { salt: '+/+/+w==', key: 'a2V5+w==' };
const ofPbkdf2 = { digest: 'sha256', rounds: 27500, ...keys };
const pbkdf2 = (change: Partial<typeof ofPbkdf2>) => () => encodePbkdf2({ ...ofPbkdf2, ...change });
const ofArgon2 = { variant: 'id', version: 19, memory: 7168, time: 5, threads: 1, ...keys };
const argon2 = (change: Partial<typeof ofArgon2>) => () => encodeArgon2({ ...ofArgon2, ...change });
const ofScrypt = { cost: 16384, r: 8, p: 1, ...keys };
const scrypt = (change: Partial<typeof ofScrypt>) => () => encodeScrypt({ ...ofScrypt, ...change });

it('hash encoders ignore spaces around base64 and missing padding', () => {
  const loose = { salt: ' +/+/+w \n', key: '\ta2V5+w== ' };
  for (const make of [pbkdf2, argon2, scrypt]) {
    expect(make(loose)()).toBe(make({})());
    expect(make({})()).toMatch(/^\$/);
  }
});

test.each([
  [pbkdf2({ digest: 'toString' }), 'algorithm-unsupported: the digest of pbkdf2 is toString'],
  [pbkdf2({ digest: 'a secret, by mistake' }), 'algorithm-unsupported: the digest of pbkdf2 is unknown'],
  ...[0, 1.5, Number.NaN, 2 ** 32].map((rounds): [() => unknown, string] => [
    pbkdf2({ rounds }),
    'malformed: the number of rounds cannot be read',
  ]),
  [pbkdf2({ salt: '' }), 'malformed: the salt is empty'],
  [pbkdf2({ salt: '__SALT__' }), 'malformed: the salt is in the URL-safe alphabet of base64'],
  [pbkdf2({ key: '+/+.' }), 'malformed: the key mixes `+` and `.`, two alphabets of base64'],
  [pbkdf2({ key: 'a b' }), 'malformed: the key is not base64'],
  [argon2({ variant: 'x' }), 'algorithm-unsupported: the variant of argon2 is x'],
  [argon2({ version: 16 }), 'algorithm-unsupported: another version of argon2 than 1.3 (`v=19`)'],
  [argon2({ memory: Number.NaN }), 'malformed: the memory cost cannot be read'],
  [argon2({ time: 0 }), 'malformed: the time cost cannot be read'],
  [argon2({ threads: 256 }), 'malformed: the number of threads cannot be read'],
  [argon2({ salt: '' }), 'malformed: the salt is empty'],
  [argon2({ key: 'a-_b' }), 'malformed: the key is in the URL-safe alphabet of base64'],
  [scrypt({ cost: 16385 }), 'algorithm-unsupported: the cost of scrypt is not a power of two'],
  [scrypt({ cost: 1 }), 'malformed: the cost (ln) cannot be read'],
  [scrypt({ r: 0 }), 'malformed: the block size (r) cannot be read'],
  [scrypt({ p: 0.5 }), 'malformed: the parallelization (p) cannot be read'],
  [scrypt({ r: 2 ** 20, p: 2 ** 20 }), 'malformed: block size times parallelization is too large for scrypt'],
  [scrypt({ salt: '' }), 'malformed: the salt is empty'],
])('hash encoder %#: %s', (encode, problem) => {
  const [code, detail] = problem.split(': ');
  expect(encode()).toEqual({ code: `password:${code}`, detail });
});
