import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { packFacts, passwordAlgorithms, row, RowList } from '../../../src/flows/convert/batch.ts';
import { BatchTally, tallyFacts } from '../../../src/flows/convert/tally-batch.ts';
import { Ways } from '../../../src/flows/convert/ways.ts';
import { BatchSpace } from '../../../src/lib/batch-memory.ts';
import { signInKinds } from '../../../src/records/sign-in.ts';
import { emailKinds } from '../../../src/records/messages.ts';
import { count, emptyTally } from '../../../src/records/tally.ts';

const facts = fc.record({
  outcome: fc.constantFrom('human', 'machine'),
  noted: fc.boolean(),
  email: fc.nat(emailKinds.length - 1),
  sms: fc.boolean(),
  otp: fc.boolean(),
  inactive: fc.boolean(),
  linked: fc.boolean(),
  plain: fc.boolean(),
  signIn: fc.nat(signInKinds.length - 1),
  onlyBulk: fc.boolean(),
  newId: fc.boolean(),
  algorithm: fc.constantFrom(0, 1, passwordAlgorithms.length - 1),
} as const);
const remarks = [
  { codes: ['otp:extra'], aliases: [], refusal: undefined },
  { codes: ['otp:extra', 'password:none'], aliases: [], refusal: undefined },
] as const;

it('counts records together as it counts them one by one, batch after batch', () => {
  const records = fc.tuple(facts.map(packFacts), fc.nat(remarks.length));
  fc.assert(
    fc.property(fc.array(fc.array(records, { maxLength: 20 }), { maxLength: 4 }), (batches) => {
      const [oneByOne, together] = [emptyTally(), emptyTally()];
      const tally = new BatchTally();
      for (const batch of batches) {
        const rows = new RowList();
        for (const [word, remark] of batch) {
          const at = rows.add();
          rows.words[at + row.facts] = word;
          rows.words[at + row.remarks] = remark;
          tallyFacts(oneByOne, word, 1);
          for (const code of remarks[remark - 1]?.codes ?? []) count(oneByOne.reasons, code);
        }
        const converted = {
          input: 'x',
          count: batch.length,
          body: new Uint8Array(0),
          rows: rows.copyTo(new BatchSpace()),
          remarks,
          details: [],
          orgs: '',
        };
        for (let place = 0; place < batch.length; place++) tally.addWritten(converted, place);
        tally.finish(together, new Ways(), converted);
        expect(together).toEqual(oneByOne);
      }
    }),
  );
});
