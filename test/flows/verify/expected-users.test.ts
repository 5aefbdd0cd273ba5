/** Who of the source a listed user is, in whatever way and order users are met. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExpectedUsers } from '../../../src/flows/verify/expected-users.ts';
import { listedFields } from '../../../src/flows/verify/fields.ts';

const texts = (change: Partial<Record<(typeof listedFields)[number], string>> = {}): string[] =>
  listedFields.map((field) => change[field] ?? (field === 'state' ? 'active' : ''));

test('who has another id in the id map and is met under the own one is asked for under the own one', () => {
  const sampleUsers = new ExpectedUsers();
  sampleUsers.add('1', 'ann', texts());
  sampleUsers.alias('1', '10');
  expect(sampleUsers.byTargetId('10')).toBe(-1);
  expect(sampleUsers.meet('1', 'ann', 0)).toBe('expected');
  expect(sampleUsers.targetId(0, '1')).toBe('1');
  expect(sampleUsers.meet('10', 'x', 0)).toBe('extra');
});

test('exactly the fields that are other ones differ', () => {
  const field = fc.constantFrom(...listedFields);
  const word = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('1 a', '', '0 ', '11 1'));
  const sampleUser = fc.dictionary(field, word).map((change) => ({ ...change, state: 'active' }));
  fc.assert(
    fc.property(fc.array(fc.tuple(sampleUser, sampleUser, fc.boolean()), { maxLength: 12 }), (pairs) => {
      const sampleUsers = new ExpectedUsers();
      for (const [at, [one]] of pairs.entries()) sampleUsers.add(String(at), `p${at}`, texts(one));
      for (const [at, [, other, isLocked]] of pairs.entries()) {
        sampleUsers.meet(String(at), '', 0);
        const state = isLocked ? ['locked', 'kept out'] : ['active'];
        sampleUsers.compare(
          at,
          texts(other).map((text, place) => (listedFields[place] === 'state' ? state : [text])),
        );
      }
      for (const [at, [one, other, isLocked]] of pairs.entries()) {
        const [before, after] = [texts(one), texts(other)];
        const wanted = listedFields.filter((field, place) =>
          field === 'state' ? isLocked : before[place] !== after[place],
        );
        expect(sampleUsers.differences(at, () => before)).toEqual(wanted);
      }
    }),
  );
});
