import { expect, it } from 'vitest';
import { findMemberships, createMembershipList } from '../../src/compact/membership-table.ts';
import { seededRandom } from '../support/seeded-random.ts';

it('finds all that a name has, each once, in the order in which they were added', () => {
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
