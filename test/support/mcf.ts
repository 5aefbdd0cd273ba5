/** Random hash strings: valid ones of every algorithm with any costs, and ones with a few characters changed. */
import * as fc from 'fast-check';
import { pbkdf2Digests, argon2, pbkdf2, scrypt } from '../../src/records/mcf/keyed.ts';
import { bcrypt, drupal7, md5, md5Crypt, md5Salted, phpass, shaCrypt } from '../../src/records/mcf/crypt.ts';
import { cryptAlphabet } from '../../src/records/mcf/base64.ts';

const crypt = (minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...Array.from(cryptAlphabet)), minLength, maxLength });
const padded = fc
  .uint8Array({ minLength: 1, maxLength: 70 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));
const unpadded = padded.map((text) => text.replace(/=+$/, ''));
const count = (max: number) => fc.integer({ min: 1, max });

const pbkdf2Parts = fc.record({
  digest: fc.constantFrom(...pbkdf2Digests),
  rounds: count(2 ** 32 - 1),
  salt: padded,
  key: padded,
});

const argon2Parts = fc.record({
  variant: fc.constantFrom('i', 'id'),
  memory: count(2 ** 32 - 1),
  time: count(2 ** 32 - 1),
  threads: count(255),
  salt: unpadded,
  key: unpadded,
});

const bcryptParts = fc.record({
  version: fc.constantFrom('2a', '2b', '2y'),
  cost: fc.integer({ min: 4, max: 31 }),
  salt: crypt(22),
  digest: crypt(31),
});

const scryptParts = fc.record({
  ln: count(62),
  r: count(30_000),
  p: count(30_000),
  salt: unpadded,
  key: unpadded,
});

const shaCryptParts = fc.constantFrom(256, 512).chain((digest) =>
  fc.record({
    digest: fc.constant(digest),
    rounds: fc.option(fc.integer({ min: 1000, max: 999_999_999 }), { nil: undefined }),
    salt: crypt(1, 16),
    checksum: crypt(digest === 256 ? 43 : 86),
  }),
);

const md5CryptParts = fc.record({
  salt: crypt(1, 8),
  checksum: crypt(22),
});

const md5Parts = fc.record({
  hex: fc.string({ unit: fc.constantFrom(...Array.from('0123456789abcdef')), minLength: 32, maxLength: 32 }),
});

const md5SaltedParts = fc.record({
  position: fc.constantFrom('prefix', 'suffix'),
  salt: fc.string({
    unit: fc.constantFrom(...Array.from('abcXYZ019./+=-_:é日😀')),
    minLength: 1,
    maxLength: 20,
  }),
  digest: fc
    .uint8Array({ minLength: 16, maxLength: 16 })
    .map((bytes) => Buffer.from(bytes).toString('base64')),
});

const phpassParts = fc.record({
  name: fc.constantFrom('P', 'H'),
  log2: count(63),
  salt: crypt(8),
  digest: crypt(22),
});

const drupal7Parts = fc.record({
  log2: fc.integer({ min: 0, max: 30 }),
  salt: crypt(8),
  digest: crypt(43),
});

/** Characters and pieces that hash grammars care about. */
const pieces =
  '$| |\n|\r\n|\t|+|-|=|==|_|.|/|0|9|a|Z|é|\u00a0|\ufeff|\0|,|v=19|m=|rounds=|+8|256|4294967296|😀|99999999999999999999'.split(
    '|',
  );

/** A text with one to three changes: a piece more, some characters less, a piece for a character, an end cut off. */
export function mutated(texts: fc.Arbitrary<string>) {
  const change = fc.record({
    at: fc.nat(150),
    drop: fc.constantFrom(0, 0, 1, 2, 1000),
    piece: fc.constantFrom('', ...pieces),
  });
  return fc.tuple(texts, fc.array(change, { minLength: 1, maxLength: 3 })).map(([text, changes]) => {
    let changed = text;
    for (const { at, drop, piece } of changes) {
      const place = at % (changed.length + 1);
      changed = changed.slice(0, place) + piece + changed.slice(place + drop);
    }
    return changed;
  });
}

export const hashTexts: readonly fc.Arbitrary<string>[] = [
  argon2Parts.map((some) =>
    argon2.encode({
      ...some,
      memory: 1 + (some.memory % 600_000),
      time: 1 + (some.time % 12),
      threads: 1 + (some.threads % 20),
    }),
  ),
  bcryptParts.map(bcrypt.encode),
  drupal7Parts.map(drupal7.encode),
  md5Parts.map(md5.encode),
  md5CryptParts.map(md5Crypt.encode),
  md5SaltedParts.map(md5Salted.encode),
  pbkdf2Parts.map((some) => pbkdf2.encode({ ...some, rounds: 1 + (some.rounds % 11_000_000) })),
  phpassParts.map(phpass.encode),
  scryptParts.map((some) =>
    scrypt.encode({ ...some, ln: 10 + (some.ln % 14), r: 4 + (some.r % 32), p: 1 + (some.p % 20) }),
  ),
  shaCryptParts.map(shaCrypt.encode),
];
