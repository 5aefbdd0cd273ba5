/** Exports of Auth0 with their companions, whole runs: no user is lost, nothing crashes, no secret is shown. */
import { memoryInput } from '../../support/memory-input.ts';
import * as fc from 'fast-check';
import { auth0Options } from '../../support/usual-job.ts';
import { changed } from '../arbitraries.ts';
import { plant, refuseSecrets } from '../canary.ts';
import { convert, drawUserOptions } from '../convert.ts';
import { readFixtures } from '../corpus.ts';
import { type FuzzTarget, fuzzProperty } from '../target.ts';

export const auth0: FuzzTarget = {
  name: 'auth0',
  about:
    'users, passwords and factors convert or are refused with a clear message; counts add up; no secret outside the body',
  share: 12,
  async open() {
    const options = [await auth0Options(), await auth0Options({}, 'strip-prefix')];
    const read = (name: string) => readFixtures('auth0', [name]).map(plant);
    const files = { users: read('user'), passwords: read('passwords'), mfa: read('mfa') };
    const corpus = Object.values(files).flat();
    /** Any of the files may be the broken one; the others are sound. */
    const broken = (role: keyof typeof files) =>
      changed(files[role], corpus).map((bytes) => ({ role, bytes }));
    const inputs = fc.oneof({ arbitrary: broken('users'), weight: 4 }, broken('passwords'), broken('mfa'));
    return fuzzProperty(inputs, async ({ role, bytes }, draw) => {
      const blockBytes = draw.pick([7, 300, 65_536]);
      const given = (name: keyof typeof files, share: number) => {
        if (name !== role && !draw.chance(share)) return [];
        return [memoryInput(name, name === role ? bytes : draw.pick(files[name]), { blockBytes })];
      };
      const converted = await convert(
        {
          provider: 'auth0',
          inputs: given('users', 1),
          companions: { passwords: given('passwords', 0.1), mfa: given('mfa', 0.1) },
          options: {
            ...draw.pick(options),
            ...drawUserOptions(draw),
            emailVerified: draw.pick([undefined, true, false]),
            pbkdf2Encoding: draw.pick(['padded', 'ab64']),
          },
        },
        draw,
      );
      refuseSecrets(bytes, converted);
    });
  },
};
