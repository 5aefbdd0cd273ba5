/** Every form of hashes that a mapping can declare takes its password at a login, whether or not the target verifies it. */
import { expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { type Decoded, isRefused, isCheckable, secretsOf } from '../../../src/records/hash-forms/form.ts';
import { verifyDecoded } from '../../../src/records/hash-forms/verify-form.ts';
import { compileStored } from '../../../src/sources/table/mapping/password.ts';
import { passwordSchema } from '../../../src/sources/table/mapping/schema.ts';
import { declaredHashes, decodeMade, madeHashes } from '../../support/samples.ts';

const parts = 'salt: { from: s, encoding: base64 }, key: { from: k, encoding: hex }';

function decode(password: string, row: object, secret: Uint8Array = Buffer.alloc(0)) {
  const mapping = passwordSchema.parse(parse(password));
  const secrets = { 'pepper.txt': secret };
  const read = compileStored(mapping, { now: 0, columns: [] }, secrets);
  return read({ row, key: '', problems: [] }).decoded!;
}

test.each(declaredHashes())('$mapping', async ({ mapping, password, row, secret = 'a secret', code }) => {
  // As the reader of a `--jit-list` list has it.
  const decoded: Decoded = JSON.parse(JSON.stringify(decode(mapping, row, Buffer.from(secret))));
  expect(isRefused(decoded) ? decoded.code : undefined).toBe(code);
  const form = isRefused(decoded) ? decoded.form : undefined;
  expect(form === undefined || isCheckable(form)).toBe(true);
  expect(await verifyDecoded(decoded, password)).toBe(true);
  expect(await verifyDecoded(decoded, `${password}?`)).toBe(false);
});

it('a missing secret is required at the login', () => {
  const decoded = decode(`{ digest: { of: md5(secret + password), ${parts} } }`, {
    s: 'cw==',
    k: '00'.repeat(16),
  });
  expect(isRefused(decoded) && decoded.form ? secretsOf(decoded.form) : []).toEqual(['pepper']);
});

test.each([
  ['sha1(salt + password', 'a ) is missing after sha1('],
  ['sha1(salt)', 'the password is not in it'],
  ['sha1(pepper + password)', 'there is no pepper'],
  ['crc32(password)', 'there is no crc32()'],
  ['hmac-md4(salt, password)', 'there is no hmac-md4()'],
  ['sha1(password, salt)', 'sha1() takes one value'],
  ['sha1(password) salt', 'nothing can follow sha1(password)'],
  ['hex(password)', 'hex() takes a digest'],
  ['sha1(', 'it is cut off'],
  ['nfkc(password)', 'is not a digest'],
])('the formula %s is refused: %s', (of, problem) => {
  expect(() => decode(`{ digest: { of: '${of}', ${parts} } }`, {})).toThrow(problem);
});

test.each(madeHashes().map((row) => [`${row.decoder}, ${row.form}`, row]))(
  'a mapping decodes as its source does: %s',
  (_title, { decoder, parts: row }) => {
    // An object is in the place of the hash.
    const from = row.hash === '' ? 'options' : 'hash';
    const columns = 'salt: salt, algorithm: algorithm, rounds: rounds, options: options';
    const secret = row.secret === undefined ? '' : ', secret: { file: pepper.txt }';
    const decoded = decode(`{ from: ${from}, format: ${decoder}, ${columns}${secret} }`, row, row.secret);
    expect(decoded).toEqual(decodeMade(decoder, row));
  },
);
