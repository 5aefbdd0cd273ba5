/** A running system as an input: what is read of it comes as the bytes that its own export would have. */
import { InputError } from '../errors.ts';
import type { Database, Row } from '../lib/live-system.ts';
import type { Input } from '../lib/input.ts';
import { formatCount } from '../lib/quantity.ts';

const blockLength = 64 * 1024;

/** `read` gives the text from the start, each time the same. Messages show the name, and names of files begin with it. */
export function liveInput(name: string, read: () => AsyncIterable<string>): Input {
  let taken = 0;
  return {
    name: name.replaceAll(/[\s/\\]/g, '_'),
    size: undefined,
    repeatable: true,
    taken: () => taken,
    async *blocks() {
      taken = 0;
      let text = '';
      for await (const part of read()) {
        text += part;
        if (text.length < blockLength) continue;
        const block = Buffer.from(text);
        taken += block.length;
        text = '';
        yield block;
      }
      taken += Buffer.byteLength(text);
      if (text !== '') yield Buffer.from(text);
    },
  };
}

/** The rows of a statement, as many as were counted in the same snapshot: more would never end, fewer would be lost. */
export async function* countedRows(
  db: Database,
  what: string,
  count: string,
  sql: string,
): AsyncGenerator<readonly Row[]> {
  const expected = Number((await db.query(count))[0]?.[0]);
  let read = 0;
  for await (const rows of db.read(sql)) {
    read += rows.length;
    if (read > expected) break;
    yield rows;
  }
  if (read === expected) return;
  const more = read > expected ? 'more' : formatCount(read);
  throw new InputError(
    'input:live',
    db.host,
    `${formatCount(expected)} ${what} were counted, and ${more} arrived`,
    {
      hint: 'Run it again; if it happens again, check the indexes of the database.',
    },
  );
}
