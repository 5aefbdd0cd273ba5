/** Parses a value that may be larger than a string of JavaScript can be, with stream-json. */
import { Readable } from 'node:stream';
import chain from 'stream-chain';
import { parser } from 'stream-json/parser.js';
import { streamValues } from 'stream-json/streamers/stream-values.js';
import { checkJson } from './scan.ts';

/** Throws `JsonSyntaxError`. */
export async function parseInPieces(bytes: Uint8Array): Promise<unknown> {
  const problem = checkJson(bytes);
  if (problem !== undefined) throw problem;
  const values = chain([Readable.from([bytes]), parser(), streamValues()]);
  for await (const { value } of values as AsyncIterable<{ value: unknown }>) return value;
  return undefined;
}
