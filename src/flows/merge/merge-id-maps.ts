/** Joins the id maps of all shards of an import: each user is in one of them. */
import { UsageError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
import type { Sink } from '../../lib/sink.ts';
import { idMapHeader } from '../report/id-map.ts';

const lineFeed = 0x0a;

/** Throws `UsageError` for another file, or one that does not end with a whole line. */
export async function mergeIdMaps(inputs: readonly Input[], sink: Sink): Promise<void> {
  await sink.write(`${idMapHeader}\n`);
  for (const input of inputs) {
    let head = Buffer.alloc(0);
    let last: number | undefined;
    const length = idMapHeader.length + 1;
    for await (const block of input.blocks()) {
      last = block.at(-1) ?? last;
      const isHead = head.length < length;
      if (isHead) head = Buffer.concat([head, block]);
      if (head.length < length) continue;
      await sink.write(isHead ? head.subarray(length) : block);
    }
    if (head.subarray(0, length).toString() !== `${idMapHeader}\n` || last !== lineFeed) {
      throw new UsageError(`${input.name} is not a whole id map`, {
        hint: `Its first line has to be ${idMapHeader}. Resume the import of this shard: that writes the map again.`,
      });
    }
  }
}
