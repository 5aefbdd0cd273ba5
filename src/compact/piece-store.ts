/** Keeps pieces of text or bytes, by number from 0: 12 bytes each in memory, and what they hold on disk from a limit on. */
import type { SpillFile } from '../lib/sink.ts';
import { NumberList } from './columns.ts';

/** Undefined where there is no room on disk: then all stays in memory. */
export type OpenSpillFile = () => SpillFile | undefined;

export type PieceStore = ReturnType<typeof createPieceStore>;

export function createPieceStore(openSpillFile: OpenSpillFile, memoryBytes = 2 * 1024 * 1024) {
  /** Undefined for those in the spill file, which holds every block at its place. */
  const blocks: (Buffer | undefined)[] = [];
  /** By block: where it begins. */
  const starts: number[] = [];
  /** By piece: block, offset and length. */
  const places = new NumberList();
  /** Of the pieces in the last block. */
  let end = 0;
  let spillFile: SpillFile | undefined;

  /** A new block; the last one goes to disk where there are enough in memory. */
  const begin = (length: number) => {
    const last = blocks.at(-1);
    const before = starts.at(-1) ?? 0;
    const start = before + (last?.length ?? 0);
    if (last !== undefined && start > memoryBytes) {
      spillFile ??= openSpillFile();
      if (spillFile?.write(last, before) === true) blocks[blocks.length - 1] = undefined;
    }
    starts.push(start);
    blocks.push(Buffer.allocUnsafeSlow(Math.max(Math.ceil(memoryBytes / 8), length)));
    end = 0;
  };

  return {
    /** Returns its number. */
    add(piece: string | Uint8Array): number {
      const length = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
      const last = blocks.at(-1);
      if (last === undefined || end + length > last.length) begin(length);
      const block = blocks.at(-1)!;
      if (typeof piece === 'string') block.write(piece, end);
      else block.set(piece, end);
      const place = places.push(blocks.length - 1, end, length);
      end += length;
      return place / 3;
    },
    get(number: number): Buffer {
      const place = 3 * number;
      const block = places.get(place)!;
      const from = places.get(place + 1)!;
      const length = places.get(place + 2)!;
      const inMemory = blocks[block];
      if (inMemory !== undefined) return inMemory.subarray(from, from + length);
      const bytes = Buffer.allocUnsafe(length);
      spillFile!.read(bytes, starts[block]! + from);
      return bytes;
    },
    close(): void {
      spillFile?.close();
      spillFile = undefined;
    },
  };
}
