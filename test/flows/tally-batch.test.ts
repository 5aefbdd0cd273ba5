import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { packFacts, passwordFamilies } from '../../src/flows/batch.ts';
import { SharedFacts, tallyFacts } from '../../src/flows/tally-batch.ts';
import { mailKinds } from '../../src/records/mail.ts';
import { emptyTally } from '../../src/records/tally.ts';

const facts = fc.record({
  outcome: fc.constantFrom('rejected', 'skipped', 'human', 'human', 'machine'),
  noted: fc.boolean(),
  mail: fc.nat(mailKinds.length - 1),
  sms: fc.boolean(),
  otp: fc.boolean(),
  inactive: fc.boolean(),
  linked: fc.boolean(),
  family: fc.constantFrom(0, 1, passwordFamilies.length - 1),
} as const);

it('counts records together as it counts them one by one, batch after batch', () => {
  const batch = fc.array(facts, { maxLength: 20 }).map((some) => some.map(packFacts));
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 4 }), (batches) => {
      const [oneByOne, together] = [emptyTally(), emptyTally()];
      const shared = new SharedFacts();
      for (const words of batches) {
        for (const word of words) {
          tallyFacts(oneByOne, word, false);
          shared.add(word);
        }
        shared.tally(together);
        expect(together).toEqual(oneByOne);
      }
    }),
  );
});
