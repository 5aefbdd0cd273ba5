/** Text or bytes in, an input out; `blockBytes` makes its blocks small, `pipe` lets it be read only once. */
import type { Input } from '../../src/lib/input.ts';

export interface MemoryInputOptions {
  readonly blockBytes?: number;
  readonly pipe?: boolean;
}

export function memoryInput(
  name: string,
  content: string | Uint8Array,
  { blockBytes = 64 * 1024, pipe = false }: MemoryInputOptions = {},
): Input {
  const bytes = Buffer.from(content);
  let opened = false;
  let taken = 0;
  async function* blocks(): AsyncGenerator<Uint8Array> {
    // As in storage/, one buffer for all blocks: who keeps one must notice.
    const block = Buffer.alloc(blockBytes);
    let read = 0;
    for (let at = 0; at < bytes.length; at += blockBytes) {
      const length = bytes.copy(block, 0, at, at + blockBytes);
      read += length;
      taken = read;
      yield block.subarray(0, length);
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
export function jsonLines(...values: unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
