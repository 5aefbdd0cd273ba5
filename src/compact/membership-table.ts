/**
 * Tells which members belong to which of a few groups, in 24 bytes per pair and in memory that all threads share. Names are kept
 * as hashes.
 */
import { randomInt } from 'node:crypto';
import { growingWords, growTo } from './columns.ts';
import { hashText } from './key-table.ts';

const words = 3;

/** Survives a structured clone without being copied. */
export interface MembershipMemory {
  /** Slots of two words of a hash and an index plus 1, which is 0 if the slot is free. */
  readonly slots: SharedArrayBuffer;
  readonly seed: number;
}

/** Collects memberships in the order in which they are found. */
export function createMembershipList() {
  const seed = randomInt(2 ** 32);
  let list = growingWords();
  let length = 0;
  return {
    add(name: string, index: number) {
      const at = words * length++;
      list = growTo(list, at + words);
      hashText(name, seed, list, at);
      list[at + 2] = index + 1;
    },
    /** Returns a table with at least as many free slots as used ones. */
    toMemory(): MembershipMemory {
      const size = 2 ** Math.ceil(Math.log2(2 * length + 2));
      const slots = new Uint32Array(new SharedArrayBuffer(4 * words * size));
      for (let from = 0; from < words * length; from += words) {
        let slot = list[from]! & (size - 1);
        while (slots[slot * words + 2] !== 0) slot = (slot + 1) & (size - 1);
        slots.set(list.subarray(from, from + words), slot * words);
      }
      return { slots: slots.buffer, seed };
    },
  };
}

/** Returns the indexes in the order in which they were added, each once. */
export function findMemberships({ slots: buffer, seed }: MembershipMemory, name: string) {
  const slots = new Uint32Array(buffer);
  const size = slots.length / words;
  const hash = new Uint32Array(2);
  hashText(name, seed, hash, 0);
  const found = new Set<number>();
  for (let slot = hash[0]! & (size - 1); slots[slot * words + 2] !== 0; slot = (slot + 1) & (size - 1)) {
    const at = slot * words;
    if (slots[at] === hash[0] && slots[at + 1] === hash[1]) found.add(slots[at + 2]! - 1);
  }
  return [...found];
}
