/** The files of users in, their batches in order out; the same ones in every pass, or an error. */
import { crc32 } from 'node:zlib';
import { InputError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
import { parseBatch } from '../elements.ts';
import type { Notice, RawElements } from '../source.ts';
import { expectKind } from './record-kind.ts';
import { type Pages, type RecordBatch, scanRecords } from './records.ts';

export interface UserBatch extends RecordBatch {
  readonly input: string;
}

/** Throws for a file of another kind; tells when pages of an interface promise more people than they hold. */
export async function* scanUsers(
  inputs: readonly Input[],
  notify: (notice: Notice) => void,
  batchBytes: number,
): AsyncGenerator<UserBatch> {
  let everybody = 0;
  for (const input of inputs) {
    const pages: Pages = { total: undefined };
    let read = 0;
    for await (const { elements, count } of scanRecords(input, { batchBytes, pages })) {
      const batch = { input: input.name, elements, count };
      if (read === 0) expectKind(input.name, parseBatch({ ...batch, context: undefined })[0], 'users');
      read += count;
      yield batch;
    }
    everybody += read;
    if (pages.total !== undefined && read < pages.total) notify(missingPages(input.name, read, pages.total));
  }
  if (everybody === 0) notify(noUsers(inputs));
}

/** What a first pass has seen of every batch, so that a second one notices when a file is no longer the same. */
export class BatchMarks {
  readonly #marks: number[] = [];
  #next = 0;

  /** Passes the batches of the first pass on. */
  async *setAll(batches: AsyncIterable<UserBatch>): AsyncGenerator<UserBatch> {
    for await (const batch of batches) {
      this.#marks.push(markOf(batch));
      yield batch;
    }
  }

  /** Throws `InputError` unless this is the next batch of the first pass. */
  check(batch: UserBatch): void {
    if (this.#marks[this.#next++] !== markOf(batch)) throw changed(batch.input);
  }

  /** Throws `InputError` when batches of the first pass are missing. */
  finish(input: string): void {
    if (this.#next !== this.#marks.length) throw changed(input);
  }
}

/** A checksum of all that the batch holds, and the number of its records. */
function markOf({ elements, count }: UserBatch): number {
  return crc32(bytesOf(elements), count);
}

function bytesOf(elements: RawElements): Uint8Array {
  switch (elements.form) {
    case 'elements':
    case 'lines':
      return elements.bytes;
    case 'values':
      return Buffer.from(JSON.stringify(elements.values), 'utf8');
    case 'broken':
      return Buffer.from(elements.problem, 'utf8');
  }
}

function changed(input: string): InputError {
  return new InputError('input:changed', input, 'it changed while it was read', {
    hint: 'Users are read twice when passwords are joined to them: convert a copy that nobody writes to.',
  });
}

function missingPages(input: string, read: number, total: number): Notice {
  return {
    level: 'warning',
    code: 'input:missing-pages',
    text: `${input}: the pages name ${total} users in all and hold ${read}; Auth0 shows no more than 1,000 this way, an export job shows everybody`,
  };
}

function noUsers(inputs: readonly Input[]): Notice {
  const names = inputs.map(({ name }) => name).join(', ');
  return { level: 'warning', code: 'input:no-users', text: `no users in ${names}` };
}
