import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Decoded, isRefused } from '../../../src/records/hash-forms/decoded.ts';
import { isObject } from '../../../src/lib/json-value.ts';
import { decodeHash } from '../../../src/records/hash-forms/decode.ts';
import { hashDecoders } from '../../../src/records/hash-forms/decoders.ts';

function decode(custom: unknown): Decoded {
  const parts = isObject(custom) ? { hash: '', options: custom } : { hash: JSON.stringify(custom) };
  return decodeHash(hashDecoders.get('auth0')!, parts);
}

function problem(custom: unknown): string {
  const found = decode(custom);
  return isRefused(found) ? `${found.code}: ${found.detail}` : 'converted';
}

describe('custom_password_hash', () => {
  it('of md5 without a salt is the digest in hexadecimal', () => {
    const digest = createHash('md5').update('secret').digest();
    const expected = digest.toString('hex');
    expect(decode({ algorithm: 'md5', hash: { value: digest.toString('base64') } })).toEqual({
      mcf: expected,
    });
    expect(decode({ algorithm: 'md5', hash: { value: expected } })).toEqual({ mcf: expected });
  });

  it('of an unknown algorithm has no verifier', () => {
    const custom = { algorithm: '', hash: { value: 'ff', encoding: 'hex' } };
    expect(problem(custom)).toBe('password:algorithm-unsupported: algorithm an unknown one');
  });

  it.each([
    ['a list', [], 'custom_password_hash is not an object'],
    ['no value', { algorithm: 'bcrypt' }, 'no hash.value'],
    [
      'a UTF-16 password',
      { algorithm: 'md5', hash: { value: 'ff'.repeat(16) }, password: { encoding: 'utf16le' } },
      'utf16le',
    ],
    ['a cost that is no power of two', scrypt({ cost: 1000 }), 'power of two'],
    ['another length than keylen', scrypt({ keylen: 64 }), 'where the hash says 64'],
    ['a salt that is not hexadecimal', scrypt({ salt: { value: 'xyz', encoding: 'hex' } }), 'salt.value'],
    ['no salt', scrypt({ salt: null }), 'the salt is empty'],
    [
      'a length l that is not the key’s',
      pbkdf2('$pbkdf2-sha256$i=1000,l=20$c2FsdA$AQIDBA'),
      'where the hash says 20',
    ],
    ['a salt of MD5 without a position', md5({ value: 'x' }), 'salt.position'],
    [
      'a salt of MD5 that is not text',
      md5({ value: 'ff', encoding: 'hex', position: 'prefix' }),
      'a salt of bytes',
    ],
    ['a salt of MD5 with a blank', md5({ value: 'a b', position: 'prefix' }), 'blank'],
  ])('with %s says why', (_, custom, words) => {
    expect(problem(custom)).toContain(words);
  });
});

function scrypt(changes: object): object {
  return {
    algorithm: 'scrypt',
    hash: { value: '00'.repeat(32), encoding: 'hex' },
    salt: { value: 'salt' },
    ...changes,
  };
}

function pbkdf2(value: string): object {
  return { algorithm: 'pbkdf2', hash: { value } };
}

function md5(salt: object): object {
  return { algorithm: 'md5', hash: { value: '00'.repeat(16), encoding: 'hex' }, salt };
}
