import { array, assert, constantFrom, integer, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  packBcrypt,
  packedWords,
  samePacked,
  unpackBcrypt,
} from '../../../../src/sources/auth0/join/packed-bcrypt.ts';

const letters = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'.split('');
const bcrypt = tuple(
  constantFrom('a', 'b', 'y'),
  integer({ min: 0, max: 99 }),
  array(constantFrom(...letters), { minLength: 53, maxLength: 53 }),
).map(([version, cost, rest]) => `$2${version}$${String(cost).padStart(2, '0')}$${rest.join('')}`);

/** Packs with other bytes round the hash. */
function pack(hash: string, into: Uint32Array, at: number): boolean {
  const bytes = Buffer.from(`"${hash}"`, 'utf8');
  return packBcrypt(bytes, 1, bytes.length - 1, into, at);
}

describe('a packed bcrypt hash', () => {
  it('comes back as it was, beside others', () => {
    assert(
      property(bcrypt, bcrypt, (one, other) => {
        const words = new Uint32Array(2 * packedWords);
        expect(pack(one, words, 0)).toBe(true);
        expect(pack(other, words, packedWords)).toBe(true);
        expect([unpackBcrypt(words, 0), unpackBcrypt(words, packedWords)]).toEqual([one, other]);
        expect(samePacked(words, 0, words, packedWords)).toBe(one === other);
        expect(samePacked(words, 0, words.slice(), 0)).toBe(true);
      }),
    );
  });

  it('is refused when one character is not of the alphabet', () => {
    assert(
      property(
        bcrypt,
        integer({ min: 0, max: 59 }),
        constantFrom(' ', 'é', '+', '€', '='),
        (hash, at, wrong) => {
          const spoilt = hash.slice(0, at) + wrong + hash.slice(at + 1);
          expect(pack(spoilt, new Uint32Array(packedWords), 0)).toBe(false);
        },
      ),
    );
  });

  it.each(['', '$2', '$2b$10$short', `$2x$10$${'a'.repeat(53)}`, `$2b$10$${'a'.repeat(54)}`])(
    'is refused for %j',
    (text) => {
      expect(pack(text, new Uint32Array(packedWords), 0)).toBe(false);
    },
  );
});
