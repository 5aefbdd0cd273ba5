/** Stores bytes that come in any order of their groups and are read back group by group; 8 MB in memory, the rest on disk. */
import { tmpdir } from 'node:os';
import { PieceStore } from '../compact/piece-store.ts';
import { openTemporaryFile } from './spill-file.ts';

interface GroupedSpillOptions {
  /** Bytes that wait for others of their group, and as many that need not go to disk. */
  readonly memoryBytes?: number;
  /** The folder of the temporary file: one, however many groups there are. */
  readonly folder?: string;
}

interface Group {
  /** What is in memory. */
  waiting: Uint8Array[];
  /** The numbers of its pieces that are stored. */
  readonly stored: number[];
}

export class GroupedSpill {
  readonly #memoryBytes: number;
  readonly #pieces: PieceStore;
  readonly #groups = new Map<number, Group>();
  #waiting = 0;

  constructor({ memoryBytes = 4 * 1024 * 1024, folder = tmpdir() }: GroupedSpillOptions = {}) {
    this.#memoryBytes = memoryBytes;
    this.#pieces = new PieceStore(() => openTemporaryFile(folder), memoryBytes);
  }

  /** Throws `OutputError` where the disk does not take it. */
  write(number: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const group = this.#groups.get(number) ?? { waiting: [], stored: [] };
    this.#groups.set(number, group);
    group.waiting.push(Buffer.from(bytes));
    this.#waiting += bytes.length;
    if (this.#waiting > this.#memoryBytes) this.#store();
  }

  /** Whether there is anything of the group. */
  has(number: number): boolean {
    return this.#groups.has(number);
  }

  *read(number: number): Generator<Uint8Array> {
    const { stored, waiting } = this.#groups.get(number) ?? { stored: [], waiting: [] };
    for (const piece of stored) yield this.#pieces.get(piece);
    yield* waiting;
  }

  close(): void {
    this.#pieces.close();
    this.#groups.clear();
  }

  /** What a group has in memory becomes one piece: many small ones would be read one by one. */
  #store(): void {
    for (const group of this.#groups.values()) {
      if (group.waiting.length > 0) group.stored.push(this.#pieces.add(Buffer.concat(group.waiting)));
      group.waiting = [];
    }
    this.#waiting = 0;
  }
}
