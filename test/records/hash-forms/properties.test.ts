import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type Decoded, isPlain, isRefused } from '../../../src/records/hash-forms/form.ts';
import type { HashParts } from '../../../src/records/hash-forms/row.ts';
import { decodeHash } from '../../../src/records/hash-forms/decode.ts';
import { hashDecoders } from '../../../src/records/hash-forms/decoders.ts';
import { isProblem } from '../../../src/records/mcf/algorithm.ts';
import { recognise } from '../../../src/records/mcf/recognise.ts';
import { reasons } from '../../../src/records/reasons.ts';
import { decodeMade } from '../../support/samples.ts';

/** Texts that come close to what decoders read: their own marks between random pieces. */
const marks = fc.constantFrom(
  '$',
  ':',
  '{SSHA}',
  '{MD5}',
  'pbkdf2_sha256',
  '$argon2id$v=19$m=8192,t=1,p=1$',
  '$2b$10$',
  '$wp',
  'md5',
  '=',
  ',',
  '$pbkdf2-sha256$i=1,l=2$',
  '$scrypt$ln=1,r=1,p=1$',
  '[',
  ']',
  '"@"',
  '{"ARGON2ID":',
  '}',
  '1|',
  'AQAAAA',
  '00',
);
const piece = fc.oneof(
  marks,
  fc.base64String({ maxLength: 40 }),
  fc.stringMatching(/^[0-9a-f]{0,40}$/),
  fc.string(),
);
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });

const parts: fc.Arbitrary<HashParts> = fc
  .record({
    hash: text,
    salt: optional(text),
    algorithm: optional(
      fc.oneof(text, fc.constantFrom('PBKDF2', 'Legacy', 'bcrypt', 'scrypt', 'salted-md5')),
    ),
    rounds: optional(text),
    options: optional(
      fc.dictionary(fc.constantFrom('N', 'r', 'p', 'salt', 'algorithm', 'value'), fc.jsonValue()),
    ),
    secret: optional(fc.uint8Array({ maxLength: 8 })),
  })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as never);

/** Empty where the answer is one that a run can use. */
function flawOf(decoded: Decoded) {
  if (isPlain(decoded)) return '';
  if (isRefused(decoded)) return decoded.code in reasons && decoded.detail !== '' ? '' : decoded.code;
  const found = recognise(decoded.mcf);
  if (isProblem(found)) return found.detail;
  return found.mcf === decoded.mcf ? '' : `${decoded.mcf} is not canonical`;
}

describe.each([...hashDecoders])('the decoder %s', (_name, decoder) => {
  it('never throws, and returns a valid hash or a reason', () => {
    fc.assert(
      fc.property(parts, (given) => {
        expect(flawOf(decodeHash(decoder, given))).toBe('');
      }),
      { numRuns: 300 },
    );
  });

  it('describes itself', () => {
    expect(decoder.title).not.toBe('');
    expect(`${decoder.converts}${decoder.refuses}`).not.toBe('');
  });
});

test.each([32, 40, 56, 64, 96, 128])('%i hexadecimal digits are ambiguous', (digits) => {
  fc.assert(
    fc.property(fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`)), (hash) => {
      expect(decodeMade('auto', { hash })).toMatchObject({
        code: 'password:ambiguous-format',
      });
    }),
    { numRuns: 20 },
  );
});

test.each(['dGhpcyBpcyBhIGRpZ2VzdCBvZiBzb21ldGhpbmc=', 'a:b', '5f4dcc3b5aa765d61d8327deb882cf99:salt'])(
  '%s is ambiguous',
  (hash) =>
    expect(decodeMade('auto', { hash })).toMatchObject({
      code: 'password:ambiguous-format',
    }),
);
