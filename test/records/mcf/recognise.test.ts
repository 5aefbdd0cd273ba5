import * as fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { recognise } from '../../../src/records/mcf/recognise.ts';
import { hashTexts, mutated } from '../../support/mcf.ts';
import { verifiedHashes } from '../../support/samples.ts';

const samples = verifiedHashes();

/** Words of the detail, by the code and the sample. */
const refused = {
  'password:malformed': {
    'NEG kratos raw PHC pbkdf2': 'i=…,l=…',
    'NEG scrypt padded': 'unpadded',
    'NEG empty salt': 'salt is empty',
    'NEG rounds overflow': 'rounds',
    'NEG 2 chars': 'dollar sign',
    'NEG mixed + and .': 'mixes',
    'NEG url-safe b64': 'URL-safe',
    'NEG argon2id padded base64': 'unpadded',
    'NEG argon2id param order t,m,p': 'parameters',
  },
  'password:algorithm-unsupported': {
    'NEG django argon2i without v=': 'version 1.0',
    'NEG $2$': '`$2$`',
    'NEG $2x$': '`$2x$`',
    'NEG wp 6.8': 'WordPress 6.8',
    'NEG wp68 as is': 'WordPress 6.8',
    'NEG ldap SSHA': '{SSHA}',
    'NEG yescrypt': 'yescrypt',
    'NEG scrypt $7$ crypt(3) form': '`$7$`',
    'NEG argon2id v=16': 'version',
    'NEG argon2d': 'argon2d',
    'NEG $apr1$': '`$apr1$`',
    'NEG drupal U$S$': '`U$S$`',
  },
  'password:unverifiable': {
    'NEG sha1 hex accepted by Validate?': 'SHA-1',
    'NEG salt with $': 'dollar sign',
    'NEG salt with space': 'blank',
    'NEG md5salted unpadded hash': 'padded base64',
  },
};

test.skipIf(samples.length === 0).each(Object.entries(refused))(
  'hashes that no verifier can check are %s (needs the samples)',
  (code, details) => {
    for (const [note, words] of Object.entries(details)) {
      const found = recognise(samples.find((sample) => sample.note === note)?.mcf ?? '');
      expect([note, found]).toMatchObject([note, { code, detail: expect.stringContaining(words) }]);
    }
  },
);

it('recognise refuses bcrypt of a prehashed password', () => {
  const bcrypt = '$2y$10$46aueS1nNi8cks1VoBinzeX2ZQ4fgFBv3Vg5YjaAavOZvUnvVDo3C';
  for (const mark of ['$wp', 'bcrypt_sha256$'])
    expect(recognise(mark + bcrypt)).toMatchObject({ code: 'password:algorithm-unsupported' });
});

it('recognise reads one round of phpass', () => {
  expect(recognise(`$P$/${'.'.repeat(30)}`)).toMatchObject({ parameters: { rounds: 1 } });
});

const alone = (text: string): unknown => {
  recognise('$pbkdf2-sha512$1$AAAA$AAAA');
  return recognise(text);
};

test.each(hashTexts.map((texts) => [texts]))('recognise does not depend on earlier calls: %#', (texts) => {
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
});
