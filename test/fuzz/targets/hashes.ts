/** Password hashes: canonical encodings stay unchanged, and the check is never laxer than the server's own. */
import * as fc from 'fast-check';
import { builtInProfiles } from '../../../src/profiles/built-in.ts';
import { checkHash } from '../../../src/profiles/check-hash.ts';
import { parseProfile } from '../../../src/profiles/parse.ts';
import { serverVerdict } from '../../../src/profiles/server-verdict.ts';
import { isProblem } from '../../../src/records/mcf/algorithm.ts';
import { recognise } from '../../../src/records/mcf/recognise.ts';
import { hashTexts, mutated } from '../../support/mcf.ts';
import { expectSame, type FuzzTarget, fuzzProperty } from '../target.ts';

const profiles = [
  ...builtInProfiles.values(),
  parseProfile(
    '{"passwordHasher":{"algorithm":"argon2id","verifiers":["pbkdf2","md5salted"]}}',
    'argon2.json',
  ),
  parseProfile('{"base":"hosted","features":{"pbkdf2Encoding":"ab64"}}', 'old.json'),
];

export const hashes: FuzzTarget = {
  name: 'hashes',
  about:
    'a hash has one canonical encoding; a hash that is judged valid is accepted; fast and slow checks agree; no part of it is shown',
  share: 25,
  async open() {
    const sound = fc.oneof(...hashTexts);
    return fuzzProperty(fc.oneof(sound, mutated(sound), mutated(sound)), (text, draw) => {
      const profile = draw.pick(profiles);
      const found = recognise(text);
      if (!isProblem(found)) expectSame('the canonical form', recognise(found.mcf), found);
      const verdict = checkHash(text, profile);
      if (verdict.verdict === 'ok') {
        expectSame(`the answer of a server (${profile.name})`, serverVerdict(text, profile), 'ok');
      }
      const told = JSON.stringify([isProblem(found) ? found.detail : '', { ...verdict, parameters: {} }]);
      const tail = /[A-Za-z0-9+/]{20,}=*$/.exec(text)?.[0];
      if (tail !== undefined && told.includes(tail)) throw new Error(`a part of the hash is shown: ${told}`);
    });
  },
};
