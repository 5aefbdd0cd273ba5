import { expect, it } from 'vitest';
import { findMemberships, createMembershipList } from '../../src/compact/membership-table.ts';
import { seededRandom } from '../support/seeded-random.ts';

it('findMemberships returns all entries of a name once, in insertion order', () => {
  const list = createMembershipList();
  const random = seededRandom(3);
  const expected = new Map<string, Set<number>>();
  for (let at = 0; at < 20_000; at++) {
    const name = `name ${Math.floor(random() * 9000)}`;
    const index = Math.floor(random() * 50);
    list.add(name, index);
    expected.set(name, (expected.get(name) ?? new Set()).add(index));
  }
  const memory = list.toMemory();
  for (const [name, indexes] of expected) expect(findMemberships(memory, name)).toEqual([...indexes]);
  expect(findMemberships(memory, 'another')).toEqual([]);
  expect(findMemberships(createMembershipList().toMemory(), 'name 1')).toEqual([]);
});
