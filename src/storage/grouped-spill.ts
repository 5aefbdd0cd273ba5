/**
 * Stores bytes that arrive in any order of their groups, and reads them back group by group. 8 MB are in memory, the rest on
 * disk.
 */
import { tmpdir } from 'node:os';
import { createPieceStore } from '../compact/piece-store.ts';
import { openTemporaryFile } from './spill-file.ts';

interface GroupedSpillOptions {
  /** Bytes that wait for others of their group. As many again need not go to disk. */
  readonly memoryBytes?: number;
  /** Folder of the temporary file. There is one file, however many groups there are. */
  readonly folder?: string;
}

export type GroupedSpill = ReturnType<typeof createGroupedSpill>;

export function createGroupedSpill({
  memoryBytes = 4 * 1024 * 1024,
  folder = tmpdir(),
}: GroupedSpillOptions = {}) {
  const pieces = createPieceStore(() => openTemporaryFile(folder), memoryBytes);
  /** Bytes in memory and numbers of the stored pieces, by group. */
  const groups = new Map<number, { inMemory: Uint8Array[]; readonly stored: number[] }>();
  let waiting = 0;

  /** Makes one piece of what a group has in memory, because many small pieces would be read one by one. */
  const store = () => {
    for (const group of groups.values()) {
      if (group.inMemory.length > 0) group.stored.push(pieces.add(Buffer.concat(group.inMemory)));
      group.inMemory = [];
    }
    waiting = 0;
  };

  return {
    /** Throws `OutputError` if the bytes cannot be written to disk. */
    write(number: number, bytes: Uint8Array) {
      if (bytes.length === 0) return;
      const group = groups.get(number) ?? { inMemory: [], stored: [] };
      groups.set(number, group);
      group.inMemory.push(Buffer.from(bytes));
      waiting += bytes.length;
      if (waiting > memoryBytes) store();
    },
    /** Reports whether anything was written for the group. */
    has: (number: number) => groups.has(number),
    *read(number: number): Generator<Uint8Array> {
      const { stored, inMemory } = groups.get(number) ?? { stored: [], inMemory: [] };
      for (const piece of stored) yield pieces.get(piece);
      yield* inMemory;
    },
    close() {
      pieces.close();
      groups.clear();
    },
  };
}
