/** Keeps pieces of text or bytes by number from 0. Each takes 12 bytes in memory. From a limit on, their contents are on disk. */
import type { SpillFile } from '../lib/sink.ts';
import { NumberList } from './columns.ts';

/** Returns undefined if there is no room on disk. Everything then stays in memory. */
export type OpenSpillFile = () => SpillFile | undefined;

export type PieceStore = ReturnType<typeof createPieceStore>;

export function createPieceStore(
  openSpillFile: OpenSpillFile = () => undefined,
  memoryBytes = 2 * 1024 * 1024,
  /** Bytes around a piece that are read with it from disk, for pieces that are mostly read in their order. */
  around = 0,
) {
  /** Undefined for blocks in the spill file, which holds every block at its place. */
  const blocks: (Buffer | undefined)[] = [];
  /** Offset at which each block begins. */
  const starts: number[] = [];
  /** Block, offset and length by piece. */
  const places = new NumberList();
  /** End of the pieces in the last block. */
  let end = 0;
  let spillFile: SpillFile | undefined;
  /** Bytes of the spill file from an offset on. */
  let page = Buffer.alloc(0);
  let pageStart = 0;

  /** Begins a new block. The last one goes to disk if there are enough blocks in memory. */
  const begin = (length: number) => {
    const last = blocks.at(-1);
    const before = starts.at(-1) ?? 0;
    const start = before + (last?.length ?? 0);
    if (last !== undefined && start > memoryBytes) {
      spillFile ??= openSpillFile();
      if (spillFile?.write(last, before)) blocks[blocks.length - 1] = undefined;
    }
    starts.push(start);
    blocks.push(Buffer.allocUnsafeSlow(Math.max(Math.ceil(memoryBytes / 8), length)));
    end = 0;
  };

  return {
    /** Returns the number of the piece. */
    add(piece: string | Uint8Array) {
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
    get(number: number) {
      const place = 3 * number;
      const block = places.get(place)!;
      const from = places.get(place + 1)!;
      const length = places.get(place + 2)!;
      const inMemory = blocks[block];
      if (inMemory !== undefined) return inMemory.subarray(from, from + length);
      const start = starts[block]! + from;
      if (start < pageStart || start + length > pageStart + page.length) {
        pageStart = start - Math.min(from, around);
        page = Buffer.allocUnsafe(Math.min(starts[block + 1]!, start + length + around) - pageStart);
        spillFile!.read(page, pageStart);
      }
      return page.subarray(start - pageStart, start - pageStart + length);
    },
    close() {
      spillFile?.close();
      spillFile = undefined;
    },
  };
}
