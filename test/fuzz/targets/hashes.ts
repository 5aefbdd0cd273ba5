/** Password hashes: canonical encodings stay unchanged, and the check is never laxer than the server's own. */
import * as fc from 'fast-check';
import { builtInProfiles } from '../../../src/profiles/built-in.ts';
import { checkHash } from '../../../src/profiles/check-hash.ts';
import { parseProfile } from '../../../src/profiles/parse.ts';
import { serverVerdict } from '../../../src/profiles/server-verdict.ts';
import { isProblem } from '../../../src/records/mcf/algorithm.ts';
import { recognise } from '../../../src/records/mcf/recognise.ts';
import { hashTexts } from '../../support/mcf.ts';
import { mutate } from '../mutate.ts';
import { expectSame, Finding, type FuzzTarget } from '../target.ts';

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
  open() {
    const seeds = hashTexts.flatMap((texts) => fc.sample(texts, { seed: 1, numRuns: 200 }));
    const corpus = seeds.map((text) => Buffer.from(text));
    return Promise.resolve({
      make: (draw) => (draw.chance(0.2) ? draw.pick(corpus) : mutate(draw.pick(corpus), draw, corpus)),
      check(input, draw) {
        const text = input.toString();
        const profile = draw.pick(profiles);
        const found = recognise(text);
        if (!isProblem(found)) expectSame('the canonical form', recognise(found.mcf), found);
        const verdict = checkHash(text, profile);
        const answer = serverVerdict(text, profile);
        if (verdict.verdict === 'ok' && answer !== 'ok') {
          throw new Finding('difference', `judged ok, and the server says ${answer} (${profile.name})`);
        }
        const told = JSON.stringify([isProblem(found) ? found.detail : '', { ...verdict, parameters: {} }]);
        const tail = /[A-Za-z0-9+/]{20,}=*$/.exec(text)?.[0];
        if (tail !== undefined && told.includes(tail))
          throw new Finding('secret', `a part of the hash: ${told}`);
      },
    });
  },
};
