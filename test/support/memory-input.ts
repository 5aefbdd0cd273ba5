/** Inputs and blocks from text or bytes in memory. */
import type { Input } from '../../src/lib/input.ts';

export interface MemoryInputOptions {
  readonly blockBytes?: number;
  readonly pipe?: boolean;
}

/** `blockBytes` makes its blocks small, `pipe` lets it be read only once. */
export function memoryInput(
  name: string,
  content: string | Uint8Array,
  { blockBytes = 64 * 1024, pipe = false }: MemoryInputOptions = {},
): Input {
  const bytes = Buffer.from(content);
  let opened = false;
  let taken = 0;
  async function* blocks() {
    let read = 0;
    for await (const block of blocksOf(bytes, blockBytes)) {
      read += block.length;
      taken = read;
      yield block;
    }
  }
  return {
    name,
    size: pipe ? undefined : bytes.length,
    repeatable: !pipe,
    taken: () => taken,
    blocks(rewrite) {
      if (opened && pipe) throw new Error(`${name} was read twice`);
      opened = true;
      return rewrite === undefined ? blocks() : rewrite(blocks());
    },
  };
}

/** One JSON value a line, each line ended. */
export function jsonLines(...values: unknown[]) {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

export async function* blocksOf(bytes: Uint8Array | string, sizes: number | readonly number[] = 256 * 1024) {
  const all = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  const list = typeof sizes === 'number' ? [sizes] : sizes;
  const block = Buffer.alloc(Math.max(1, ...list));
  let turn = 0;
  for (let at = 0; at < all.length;) {
    const length = Math.min(list[turn++ % list.length]!, all.length - at);
    block.set(all.subarray(at, at + length));
    yield block.subarray(0, length);
    // A reader that kept the block instead of copying it now holds this.
    block.fill(0x58);
    at += length;
  }
}
