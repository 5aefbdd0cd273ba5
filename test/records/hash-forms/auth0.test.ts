/** `custom_password_hash` of Auth0: what is wrong with one is said. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json-value.ts';
import { decodeMade } from '../../support/samples.ts';

const decode = (options: JsonObject) => decodeMade('auth0', { hash: '', options });
const scrypt = (changes: object): JsonObject => ({
  algorithm: 'scrypt',
  hash: { value: '00'.repeat(32), encoding: 'hex' },
  salt: { value: 'salt' },
  ...changes,
});
const md5 = (salt: object): JsonObject => ({
  algorithm: 'md5',
  hash: { value: '00'.repeat(16), encoding: 'hex' },
  salt,
});

it('custom_password_hash of MD5 may be hexadecimal or base64', () => {
  const digest = createHash('md5').update('secret').digest();
  const mcf = digest.toString('hex');
  for (const value of [mcf, digest.toString('base64')])
    expect(decode({ algorithm: 'md5', hash: { value } })).toEqual({ mcf });
});

it.each([
  [{ algorithm: '', hash: { value: 'ff', encoding: 'hex' } }, 'algorithm unknown'],
  [{ algorithm: 'bcrypt' }, 'no hash.value'],
  [{ algorithm: 'md5', hash: { value: 'ff'.repeat(16) }, password: { encoding: 'utf16le' } }, 'utf16le'],
  [scrypt({ cost: 1000 }), 'power of two'],
  [scrypt({ keylen: 64 }), 'where the hash says 64'],
  [scrypt({ salt: { value: 'xyz', encoding: 'hex' } }), 'salt.value'],
  [scrypt({ salt: null }), 'the salt is empty'],
  [
    { algorithm: 'pbkdf2', hash: { value: '$pbkdf2-sha256$i=1000,l=20$c2FsdA$AQIDBA' } },
    'where the hash says 20',
  ],
  [md5({ value: 'x' }), 'salt.position'],
  [md5({ value: 'ff', encoding: 'hex', position: 'prefix' }), 'a salt of bytes'],
  [md5({ value: 'a b', position: 'prefix' }), 'blank'],
])('custom_password_hash %j is refused: %s', (custom, words) => {
  expect(decode(custom)).toMatchObject({ detail: expect.stringContaining(words) });
});

it('custom_password_hash refuses a list', () => {
  expect(decodeMade('auth0', { hash: '[]' })).toMatchObject({
    detail: 'custom_password_hash is not an object',
  });
});
