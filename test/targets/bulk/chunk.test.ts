/** Requests of a bulk import stay below the limit of their JSON, also where that goes as a text within JSON. */
import { expect, it } from 'vitest';
import { createChunks, toBody } from '../../../src/targets/bulk/chunk.ts';
import { readEntry, type Entry } from '../../../src/targets/bulk/entry.ts';

const entryOf = (number: number) => {
  const place = { number, list: 'userMetadata', orgId: String(number % 3), firstForm: true };
  return readEntry(place, JSON.stringify({ id: '"'.repeat(100), key: `${number}`, value: 'YQ==' })) as Entry;
};

it.each([true, false])('a chunk counts each quote of the first form twice (as a text: %j)', (asText) => {
  const options = { timeout: '5m', firstForm: true, asText };
  const limits = { bytes: Infinity, jsonBytes: 4000, entries: Infinity };
  const builder = createChunks(options);
  for (let number = 0; ; number++) {
    const entry = entryOf(number);
    if (!builder.fits(entry, limits)) break;
    builder.add(entry);
  }
  const entries = builder.take();
  expect(entries.length).toBeGreaterThan(3);
  expect(Buffer.byteLength(toBody(entries, options))).toBeLessThanOrEqual(limits.jsonBytes);
});
