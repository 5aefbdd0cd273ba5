/** Any import in, with answers lost on the way; after its undo the whole server is as it was before. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '../../../src/api/api-error.ts';
import type { ServerState } from '../../../src/server/method.ts';
import { createTestFolder } from '../../support/folder.ts';
import type { Fault } from '../../support/service.ts';
import { rollBack } from '../../support/undo-run.ts';
import { bodyOf, createTarget, metadataOf, oidcIdps, sampleUser, runUsers } from '../../support/users-run.ts';

const names = ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay'];

/** Every row of every table. The log keeps who was there. */
function dump({ store }: ServerState): unknown {
  return {
    rows: Array.from(store.dump())
      .filter(({ table }) => table !== 'removed')
      .map((change) => JSON.stringify(change))
      .toSorted(),
    taken: names.map((name) => store.users.by('name', name).map(({ id }) => id)),
  };
}

const human = fc.record({
  name: fc.constantFrom(...names),
  off: fc.boolean(),
  linked: fc.boolean(),
  metadata: fc.boolean(),
  verified: fc.boolean(),
});
type Human = typeof human extends fc.Arbitrary<infer Value> ? Value : never;

function entryOf({ name, off, linked, verified }: Human) {
  return sampleUser(
    name,
    {
      email: { email: `${name}@example.com`, isEmailVerified: verified },
      ...(linked && { idps: [{ configId: 'idp', externalUserId: `at-idp-${name}` }] }),
    },
    off ? { state: 'USER_STATE_INACTIVE' } : {},
  );
}

/** A call that has no answer time and again ends a run, which is then gone on with. */
async function untilDone(run: (resume: boolean) => Promise<unknown>, folder: string) {
  for (let end: unknown = 'none'; end !== undefined;) {
    end = undefined;
    await run(existsSync(join(folder, 'users.journal'))).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      end = error;
    });
  }
}

const fault = fc.constantFrom<(Fault | undefined)[]>(
  undefined,
  undefined,
  undefined,
  'reset',
  'lost',
  'half',
  {
    status: 503,
  },
);

test('undo restores the server state after any import with lost answers', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(human, { maxLength: 4, selector: ({ name }) => name }),
      fc.uniqueArray(human, { minLength: 1, maxLength: 6, selector: ({ name }) => name }),
      fc.array(fault, { maxLength: 12 }),
      async (there, coming, faults) => {
        const folder = createTestFolder();
        const target = createTarget({
          fault: ({ url }, number) => (url.includes('/orgs/me') ? undefined : faults[number]),
        });
        await target.server.importInto({ oidcIdps });
        for (const one of there) {
          await target.server.call('POST /management/v1/users/human/_import', entryOf(one).user);
        }
        await target.server.clock.advance(60_000);
        const before = dump(target.server.state);
        const keyed = coming.flatMap(({ name, metadata }) => (metadata ? [name] : []));
        const body = bodyOf(target.org, coming.map(entryOf), metadataOf(...keyed));
        await untilDone((resume) => runUsers(target, body, { folder, resume }), folder);
        await rollBack(target, join(folder, 'users.journal'));
        expect(dump(target.server.state)).toEqual(before);
      },
    ),
    { numRuns: 60 },
  );
}, 120_000);
