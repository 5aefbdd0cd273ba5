/** `idport map`: looks at a table of users and drafts a mapping. */
import { ExitCode, InputError } from '../errors.ts';
import { ColumnCount } from '../flows/map/columns.ts';
import { draftMapping } from '../flows/map/draft.ts';
import { BrokenRecord, parseBatch } from '../sources/elements.ts';
import { openRows } from '../sources/table/forms/open.ts';
import { openInput } from '../storage/open-input.ts';
import { print } from '../storage/stream-sink.ts';
import type { Action } from './context.ts';

export interface MapFlags {
  readonly file: string;
}

/** Enough to see what columns hold. */
const mostRows = 10_000;

export const draftMap: Action<MapFlags> = async ({ file }, context) => {
  const input = openInput(file, context);
  const count = new ColumnCount();
  const rows = await openRows({
    input,
    source: {},
    named: new Set(),
    table: undefined,
    notify: (notice) =>
      context.emit({ type: 'notice', level: notice.level, code: notice.code, text: notice.text }),
  });
  let seen = 0;
  try {
    count.declare(rows.columns ?? []);
    for await (const elements of rows.batches) {
      context.signal.throwIfAborted();
      for (const row of parseBatch({ input: file, elements, context: undefined })) {
        if (row instanceof BrokenRecord || seen === mostRows) continue;
        seen++;
        count.add(row);
      }
      if (seen === mostRows) break;
    }
  } finally {
    await rows.close();
  }
  const columns = count.finish();
  if (columns.columns.length === 0) {
    throw new InputError('input:no-columns', file, 'it has no rows with columns', {
      hint: 'Name a file with users: CSV, JSON or JSON lines.',
    });
  }
  await print(context.stdout, draftMapping(file, columns));
  return ExitCode.done;
};
