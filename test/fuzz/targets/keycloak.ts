/** Exports of Keycloak, whole runs: no user is lost, nothing crashes, no secret is shown. */
import { memoryInput } from '../../support/memory-input.ts';
import { changed } from '../arbitraries.ts';
import { plant, refuseSecrets } from '../canary.ts';
import { convert, drawUserOptions } from '../convert.ts';
import { readFixtures } from '../corpus.ts';
import { type FuzzTarget, fuzzProperty } from '../target.ts';

export const keycloak: FuzzTarget = {
  name: 'keycloak',
  about:
    'a realm export converts or is refused with a clear message; counts add up; no secret outside the body',
  share: 12,
  async open() {
    const corpus = readFixtures('keycloak').map(plant);
    return fuzzProperty(changed(corpus), async (input, draw) => {
      const converted = await convert(
        {
          provider: 'keycloak',
          companions: {},
          inputs: [memoryInput('realm.json', input, { blockBytes: draw.pick([7, 300, 65_536]) })],
          options: {
            ...drawUserOptions(draw),
            realmName: undefined,
            serviceAccounts: draw.pick(['skip', 'machine-users']),
            otpSecret: draw.pick(['raw', 'base32', 'auto']),
            plaintext: draw.pick(['hash', 'skip']),
            pbkdf2Encoding: draw.pick(['padded', 'ab64']),
          },
        },
        draw,
      );
      refuseSecrets(input, converted);
    });
  },
};
