/**
 * Signatures, and what is to be written between the holes, in; the stencils in the memory by which
 * the program goes out.
 */
import { item, type Layout, longestHole, longestSecret, slotCount, stencil } from './stencil-layout.ts';
import type { Item } from './stencil-items.ts';
import type { Memory } from './wasm-engine.ts';

/** What a stencil says of all elements that are written by it. */
interface Common {
  /** Without the texts in the holes. */
  readonly size: number;
  readonly facts: number;
  /** Numbers of holes. */
  readonly nameHole: number;
  readonly idHole: number;
}

/** All stencils, for another memory with the same layout. */
export interface StencilCopy {
  readonly slots: Uint32Array;
  readonly stencils: Uint8Array;
}

/** Behind a literal text, because 16 bytes of it are read at once. */
const spare = 16;

export class StencilStore {
  readonly #memory: Memory;
  readonly #layout: Layout;
  readonly #end: number;
  #next: number;
  #count = 0;

  /** The stencils end before `end`. */
  constructor(memory: Memory, layout: Layout, end: number) {
    this.#memory = memory;
    this.#layout = layout;
    this.#end = end;
    this.#next = layout.stencils;
  }

  /** As if there never had been any. */
  forget(): void {
    this.#slots().fill(0);
    this.#next = this.#layout.stencils;
    this.#count = 0;
  }

  copy(): StencilCopy {
    const stencils = new Uint8Array(
      this.#memory.buffer,
      this.#layout.stencils,
      this.#next - this.#layout.stencils,
    );
    return { slots: this.#slots().slice(), stencils: stencils.slice() };
  }

  /** In the place of its own. */
  adopt({ slots, stencils }: StencilCopy): void {
    this.#slots().set(slots);
    new Uint8Array(this.#memory.buffer).set(stencils, this.#layout.stencils);
    this.#next = this.#layout.stencils + stencils.length;
    this.#count = slots.filter((address) => address !== 0).length;
  }

  /** For the signature that is in the memory; gives its address, or undefined where there is no room for more. */
  add({ hash, length }: { readonly hash: number; readonly length: number }): number | undefined {
    const padded = (length + 31) & ~15;
    const address = this.#allocate(stencil.signature + padded);
    if (address === undefined || this.#count >= slotCount / 2) return undefined;
    this.#count++;
    const bytes = new Uint8Array(this.#memory.buffer);
    bytes.fill(0, address, address + stencil.signature + padded);
    bytes.copyWithin(address + stencil.signature, this.#layout.signature, this.#layout.signature + length);
    this.#write(address, { signatureLength: length, hash });
    const slots = this.#slots();
    let slot = hash % slotCount;
    while (slots[slot] !== 0) slot = (slot + 1) % slotCount;
    slots[slot] = address;
    return address;
  }

  /** What is written by it from now on; false where there is no room for that. */
  complete(address: number, items: readonly Item[], common: Common): boolean {
    const literals = items.reduce((sum, { literal }) => sum + literal.length + spare, 0);
    const start = this.#allocate(items.length * item.size + literals);
    if (start === undefined) return false;
    const memory = Buffer.from(this.#memory.buffer);
    const words = new DataView(this.#memory.buffer);
    let literalAt = start + items.length * item.size;
    items.forEach(({ literal, hole, how }, place) => {
      const at = start + place * item.size;
      literal.copy(memory, literalAt);
      words.setUint32(at + item.literal, literalAt, true);
      words.setUint32(at + item.length, literal.length, true);
      words.setUint32(at + item.hole, hole, true);
      words.setUint32(at + item.how, how, true);
      literalAt += literal.length + spare;
    });
    const room = literals + items.length * 2 * Math.max(longestHole, longestSecret) + 16;
    this.#write(address, { items: start, itemCount: items.length, room, ...common });
    return true;
  }

  /** Only for elements whose free texts have so many bytes. */
  restrict(address: number, least: number): void {
    this.#write(address, { least });
  }

  /** Elements like this one go the slow way for good. */
  giveUp(address: number): void {
    this.#write(address, { items: 0 });
  }

  #slots(): Uint32Array {
    return new Uint32Array(this.#memory.buffer, this.#layout.slots, slotCount);
  }

  #allocate(bytes: number): number | undefined {
    const address = this.#next;
    const next = (address + bytes + 15) & ~15;
    if (next > this.#end) return undefined;
    this.#next = next;
    return address;
  }

  #write(address: number, fields: Readonly<Partial<Record<keyof typeof stencil, number>>>): void {
    const words = new DataView(this.#memory.buffer);
    for (const [field, value] of Object.entries(fields)) {
      words.setUint32(address + stencil[field as keyof typeof stencil], value, true);
    }
  }
}
