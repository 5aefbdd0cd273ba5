import { describe, expect, it, test } from 'vitest';
import { encodeArgon2, encodePbkdf2, encodeScrypt } from '../../../src/records/mcf/keyed.ts';

describe('PBKDF2 from the parts of a source', () => {
  const parts = { digest: 'sha256', rounds: 27500, saltBase64: '+/+/+w==', keyBase64: 'a2V5+w==' };

  it('does not mind blanks around the base64, nor missing padding', () => {
    const loose = { ...parts, saltBase64: ' +/+/+w \n', keyBase64: '\ta2V5+w== ' };
    expect(encodePbkdf2(loose)).toBe(encodePbkdf2(parts));
  });

  test.each([
    [{ digest: 'sha3-256' }, 'password:algorithm-unsupported', 'the digest of pbkdf2 is sha3-256'],
    [{ digest: 'toString' }, 'password:algorithm-unsupported', 'the digest of pbkdf2 is toString'],
    [
      { digest: 'a secret, by mistake' },
      'password:algorithm-unsupported',
      'the digest of pbkdf2 is an unknown one',
    ],
    [{ rounds: 0 }, 'password:malformed', 'the number of rounds cannot be read'],
    [{ rounds: 1.5 }, 'password:malformed', 'the number of rounds cannot be read'],
    [{ rounds: Number.NaN }, 'password:malformed', 'the number of rounds cannot be read'],
    [{ rounds: 2 ** 32 }, 'password:malformed', 'the number of rounds cannot be read'],
    [{ saltBase64: '' }, 'password:malformed', 'the salt is empty'],
    [{ saltBase64: '_-_-' }, 'password:malformed', 'the salt is in the URL-safe alphabet of base64'],
    [{ saltBase64: '__SALT__' }, 'password:malformed', 'the salt is in the URL-safe alphabet of base64'],
    [{ keyBase64: '+/+.' }, 'password:malformed', 'the key mixes `+` and `.`, two alphabets of base64'],
    [{ keyBase64: 'a b' }, 'password:malformed', 'the key is not base64'],
  ])('with %o is %s: %s', (change, code, detail) => {
    expect(encodePbkdf2({ ...parts, ...change })).toEqual({ code, detail });
  });
});

describe('Argon2 from the parts of a source', () => {
  const parts = {
    variant: 'id',
    version: 19,
    memory: 7168,
    time: 5,
    threads: 1,
    saltBase64: 'c2FsdHNhbHQ=',
    keyBase64: 'a2V5a2V5a2V5+w==',
  };

  test.each([
    [{ variant: 'd' }, 'password:algorithm-unsupported', 'the variant of argon2 is d'],
    [{ version: 16 }, 'password:algorithm-unsupported', 'another version of argon2 than 1.3 (`v=19`)'],
    [{ memory: Number.NaN }, 'password:malformed', 'the memory cost cannot be read'],
    [{ time: 0 }, 'password:malformed', 'the time cost cannot be read'],
    [{ threads: 256 }, 'password:malformed', 'the number of threads cannot be read'],
    [{ saltBase64: '' }, 'password:malformed', 'the salt is empty'],
    [{ keyBase64: 'a-_b' }, 'password:malformed', 'the key is in the URL-safe alphabet of base64'],
  ])('with %o is %s: %s', (change, code, detail) => {
    expect(encodeArgon2({ ...parts, ...change })).toEqual({ code, detail });
  });
});

describe('scrypt from the parts of a source', () => {
  const parts = { cost: 16384, r: 8, p: 1, saltBase64: 'c2FsdA==', keyBase64: 'a2V5' };

  test.each([
    [{ cost: 16385 }, 'password:algorithm-unsupported', 'the cost of scrypt is not a power of two'],
    [{ cost: 1 }, 'password:malformed', 'the cost (ln) cannot be read'],
    [{ r: 0 }, 'password:malformed', 'the block size (r) cannot be read'],
    [{ p: 0.5 }, 'password:malformed', 'the parallelization (p) cannot be read'],
    [{ r: 2 ** 20, p: 2 ** 20 }, 'password:malformed', expect.stringContaining('too large')],
    [{ saltBase64: '' }, 'password:malformed', 'the salt is empty'],
  ])('with %o is %s', (change, code, detail) => {
    expect(encodeScrypt({ ...parts, ...change })).toEqual({ code, detail });
  });
});
