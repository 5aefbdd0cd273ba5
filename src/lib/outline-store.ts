/** Outlines in, and the stencil of each; the steps by which the program of `stencil-wasm-outline.ts` finds them out. */
import type { Step } from './outline-steps.ts';
import { node, stepKind } from './stencil-layout.ts';
import type { Memory } from './wasm-engine.ts';

/** All outlines, for another memory with the same layout. */
export interface OutlineCopy {
  readonly first: number;
  readonly nodes: Uint8Array;
}

/** Behind literal bytes, because 16 of them are read at once. */
const spare = 16;

/** A tree: outlines that begin alike share their first steps. */
export class OutlineStore {
  readonly #memory: Memory;
  readonly #first: number;
  readonly #start: number;
  readonly #end: number;
  #next: number;

  /** The address of the first step stands at `first`; the steps stand between `start` and `end`. */
  constructor(memory: Memory, first: number, start: number, end: number) {
    this.#memory = memory;
    this.#first = first;
    this.#start = start;
    this.#end = end;
    this.#next = start;
  }

  /** As if there never had been any. */
  forget(): void {
    this.#next = this.#start;
    this.#write(this.#first, 0);
  }

  copy(): OutlineCopy {
    const nodes = new Uint8Array(this.#memory.buffer, this.#start, this.#next - this.#start).slice();
    return { first: this.#read(this.#first), nodes };
  }

  /** In the place of its own. */
  adopt({ first, nodes }: OutlineCopy): void {
    this.#write(this.#first, first);
    new Uint8Array(this.#memory.buffer).set(nodes, this.#start);
    this.#next = this.#start + nodes.length;
  }

  /**
   * The address of its last step, which has no stencil yet; undefined where it is known, or there is no room for it.
   */
  add(steps: readonly Step[]): number | undefined {
    /** Where the address of the next step stands. */
    let link = this.#first;
    let isNew = false;
    let address = 0;
    for (const step of steps) {
      address = this.#read(link);
      while (address !== 0 && !this.#isAt(address, step)) {
        link = address + node.other;
        address = this.#read(link);
      }
      if (address === 0) {
        const made = this.#make(step);
        if (made === undefined) return undefined;
        this.#write(link, made);
        address = made;
        isNew = true;
      }
      link = address + node.next;
    }
    return isNew ? address : undefined;
  }

  /** Elements of the outline that ends here are written by this stencil from now on; by none, where it is zero. */
  settle(address: number, stencil: number): void {
    this.#write(address + node.stencil, stencil);
  }

  #isAt(address: number, { literal, kind, length }: Step): boolean {
    const at = this.#read(address + node.literal);
    const known = Buffer.from(this.#memory.buffer, at, this.#read(address + node.literalLength));
    return (
      this.#read(address + node.kind) === stepKind[kind] &&
      this.#read(address + node.length) === length &&
      Buffer.compare(known, literal) === 0
    );
  }

  #make({ literal, kind, length }: Step): number | undefined {
    const address = this.#next;
    const literalAt = address + node.size;
    const next = (literalAt + literal.length + spare + 3) & ~3;
    if (next > this.#end) return undefined;
    this.#next = next;
    new Uint8Array(this.#memory.buffer).set(literal, literalAt);
    this.#write(address + node.literal, literalAt);
    this.#write(address + node.literalLength, literal.length);
    this.#write(address + node.kind, stepKind[kind]);
    this.#write(address + node.length, length);
    this.#write(address + node.next, 0);
    this.#write(address + node.other, 0);
    this.#write(address + node.stencil, 0);
    return address;
  }

  #read(address: number): number {
    return new DataView(this.#memory.buffer).getUint32(address, true);
  }

  #write(address: number, value: number): void {
    new DataView(this.#memory.buffer).setUint32(address, value, true);
  }
}
