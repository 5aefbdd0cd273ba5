/** Finds the source user of a listed user, in any way and order. */
import { expect, test } from 'vitest';
import { ExpectedUsers } from '../../../src/flows/verify/expected-users.ts';
import { listedFields } from '../../../src/flows/verify/fields.ts';

const texts = (change: Partial<Record<(typeof listedFields)[number], string>> = {}) =>
  listedFields.map((field) => change[field] ?? (field === 'state' ? 'active' : ''));

test('ExpectedUsers matches by id, by name and by id map, each user once', () => {
  const sampleUsers = new ExpectedUsers();
  for (const text of ['1 ann', '2 bob', ' cyd', '4 dan']) {
    const [id = '', userName = ''] = text.split(' ');
    sampleUsers.add(id, userName, texts());
  }
  sampleUsers.alias('4', '40');
  for (const [meeting, ...listed] of [
    ['expected', '1 other', '20 BOB', '30 cyd', '40 x'],
    ['again', '1 ann', '20 bob', '30 cyd', '40 dan'],
    // The id of the source and the name belong to users who were met under others.
    ['extra', '2 x', '50 ann', '60 zoe', '4 dan'],
    ['again', '2 x', '50 ann', '60 zoe', '4 dan'],
  ]) {
    const met = listed.map((text) => {
      const [id = '', userName = ''] = text.split(' ');
      return sampleUsers.meet(id, userName, 0);
    });
    expect(met).toEqual(listed.map(() => meeting));
  }
  const found = ['1', '20', '30', '40', '2', '50', '4', '70'].map((id) => sampleUsers.byTargetId(id));
  expect(found).toEqual([0, 1, 2, 3, -1, -1, -1, -1]);
});

test('ExpectedUsers keeps the own id of a user who is met under it, and looks for own names in their organization', () => {
  const sampleUsers = new ExpectedUsers();
  sampleUsers.add('1', 'ann', texts());
  sampleUsers.alias('1', '10');
  expect(sampleUsers.byTargetId('10')).toBe(-1);
  expect(sampleUsers.meet('1', 'ann', 0)).toBe('expected');
  expect(sampleUsers.targetId(0, '1')).toBe('1');
  expect(sampleUsers.meet('10', 'x', 0)).toBe('extra');
  sampleUsers.add('2', 'bob', texts(), 'acme\n');
  expect(sampleUsers.meet('20', 'bob', 0, 'other')).toBe('extra');
  expect(sampleUsers.meet('21', 'bob', 0, 'acme')).toBe('expected');
});

test('ExpectedUsers reports text that moved to another field as a difference', () => {
  const sampleUsers = new ExpectedUsers();
  const [before, after] = [texts({ 'first name': '1 a' }), texts({ 'last name': '1 a' })];
  sampleUsers.add('1', 'ann', before);
  sampleUsers.meet('1', 'ann', 0);
  sampleUsers.compare(
    0,
    after.map((text) => [text]),
  );
  expect(sampleUsers.differences(0, () => before)).toEqual(['first name', 'last name']);
});
