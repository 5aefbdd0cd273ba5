/** Reads a file of records beside the users: JSON, JSON lines, CSV, YAML or SQL. */
import type { Input } from '../../lib/input.ts';
import { BrokenRecord } from '../../sources/broken-record.ts';
import { parseBatch } from '../../sources/elements.ts';
import type { Notice } from '../../sources/source.ts';
import { openRows } from '../../sources/table/forms/open.ts';

export interface ReadRowsContext {
  readonly notify: (notice: Notice) => void;
  readonly signal: AbortSignal;
}

/** Undefined for a record that is broken. Throws `InputError` for a file that cannot be read. */
export async function* readRows(input: Input, { notify, signal }: ReadRowsContext): AsyncGenerator {
  const rows = await openRows({ input, source: {}, named: new Set(), table: undefined, notify });
  try {
    for await (const elements of rows.batches) {
      signal.throwIfAborted();
      for (const row of parseBatch({ input: input.name, elements })) {
        yield row instanceof BrokenRecord ? undefined : row;
      }
    }
  } finally {
    await rows.close();
  }
}
