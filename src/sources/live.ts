/** A running system as an input. What is read from it comes as the bytes of the system's own export. */
import { InputError } from '../errors.ts';
import type { Database, RowLines } from '../lib/live-system.ts';
import type { Input } from '../lib/input.ts';
import { formatCount } from '../lib/format.ts';

/**
 * Returns an input. `read` yields the text from its start, and must always yield the same. The name appears in messages
 * and begins file names.
 */
export function liveInput(name: string, read: () => AsyncIterable<string | Uint8Array>): Input {
  let taken = 0;
  return {
    name: name.replaceAll(/[\s/\\]/g, '_'),
    size: undefined,
    repeatable: true,
    isLive: true,
    taken: () => taken,
    async *blocks() {
      taken = 0;
      for await (const part of read()) {
        const block = typeof part === 'string' ? Buffer.from(part) : part;
        taken += block.length;
        yield block;
      }
    },
  };
}

/**
 * Yields as many rows as were counted in the same snapshot. Throws `InputError` if there are more, which might never
 * end, or fewer, which would be lost.
 */
export async function* countedRows(
  db: Database,
  what: string,
  count: string,
  rows: AsyncIterable<RowLines>,
): AsyncGenerator<RowLines> {
  const expected = Number((await db.query(count))[0]?.[0]);
  let read = 0;
  for await (const lines of rows) {
    read += lines.rows;
    if (read > expected) break;
    yield lines;
  }
  if (read === expected) return;
  const more = read > expected ? 'more' : formatCount(read);
  throw new InputError(
    'input:live',
    db.host,
    `${formatCount(expected)} ${what} were counted, and ${more} arrived`,
    'Run it again; if it happens again, check the indexes of the database.',
  );
}
