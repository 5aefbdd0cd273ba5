/** Every form of hashes that a mapping can declare takes its password at a login, whether or not the target verifies it. */
import { createHash, createHmac, pbkdf2Sync, scryptSync } from 'node:crypto';
import { argon2d, argon2id, bcrypt } from 'hash-wasm';
import { expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { type Decoded, isRefused, isCheckable, secretsOf } from '../../../src/records/hash-forms/form.ts';
import { verifyDecoded } from '../../../src/records/hash-forms/verify-form.ts';
import { decodeHash } from '../../../src/records/hash-forms/decode.ts';
import { hashDecoders } from '../../../src/records/hash-forms/decoders.ts';
import { compileStored } from '../../../src/sources/table/mapping/password.ts';
import { passwordSchema } from '../../../src/sources/table/mapping/password-schema.ts';
import { madeHashes } from '../../support/samples.ts';

const salt = 'pinch of salt';
const typed = 'Grüezi 1';
const hash = (name: string, ...pieces: (string | Buffer)[]): Buffer =>
  createHash(name)
    .update(Buffer.concat(pieces.map((piece) => Buffer.from(piece))))
    .digest();
const hex = (name: string, ...pieces: string[]) => hash(name, ...pieces).toString('hex');
const keyed = (made: Buffer | Uint8Array) => ({
  s: Buffer.from(salt).toString('base64'),
  k: Buffer.from(made).toString('hex'),
});
const argon = { password: typed, salt: Buffer.from(salt), hashLength: 32, outputType: 'binary' } as const;
const costs = { iterations: 1, memorySize: 64, parallelism: 1 };
const parts = 'salt: { from: s, encoding: base64 }, key: { from: k, encoding: hex }';

function decode(password: string, row: object, secret: Uint8Array = Buffer.from('a secret')) {
  const mapping = passwordSchema.parse(parse(password));
  const secrets = { 'pepper.txt': secret };
  const read = compileStored(mapping, { nulls: new Set(), now: 0, columns: [] }, secrets);
  return read({ row, key: '', problems: [] }).decoded!;
}

/** As the reader of a `--jit-list` list has it. */
const listed = (decoded: Decoded) => JSON.parse(JSON.stringify(decoded)) as Decoded;

const digests = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'];
test.each(
  digests.flatMap((name) => [
    [`${name}(salt + password)`, hash(name, salt, typed)] as const,
    [`${name}(password + salt)`, hash(name, typed, salt)] as const,
    [`${name}(salt + password + salt)`, hash(name, salt, typed, salt)] as const,
    [`${name}(salt + ":" + hex(${name}(password)))`, hash(name, salt, ':', hex(name, typed))] as const,
    [`hmac-${name}(salt, password)`, createHmac(name, salt).update(typed).digest()] as const,
    [`${name}(secret + password)`, hash(name, 'a secret', typed)] as const,
    [
      `${name}(password), rounds: 3, again: salt`,
      hash(name, hash(name, hash(name, typed), salt), salt),
    ] as const,
    [
      `${name}(salt + utf-16le(password)), rounds: 2`,
      hash(name, hash(name, salt, Buffer.from(typed, 'utf16le'))),
    ] as const,
  ]),
)('digest: %s', async (of, made) => {
  const [formula, ...others] = of.split(', rounds');
  const rest = others.length === 0 ? '' : `, rounds${others.join('')}`;
  const mapping = `{ digest: { of: '${formula}'${rest}, ${parts} }, secret: { file: pepper.txt } }`;
  const decoded = listed(decode(mapping, keyed(made)));
  expect(await verifyDecoded(decoded, typed)).toBe(true);
  expect(await verifyDecoded(decoded, `${typed}?`)).toBe(false);
  const form = isRefused(decoded) ? decoded.form : undefined;
  expect(form === undefined || isCheckable(form)).toBe(true);
});

const bcryptOf = (password: string) =>
  bcrypt({ password, salt: Buffer.alloc(16, 1), costFactor: 4, outputType: 'encoded' });

test.each<[mapping: string, row: object, code?: string]>([
  [
    `{ pbkdf2: { digest: sha256, rounds: 10, salted: salt + secret, ${parts} }, secret: { file: pepper.txt } }`,
    keyed(pbkdf2Sync(typed, `${salt}a secret`, 10, 32, 'sha256')),
  ],
  [
    `{ pbkdf2: { digest: sha3-256, rounds: { from: n }, ${parts} } }`,
    { ...keyed(pbkdf2Sync(typed, salt, 10, 32, 'sha3-256')), n: 10 },
    'password:algorithm-unsupported',
  ],
  [
    `{ scrypt: { cost: 16, blockSize: 8, parallelization: 1, ${parts} }, pepper: none, prehash: hex(md5(password)) }`,
    keyed(scryptSync(hex('md5', typed), salt, 32, { N: 16, r: 8, p: 1 })),
    'password:prehashed',
  ],
  [
    `{ argon2: { variant: id, memoryKiB: 64, time: 1, threads: 1, ${parts} } }`,
    keyed(await argon2id({ ...argon, ...costs })),
  ],
  [
    `{ argon2: { variant: d, memoryKiB: 64, time: 1, threads: 1, ${parts} } }`,
    keyed(await argon2d({ ...argon, ...costs })),
    'password:algorithm-unsupported',
  ],
  [
    '{ digest: { of: sha1(password + salt), packed: { from: k, encoding: base64, layout: [{ key: 20 }, { salt: rest }] } } }',
    { k: Buffer.concat([hash('sha1', typed, salt), Buffer.from(salt)]).toString('base64') },
    'password:algorithm-unsupported',
  ],
  [
    '{ from: k, format: bcrypt, pepper: none, prehash: "base64(hmac-sha256(secret, password))", secret: { file: pepper.txt } }',
    { k: await bcryptOf(createHmac('sha256', 'a secret').update(typed).digest('base64')) },
    'password:prehashed',
  ],
  [
    '{ from: k, format: bcrypt, pepper: prefix, prehash: none, secret: { file: pepper.txt } }',
    { k: await bcryptOf(`a secret${typed}`) },
    'password:peppered',
  ],
])('%s', async (mapping, row, code) => {
  const decoded = listed(decode(mapping, row));
  expect(isRefused(decoded) ? decoded.code : undefined).toBe(code);
  expect(await verifyDecoded(decoded, typed)).toBe(true);
  expect(await verifyDecoded(decoded, `${typed}?`)).toBe(false);
});

it('a secret that the operator has not given is asked for at the login', () => {
  const decoded = decode(`{ digest: { of: md5(secret + password), ${parts} } }`, keyed(hash('md5', typed)));
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

test.each(madeHashes().map((row) => [`${row.decoder}, ${row.form}`, row] as const))(
  'a mapping reads as its source does: %s',
  (_title, { decoder, parts: row }) => {
    // An object is in the place of the hash.
    const from = row.hash === '' ? 'options' : 'hash';
    const columns = 'salt: salt, algorithm: algorithm, rounds: rounds, options: options';
    const secret = row.secret === undefined ? '' : ', secret: { file: pepper.txt }';
    const decoded = decode(`{ from: ${from}, format: ${decoder}, ${columns}${secret} }`, row, row.secret);
    expect(decoded).toEqual(decodeHash(hashDecoders.get(decoder)!, row));
  },
);
