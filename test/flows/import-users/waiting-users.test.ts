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

async function run(people: readonly string[], wants: ReadonlyMap<string, string>, held: Set<string>) {
  const refused: string[] = [];
  let tries = 0;
  await retryWhileItHelps(
    people,
    (person, line) => {
      tries += 1;
      if (held.has(wants.get(person)!)) {
        if (line === undefined) refused.push(person);
        else line.push(person);
      } else {
        held.delete(person);
      }
      return Promise.resolve();
    },
    () => false,
  );
  return { refused, tries };
}

it('everybody in a chain is renamed, and nobody in a ring', async () => {
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
        .map((person) => ({ person, at: dice.next().value! }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ person }) => person);
      const { refused } = await run(order, wants, new Set(wants.keys()));
      const inRings = order.filter((person) => chains[Number(person.split('/')[0])]!.isRing);
      expect(refused.toSorted()).toEqual(inRings.toSorted());
    }),
  );
});

it('a long chain in the order in which it comes takes one try each', async () => {
  const people = Array.from({ length: 1000 }, (_, at) => String(at));
  const wants = new Map(people.map((person, at) => [person, String(at + 1)]));
  expect(await run(people, wants, new Set(people))).toEqual({ refused: [], tries: 1000 });
});

it('a run that is stopped tries nobody any more', async () => {
  let tries = 0;
  await retryWhileItHelps(
    ['a', 'b', 'c'],
    () => Promise.resolve(void (tries += 1)),
    () => tries === 1,
  );
  expect(tries).toBe(1);
});
