/** Reads the lines of a file that idport wrote. The file may be larger than memory. */
import type { FileHandle } from 'node:fs/promises';

const blockBytes = 64 * 1024;
/** idport writes no longer lines. */
export const mostBytes = 1024 * 1024;

/** Yields lines without their line feed, also an unfinished last line. Stops after a line longer than `mostBytes`. */
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
