import * as fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { recognise } from '../../../src/records/mcf/recognise.ts';
import { hashTexts, mutated } from '../../support/mcf.ts';
import { verifiedHashes } from '../../support/samples.ts';

const samples = verifiedHashes();

const refused = [
  ['NEG kratos raw PHC pbkdf2', 'password:malformed', 'i=…,l=…'],
  ['NEG scrypt padded', 'password:malformed', 'unpadded'],
  ['NEG django argon2i without v=', 'password:algorithm-unsupported', 'version 1.0'],
  ['NEG $2$', 'password:algorithm-unsupported', '`$2$`'],
  ['NEG $2x$', 'password:algorithm-unsupported', '`$2x$`'],
  ['NEG wp 6.8', 'password:algorithm-unsupported', 'WordPress 6.8'],
  ['NEG wp68 as is', 'password:algorithm-unsupported', 'WordPress 6.8'],
  ['NEG ldap SSHA', 'password:algorithm-unsupported', '{SSHA}'],
  ['NEG yescrypt', 'password:algorithm-unsupported', 'yescrypt'],
  ['NEG scrypt $7$ crypt(3) form', 'password:algorithm-unsupported', '`$7$`'],
  ['NEG sha1 hex accepted by Validate?', 'password:unverifiable', 'SHA-1'],
  ['NEG empty salt', 'password:malformed', 'salt is empty'],
  ['NEG rounds overflow', 'password:malformed', 'rounds'],
  ['NEG 2 chars', 'password:malformed', 'dollar sign'],
  ['NEG mixed + and .', 'password:malformed', 'mixes'],
  ['NEG url-safe b64', 'password:malformed', 'URL-safe'],
  ['NEG salt with $', 'password:unverifiable', 'dollar sign'],
  ['NEG salt with space', 'password:unverifiable', 'blank'],
  ['NEG md5salted unpadded hash', 'password:unverifiable', 'padded base64'],
  ['NEG argon2id padded base64', 'password:malformed', 'unpadded'],
  ['NEG argon2id v=16', 'password:algorithm-unsupported', 'version'],
  ['NEG argon2d', 'password:algorithm-unsupported', 'argon2d'],
  ['NEG argon2id param order t,m,p', 'password:malformed', 'parameters'],
  ['NEG $apr1$', 'password:algorithm-unsupported', '`$apr1$`'],
  ['NEG drupal U$S$', 'password:algorithm-unsupported', '`U$S$`'],
];

test.skipIf(samples.length === 0).each(refused)(
  'hashes that no verifier can check %s is %s (needs the samples)',
  (note, code, words) => {
    const sample = samples.find((candidate) => candidate.note === note);
    const found = recognise(sample?.mcf ?? '');
    expect(found).toMatchObject({ code, detail: expect.stringContaining(words) });
  },
);

it('bcrypt over something else than the password is refused in the form of the source, with the mark', () => {
  const bcrypt = '$2y$10$46aueS1nNi8cks1VoBinzeX2ZQ4fgFBv3Vg5YjaAavOZvUnvVDo3C';
  for (const mark of ['$wp', 'bcrypt_sha256$'])
    expect(recognise(mark + bcrypt)).toMatchObject({ code: 'password:algorithm-unsupported' });
});

it('one round of phpass is a number of rounds', () => {
  expect(recognise(`$P$/${'.'.repeat(30)}`)).toMatchObject({ parameters: { rounds: 1 } });
});

const alone = (text: string): unknown => {
  recognise('$pbkdf2-sha512$1$AAAA$AAAA');
  return recognise(text);
};

test.each(hashTexts.map((texts) => [texts]))(
  'what was recognised before makes no difference: %#',
  (texts) => {
    const pairs = texts.chain((text) => {
      const changed = fc.oneof(mutated(fc.constant(text)), fc.constant(text.toLowerCase()));
      return fc.tuple(fc.constant(text), changed);
    });
    const property = fc.property(pairs, ([text, changed]) => {
      const expected = [alone(changed), alone(text)];
      recognise(text);
      expect([recognise(changed), recognise(text)]).toEqual(expected);
    });
    fc.assert(property, { numRuns: 300 });
  },
);
