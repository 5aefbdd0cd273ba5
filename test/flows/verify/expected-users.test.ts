/** Who of the source a listed user is, in whatever way and order users are met. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExpectedUsers } from '../../../src/flows/verify/expected-users.ts';
import { listedFields } from '../../../src/flows/verify/fields.ts';

const texts = (change: Partial<Record<(typeof listedFields)[number], string>> = {}): string[] =>
  listedFields.map((field) => change[field] ?? (field === 'state' ? 'active' : ''));

function expected(...sampleUsers: readonly (readonly [id: string, userName: string])[]): ExpectedUsers {
  const expectations = new ExpectedUsers();
  for (const [id, userName] of sampleUsers) expectations.add(id, userName, texts());
  return expectations;
}

test('by the own id, by name, by the id map; no user twice, and who is no user is extra once', () => {
  const sampleUsers = expected(['1', 'ann'], ['2', 'bob'], ['', 'cyd'], ['4', 'dan']);
  sampleUsers.alias('4', '40');
  const meet = (id: string, name: string) => sampleUsers.meet(id, name, 0);
  expect([meet('1', 'other'), meet('20', 'BOB'), meet('30', 'cyd'), meet('40', 'x')]).toEqual(
    Array.from({ length: 4 }, () => 'expected'),
  );
  expect([meet('1', 'ann'), meet('20', 'bob'), meet('30', 'cyd'), meet('40', 'dan')]).toEqual(
    Array.from({ length: 4 }, () => 'again'),
  );
  // The id of the source and the name belong to users who were met under others.
  expect([meet('2', 'x'), meet('50', 'ann'), meet('60', 'zoe'), meet('4', 'dan')]).toEqual(
    Array.from({ length: 4 }, () => 'extra'),
  );
  expect([meet('2', 'x'), meet('50', 'ann'), meet('60', 'zoe'), meet('4', 'dan')]).toEqual(
    Array.from({ length: 4 }, () => 'again'),
  );
  expect(['1', '20', '30', '40', '2', '50', '4', '70'].map((id) => sampleUsers.byTargetId(id))).toEqual([
    0, 1, 2, 3, -1, -1, -1, -1,
  ]);
  expect([0, 1, 2, 3].map((sampleUser) => sampleUsers.targetId(sampleUser, 'own'))).toEqual([
    'own',
    '20',
    '30',
    '40',
  ]);
  expect(sampleUsers.found).toBe(4);
});

test('who has another id in the id map and is met under the own one is asked for under the own one', () => {
  const sampleUsers = expected(['1', 'ann']);
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
