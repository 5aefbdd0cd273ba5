/** Reads chosen parts of a JSON document that is moderate in size, without a look at the rest of it. */
import { Readable } from 'node:stream';
import chain from 'stream-chain';
import { filter } from 'stream-json/filters/filter.js';
import { parser } from 'stream-json/parser.js';
import { streamValues } from 'stream-json/streamers/stream-values.js';

/** The document with those members alone whose path (`roles.realm.0.name`) the pattern finds. */
export async function* filteredValues(blocks: AsyncIterable<Uint8Array>, pattern: RegExp): AsyncGenerator {
  const values = chain([Readable.from(blocks), parser(), filter({ filter: pattern }), streamValues()]);
  for await (const { value } of values as AsyncIterable<{ value: unknown }>) yield value;
}
