import { expect, it } from 'vitest';
import { findMemberships, MembershipList } from '../../src/compact/membership-table.ts';
import { seededRandom } from '../support/seeded-random.ts';

it('finds all organizations of a member, each once, in the order in which they were added', () => {
  const list = new MembershipList();
  const random = seededRandom(3);
  const expected = new Map<number, Set<number>>();
  for (let at = 0; at < 20_000; at++) {
    // Few different low bits, so that members meet in the same slots.
    const member = Math.floor(random() * 9000) * 1024;
    const organization = Math.floor(random() * 50);
    list.add(member, member >>> 3, organization);
    expected.set(member, (expected.get(member) ?? new Set()).add(organization));
  }
  const memory = list.toMemory();
  for (const [member, organizations] of expected) {
    expect(findMemberships(memory, member, member >>> 3)).toEqual([...organizations]);
  }
  expect(findMemberships(memory, 1, 1)).toEqual([]);
  expect(findMemberships(new MembershipList().toMemory(), 0, 0)).toEqual([]);
});

it('takes hashes with the highest bit set', () => {
  const list = new MembershipList();
  list.add(-1, -2, 4);
  expect(findMemberships(list.toMemory(), -1, -2)).toEqual([4]);
  expect(findMemberships(list.toMemory(), 2 ** 32 - 1, 2 ** 32 - 2)).toEqual([4]);
});
