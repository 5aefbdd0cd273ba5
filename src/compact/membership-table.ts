/** Which organizations users are in, in memory that all threads share: 24 bytes a membership. */

const words = 3;

/** Survives a structured clone without a copy. */
export interface MembershipMemory {
  /** Slots of two words of a hash, and the index of an organization plus 1; 0 where a slot is free. */
  readonly slots: SharedArrayBuffer;
}

/** Collects memberships in the order in which they are found. */
export class MembershipList {
  #list = new Uint32Array(words * 1024);
  length = 0;

  /** The hash is that of the user's name or id. */
  add(hi: number, lo: number, organization: number): void {
    const at = words * this.length++;
    if (at === this.#list.length) {
      const wider = new Uint32Array(2 * at);
      wider.set(this.#list);
      this.#list = wider;
    }
    this.#list[at] = hi;
    this.#list[at + 1] = lo;
    this.#list[at + 2] = organization + 1;
  }

  /** With as many free slots as used ones. */
  toMemory(): MembershipMemory {
    const size = 2 ** Math.ceil(Math.log2(2 * this.length + 2));
    const slots = new Uint32Array(new SharedArrayBuffer(4 * words * size));
    for (let from = 0; from < words * this.length; from += words) {
      let slot = this.#list[from]! & (size - 1);
      while (slots[slot * words + 2] !== 0) slot = (slot + 1) & (size - 1);
      slots.set(this.#list.subarray(from, from + words), slot * words);
    }
    return { slots: slots.buffer };
  }
}

/** Indexes of organizations in the order in which they were added, each once. */
export function findMemberships({ slots: buffer }: MembershipMemory, hi: number, lo: number): number[] {
  const slots = new Uint32Array(buffer);
  const size = slots.length / words;
  const found = new Set<number>();
  for (let slot = (hi >>> 0) & (size - 1); slots[slot * words + 2] !== 0; slot = (slot + 1) & (size - 1)) {
    const at = slot * words;
    if (slots[at] === hi >>> 0 && slots[at + 1] === lo >>> 0) found.add(slots[at + 2]! - 1);
  }
  return [...found];
}
