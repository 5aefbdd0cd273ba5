/** Who waits for a name, in any order: as many get theirs as can, each is tried to the end, and no try is in vain twice. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { retryWhileItHelps } from '../../../src/flows/import-users/send-users.ts';

/** Each wants the name that the next one has; the last one wants a free one, or in a ring that of the first. */
interface Chain {
  readonly length: number;
  readonly isRing: boolean;
}
const chain: fc.Arbitrary<Chain> = fc.record({
  length: fc.integer({ min: 2, max: 6 }),
  isRing: fc.boolean(),
});

async function run(sampleUsers: readonly string[], wants: ReadonlyMap<string, string>, held: Set<string>) {
  const refused: string[] = [];
  let tries = 0;
  await retryWhileItHelps(
    sampleUsers,
    (sampleUser, line) => {
      tries += 1;
      if (held.has(wants.get(sampleUser)!)) {
        if (line === undefined) refused.push(sampleUser);
        else line.push(sampleUser);
      } else {
        held.delete(sampleUser);
      }
      return Promise.resolve();
    },
    () => false,
  );
  return { refused, tries };
}

it('every user in a chain is renamed, and no user in a ring', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(chain, { maxLength: 4 }), fc.infiniteStream(fc.nat()), async (chains, dice) => {
      const wants = new Map<string, string>();
      for (const [number, { length, isRing }] of chains.entries()) {
        for (let at = 0; at < length; at++) {
          const isLast = at === length - 1;
          wants.set(`${number}/${at}`, isLast && isRing ? `${number}/0` : `${number}/${at + 1}`);
        }
      }
      const order = [...wants.keys()]
        .map((sampleUser) => ({ sampleUser, at: dice.next().value! }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ sampleUser }) => sampleUser);
      const { refused } = await run(order, wants, new Set(wants.keys()));
      const inRings = order.filter((sampleUser) => chains[Number(sampleUser.split('/')[0])]!.isRing);
      expect(refused.toSorted()).toEqual(inRings.toSorted());
    }),
  );
});

it('a long chain in the order in which it comes takes one try each', async () => {
  const sampleUsers = Array.from({ length: 1000 }, (_, at) => String(at));
  const wants = new Map(sampleUsers.map((sampleUser, at) => [sampleUser, String(at + 1)]));
  expect(await run(sampleUsers, wants, new Set(sampleUsers))).toEqual({ refused: [], tries: 1000 });
});

it('a run that is stopped tries no user any more', async () => {
  let tries = 0;
  await retryWhileItHelps(
    ['a', 'b', 'c'],
    () => Promise.resolve(void (tries += 1)),
    () => tries === 1,
  );
  expect(tries).toBe(1);
});
