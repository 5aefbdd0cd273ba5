/** Random hash strings: valid ones of every algorithm with any costs, and ones with a few characters changed. */
import * as fc from 'fast-check';
import { pbkdf2Digests, argon2, pbkdf2, scrypt } from '../../src/records/mcf/keyed.ts';
import { bcrypt, drupal7, md5, md5Crypt, md5Salted, phpass, shaCrypt } from '../../src/records/mcf/crypt.ts';
import { cryptAlphabet } from '../../src/records/mcf/base64.ts';

const textOf =
  (letters: string) =>
  (minLength: number, maxLength = minLength) =>
    fc.string({ unit: fc.constantFrom(...Array.from(letters)), minLength, maxLength });
const crypt = textOf(cryptAlphabet);
const base64 = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes) => Buffer.from(bytes).toString('base64'));
const padded = base64(1, 70);
const unpadded = padded.map((text) => text.replace(/=+$/, ''));
const count = (max: number, min = 1) => fc.integer({ min, max });

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
  fc
    .record({
      variant: fc.constantFrom('i', 'id'),
      memory: count(600_000),
      time: count(12),
      threads: count(20),
      salt: unpadded,
      key: unpadded,
    })
    .map(argon2.encode),
  fc
    .record({
      version: fc.constantFrom('2a', '2b', '2y'),
      cost: count(31, 4),
      salt: crypt(22),
      digest: crypt(31),
    })
    .map(bcrypt.encode),
  fc.record({ log2: count(30, 0), salt: crypt(8), digest: crypt(43) }).map(drupal7.encode),
  fc.record({ hex: textOf('0123456789abcdef')(32) }).map(md5.encode),
  fc.record({ salt: crypt(1, 8), checksum: crypt(22) }).map(md5Crypt.encode),
  fc
    .record({
      position: fc.constantFrom('prefix', 'suffix'),
      salt: textOf('abcXYZ019./+=-_:é日😀')(1, 20),
      digest: base64(16),
    })
    .map(md5Salted.encode),
  fc
    .record({
      digest: fc.constantFrom(...pbkdf2Digests),
      rounds: count(11_000_000),
      salt: padded,
      key: padded,
    })
    .map(pbkdf2.encode),
  fc
    .record({ name: fc.constantFrom('P', 'H'), log2: count(63), salt: crypt(8), digest: crypt(22) })
    .map(phpass.encode),
  fc
    .record({ ln: count(23, 10), r: count(35, 4), p: count(20), salt: unpadded, key: unpadded })
    .map(scrypt.encode),
  fc
    .constantFrom(256, 512)
    .chain((digest) =>
      fc.record({
        digest: fc.constant(digest),
        rounds: fc.option(count(999_999_999, 1000), { nil: undefined }),
        salt: crypt(1, 16),
        checksum: crypt(digest === 256 ? 43 : 86),
      }),
    )
    .map(shaCrypt.encode),
];
