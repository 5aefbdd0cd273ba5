/** Exports of Auth0 with their companions, whole runs: no user is lost, nothing crashes, no secret is shown. */
import { memoryInput } from '../../support/memory-input.ts';
import { isMisplacedIn, plantFile, readLoosely, refuseCanary } from '../canary.ts';
import { auth0Options } from '../../support/usual-job.ts';
import { convert, drawUserOptions } from '../convert.ts';
import { readFixtures } from '../corpus.ts';
import type { Draw } from '../draw.ts';
import { mutate } from '../mutate.ts';
import type { FuzzTarget } from '../target.ts';

const secretKeys = new Set([
  'password_hash',
  'passwordHash',
  'custom_password_hash',
  'hash',
  'salt',
  'value',
  'secret',
  'otp_secret',
  'recovery_code',
]);

export const auth0: FuzzTarget = {
  name: 'auth0',
  about:
    'users, passwords and factors convert or are refused with a clear message; counts add up; no secret outside the body',
  share: 12,
  async open() {
    const keep = await auth0Options();
    const stripped = await auth0Options({}, 'strip-prefix');
    const read = (name: string) => readFixtures('auth0', [name]).map((file) => plantFile(file, secretKeys));
    const files = { users: read('user'), passwords: read('passwords'), mfa: read('mfa') };
    const corpus = Object.values(files).flat();
    /** Any of the files may be the broken one; the others are sound. */
    const role = (draw: Draw) => draw.pick(['users', 'users', 'users', 'users', 'passwords', 'mfa'] as const);
    return {
      make: (draw) => {
        const sound = draw.pick(files[role(draw)]);
        return draw.chance(0.02) ? sound : mutate(sound, draw, corpus);
      },
      async check(input, draw) {
        const broken = role(draw);
        const blockBytes = draw.pick([7, 300, 65_536]);
        const given = (name: keyof typeof files, share: number) => {
          if (name !== broken && !draw.chance(share)) return [];
          const bytes = name === broken ? input : draw.pick(files[name]);
          return [memoryInput(name, bytes, { blockBytes })];
        };
        const { shown, failure } = await convert(
          {
            provider: 'auth0',
            inputs: given('users', 1),
            companions: { passwords: given('passwords', 0.1), mfa: given('mfa', 0.1) },
            options: {
              ...draw.pick([keep, stripped]),
              ...drawUserOptions(draw),
              emailVerified: draw.pick([undefined, true, false]),
              pbkdf2Encoding: draw.pick(['padded', 'ab64']),
            },
          },
          draw,
        );
        if (isMisplacedIn(input.toString(), secretKeys)) return;
        refuseCanary('the message of a failed run', failure);
        // A table has no keys by which its secrets could be told.
        const unclear = readLoosely(input.toString()).every((value) => value === undefined);
        if (!unclear) refuseCanary('events or the report', shown);
      },
    };
  },
};
