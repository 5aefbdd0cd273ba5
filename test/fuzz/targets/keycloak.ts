/** Exports of Keycloak, whole runs: no user is lost, nothing crashes, no secret is shown. */
import { memoryInput } from '../../support/memory-input.ts';
import { isMisplacedIn, plantFile, refuseCanary } from '../canary.ts';
import { convert, drawUserOptions } from '../convert.ts';
import { readFixtures } from '../corpus.ts';
import { mutate } from '../mutate.ts';
import type { FuzzTarget } from '../target.ts';

const secretKeys = new Set(['value', 'secretData', 'salt', 'hashedSaltedValue', 'secret', 'codes']);

export const keycloak: FuzzTarget = {
  name: 'keycloak',
  about:
    'a realm export converts or is refused with a clear message; counts add up; no secret outside the body',
  share: 12,
  open() {
    const corpus = readFixtures('keycloak').map((file) => plantFile(file, secretKeys));
    return Promise.resolve({
      make: (draw) => (draw.chance(0.02) ? draw.pick(corpus) : mutate(draw.pick(corpus), draw, corpus)),
      async check(input, draw) {
        const { shown, failure } = await convert(
          {
            provider: 'keycloak',
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
        if (isMisplacedIn(input.toString(), secretKeys)) return;
        refuseCanary('the message of a failed run', failure);
        refuseCanary('events or the report', shown);
      },
    });
  },
};
