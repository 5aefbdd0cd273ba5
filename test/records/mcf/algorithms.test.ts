import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { argon2, pbkdf2, scrypt } from '../../../src/records/mcf/keyed.ts';
import {
  bcrypt,
  drupal7,
  md5,
  md5Crypt,
  md5Salted,
  phpass,
  shaCrypt,
} from '../../../src/records/mcf/crypt.ts';
import {
  type HashAlgorithm,
  algorithmNames,
  isProblem,
  type McfProblem,
  type Recognised,
  verifierNames,
} from '../../../src/records/mcf/algorithm.ts';
import { recognise } from '../../../src/records/mcf/recognise.ts';
import * as random from '../../support/mcf.ts';

/** Hides the parts, so that one table has all algorithms. */
function row<Parts>(name: string, algorithm: HashAlgorithm<Parts>, parts: fc.Arbitrary<Parts>) {
  const cases = parts.map((some) => {
    const text = algorithm.encode(some);
    return { text, parts: some, decoded: algorithm.decode(text), description: algorithm.describe(some) };
  });
  return { name, cases, texts: cases.map(({ text }) => text) };
}

const algorithms = [
  row('argon2', argon2, random.argon2Parts),
  row('bcrypt', bcrypt, random.bcryptParts),
  row('drupal7', drupal7, random.drupal7Parts),
  row('md5', md5, random.md5Parts),
  row('md5-crypt', md5Crypt, random.md5CryptParts),
  row('md5salted', md5Salted, random.md5SaltedParts),
  row('pbkdf2', pbkdf2, random.pbkdf2Parts),
  row('phpass', phpass, random.phpassParts),
  row('scrypt', scrypt, random.scryptParts),
  row('sha-crypt', shaCrypt, random.shaCryptParts),
];

/** A problem stays what it is; anything else is recognised again, and must be just the same. */
function again(found: Recognised | McfProblem): Recognised | McfProblem {
  return isProblem(found) ? found : recognise(found.mcf);
}

describe.each(algorithms)('$name', ({ cases, texts }) => {
  test('decode reads what encode wrote', () => {
    const property = fc.property(cases, ({ parts, decoded }) => {
      expect(decoded).toEqual(parts);
    });
    fc.assert(property, { numRuns: 100 });
  });

  test('is recognised as what it says of itself', () => {
    const property = fc.property(cases, ({ text, description }) => {
      expect(recognise(text)).toEqual({ mcf: text, ...description });
      expect(algorithmNames).toContain(description.algorithm);
      expect(verifierNames).toContain(description.verifier);
    });
    fc.assert(property, { numRuns: 50 });
  });

  test('a changed text is a problem or has a canonical form, and never an error', () => {
    const property = fc.property(random.mutated(texts), (text) => {
      const found = recognise(text);
      expect(again(found)).toEqual(found);
    });
    fc.assert(property, { numRuns: 400 });
  });
});

const alone = (text: string): unknown => {
  recognise('$pbkdf2-sha512$1$AAAA$AAAA');
  return recognise(text);
};

test.each(algorithms)('what was recognised before makes no difference to $name', ({ texts }) => {
  const pairs = texts.chain((text) => fc.tuple(fc.constant(text), random.mutated(fc.constant(text))));
  const property = fc.property(pairs, ([text, changed]) => {
    const expected = [alone(changed), alone(text)];
    recognise(text);
    expect([recognise(changed), recognise(text)]).toEqual(expected);
  });
  fc.assert(property, { numRuns: 300 });
});

test('any text is a problem or has a canonical form, and never an error', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.string().map((text) => `$${text}$`),
  );
  const property = fc.property(texts, (text) => {
    const found = recognise(text);
    expect(again(found)).toEqual(found);
  });
  fc.assert(property, { numRuns: 500 });
});
