/** A small stream in, all its bytes out. */
import type { Readable } from 'node:stream';

export async function readAll(stream: Readable): Promise<Uint8Array> {
  const blocks: Uint8Array[] = [];
  for await (const block of stream) blocks.push(typeof block === 'string' ? Buffer.from(block) : block);
  return Buffer.concat(blocks);
}
