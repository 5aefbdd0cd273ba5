/** Checks that a second pass over files sees the same batches as the first. */
import { crc32 } from 'node:zlib';
import { inputChanged } from '../../../lib/input.ts';
import type { RawElements } from '../../source.ts';
import type { UserBatch } from '../user-batches.ts';

/** What a first pass has seen of every batch, so that a second one notices when a file is no longer the same. */
export class BatchMarks {
  readonly #marks: number[] = [];
  #next = 0;

  /** The next batch of the first pass has this mark. */
  add(mark: number): void {
    this.#marks.push(mark);
  }

  /** Throws `InputError` unless this is the next batch of the first pass. */
  check({ input, elements, count }: UserBatch): void {
    if (this.#marks[this.#next++] !== markOf(elements, count)) throw inputChanged(input);
  }

  /** Throws `InputError` when batches of the first pass are missing. */
  finish(input: string): void {
    if (this.#next !== this.#marks.length) throw inputChanged(input);
  }
}

/** A checksum of all that a batch holds, and the number of its records. */
export function markOf(elements: RawElements, count: number): number {
  return crc32(bytesOf(elements), count);
}

function bytesOf(elements: RawElements): Uint8Array {
  switch (elements.form) {
    case 'elements':
    case 'lines':
    case 'rows':
      return elements.bytes;
    case 'values':
      return Buffer.from(JSON.stringify(elements.values), 'utf8');
    case 'broken':
      return Buffer.from(elements.problem, 'utf8');
  }
}
