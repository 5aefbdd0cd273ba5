/** Bytes in, an open file of them out, for all but other threads: there is no descriptor. */
import type { OpenFile } from '../../src/lib/input.ts';
import { blocksOf } from './blocks.ts';

export function memoryFile(
  bytes: Buffer,
  sizes: number | readonly number[],
  passed: (offset: number) => void = () => {},
): OpenFile {
  return {
    descriptor: -1,
    read: (into, offset) => bytes.copy(into, 0, Math.min(offset, bytes.length)),
    blocks: (offset) => blocksOf(bytes.subarray(offset), sizes),
    pass: passed,
    hasChanged: () => false,
    close: () => {},
  };
}
