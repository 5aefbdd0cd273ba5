/** A path in, its bytes out in blocks. Regular files are read synchronously into one block that is used again. */
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { inputProblem } from './input-problem.ts';

const blockSize = 256 * 1024;
/** Synchronous reads never let timers and signals run, so after this many bytes the event loop gets a turn. */
const bytesPerTurn = 4 * 1024 * 1024;

/** Node's streams cost more than a whole conversion (five times slower than this at their default size). */
export async function* regularFileBlocks(name: string, path: string): AsyncGenerator<Uint8Array> {
  const file = attempt(name, () => openSync(path, 'r'));
  const block = Buffer.allocUnsafeSlow(blockSize);
  let sinceTurn = bytesPerTurn;
  try {
    for (;;) {
      if (sinceTurn >= bytesPerTurn) {
        await setImmediate();
        sinceTurn = 0;
      }
      const length = attempt(name, () => readSync(file, block, 0, block.length, null));
      if (length === 0) return;
      sinceTurn += length;
      yield block.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

/** For pipes and devices, where a read may have to wait. */
export async function* streamedBlocks(name: string, path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const block of createReadStream(path, { highWaterMark: blockSize })) yield block as Buffer;
  } catch (error) {
    throw inputProblem(name, error);
  }
}

function attempt<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw inputProblem(name, error);
  }
}
