/** Finds what a source has stored as the password of one user, for sources that can say it. */
import { openSpillFile } from '../../storage/spill-file.ts';
import type { StoredHash } from '../../records/hash-forms/explain-mismatch.ts';
import type { ReadResult } from '../../records/user.ts';
import { parseBatch } from '../../sources/elements.ts';
import { loadProvider } from '../../sources/index.ts';
import type { OpenedSource } from './read-users.ts';

/** By user name (without regard to case) or id. Undefined where the source cannot say it, or no user has the name. */
export async function findStored(
  { provider: name, options, inputs, companions }: OpenedSource,
  requested: string,
  signal: AbortSignal,
): Promise<StoredHash | undefined> {
  const provider = await loadProvider(name);
  // Standard input was read to its end already.
  if (provider.stored === undefined || inputs.some((input) => input.name === '-')) return undefined;
  const read = provider.reader(options);
  const stored = provider.stored(options);
  for await (const batch of provider.scan(inputs, options, () => {}, { companions, openSpillFile })) {
    signal.throwIfAborted();
    let index = 0;
    for (const value of parseBatch(batch)) {
      const place = index++;
      const record = read(value, { input: batch.input, index: place, id: '' }, batch.context, place);
      if (isOf(record, requested)) return stored(value, batch.context);
    }
  }
  return undefined;
}

function isOf(record: ReadResult, requested: string): boolean {
  if (record.kind !== 'human') return record.origin.id === requested;
  return record.userName.toLowerCase() === requested.toLowerCase() || record.id === requested;
}
