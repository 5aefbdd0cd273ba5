/** The lines of a file of ours, which may be larger than the memory. */
import type { FileHandle } from 'node:fs/promises';

const blockBytes = 64 * 1024;
/** No line of ours is longer. */
export const mostBytes = 1024 * 1024;

/** Without their line feed; the last one also where it has none. One that is not of ours ends them. */
export async function* linesOf(file: FileHandle): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for (let at = 0; ;) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(blockBytes), 0, blockBytes, at);
    if (bytesRead === 0 || rest.length > mostBytes) break;
    at += bytesRead;
    let text = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    for (let end = text.indexOf(0x0a); end !== -1; end = text.indexOf(0x0a)) {
      yield text.subarray(0, end);
      text = text.subarray(end + 1);
    }
    rest = text;
  }
  if (rest.length > 0) yield rest;
}
