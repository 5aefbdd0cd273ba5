/** Reads the user files as batches, in order. */
import type { Input } from '../../lib/input.ts';
import { parseBatch } from '../elements.ts';
import type { Notice } from '../source.ts';
import { expectKind } from './record-kind.ts';
import { type Pages, type RecordBatch, scanRecords } from './records.ts';

export interface UserBatch extends RecordBatch {
  readonly input: string;
}

/** Throws for a file of another kind; tells when pages of an interface promise more users than they hold. */
export async function* scanUsers(
  inputs: readonly Input[],
  notify: (notice: Notice) => void,
  batchBytes: number,
): AsyncGenerator<UserBatch> {
  let total = 0;
  for (const input of inputs) {
    const pages: Pages = { total: undefined };
    let read = 0;
    for await (const { elements, count } of scanRecords(input, { batchBytes, pages })) {
      const batch = { input: input.name, elements, count };
      if (read === 0) expectKind(input.name, first(parseBatch({ ...batch, context: undefined })), 'users');
      read += count;
      yield batch;
    }
    total += read;
    if (pages.total !== undefined && read < pages.total) notify(missingPages(input.name, read, pages.total));
  }
  if (total === 0) notify(noUsers(inputs));
}

function missingPages(input: string, read: number, total: number): Notice {
  return {
    level: 'warning',
    code: 'input:missing-pages',
    text: `${input}: the pages name ${total} users in all and hold ${read}; Auth0 shows no more than 1,000 this way, an export job shows all users`,
  };
}

function noUsers(inputs: readonly Input[]): Notice {
  const names = inputs.map(({ name }) => name).join(', ');
  return { level: 'warning', code: 'input:no-users', text: `no users in ${names}` };
}

function first(records: Iterable<unknown>): unknown {
  for (const record of records) return record;
  return undefined;
}
