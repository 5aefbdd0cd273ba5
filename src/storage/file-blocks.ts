/** Reads files in blocks. Regular files are read synchronously into one buffer, which is reused. */
import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { inputChanged } from '../lib/input.ts';
import { inputProblem } from './input-problem.ts';
import { isUnchanged, type FileFacts } from './same-file.ts';

const blockSize = 256 * 1024;
/** Synchronous reads block timers and signals, so after this many bytes the event loop gets a turn. */
const bytesPerTurn = 4 * 1024 * 1024;

/** Node's streams cost more than a whole conversion (five times slower than this at their default size). */
export async function* regularFileBlocks(
  name: string,
  path: string,
  found: FileFacts,
): AsyncGenerator<Uint8Array> {
  const file = attempt(name, () => openSync(path, 'r'));
  try {
    const block = Buffer.allocUnsafeSlow(blockSize);
    let sinceTurn = bytesPerTurn;
    for (let at = 0; ;) {
      if (sinceTurn >= bytesPerTurn) {
        await setImmediate();
        sinceTurn = 0;
      }
      const length = attempt(name, () => readSync(file, block, 0, block.length, at));
      if (!isUnchanged(found, fstatSync(file, { bigint: true }))) throw inputChanged(name);
      if (length === 0) return;
      at += length;
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

/** Turns file system errors into an `InputError`. */
function attempt<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw inputProblem(name, error);
  }
}
