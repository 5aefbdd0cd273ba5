/** A running system as an input: what is read of it comes as the bytes that its own export would have. */
import { InputError } from '../errors.ts';
import type { Database, RowLines } from '../lib/live-system.ts';
import type { Input } from '../lib/input.ts';
import { formatCount } from '../lib/format.ts';

/** `read` gives the text from the start, each time the same. Messages show the name, and names of files begin with it. */
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

/** Rows, as many as were counted in the same snapshot: more would never end, fewer would be lost. */
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
