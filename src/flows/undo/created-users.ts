/** Reads from the journal of an import which users it created. */
import { UsageError } from '../../errors.ts';
import type { JournalHeader } from '../../journal/lines.ts';
import type { LoadedJournal } from '../../journal/load.ts';
import { State } from '../../journal/states.ts';
import { readSentUsers } from '../resume/journal-users.ts';

export interface CreatedUser {
  /** Number in the journal of the import. */
  readonly entry: number;
  /** At the target; empty where only the name is known. */
  readonly id: string;
  readonly oldId: string;
  readonly userName: string;
  /** When the request was sent, by the service's `Date`, in milliseconds. */
  readonly at: number;
  /**
   * `answer`: the service chose the id and gives it to no other user. `id`: it took the id of the source, which another
   * user may have by now. `none`: the answer was lost, and another user may have the name.
   */
  readonly proof: 'answer' | 'id' | 'none';
  /** When the request has last written, on the clock that stamps users; undefined where that is not known. */
  readonly writtenAt: number | undefined;
}

/** Requests whose result is unknown come last. Throws `UsageError` for a journal of another verb. */
export async function* readCreated(
  path: string,
  { header, states }: Pick<LoadedJournal, 'header' | 'states'>,
): AsyncGenerator<CreatedUser> {
  refuseBucket(header, path);
  // Otherwise the service chooses the ids of an import one by one.
  const isOneCall = header.settings['api'] === 'v2';
  for await (const sent of readSentUsers({ path, header })) {
    const { entry, id: oldId, userName, at, end, newId, writtenAt } = sent;
    const user = { entry, oldId, userName, at, writtenAt };
    if (end === 'created') {
      yield newId === undefined || isOneCall
        ? { ...user, id: newId ?? oldId, proof: 'id' }
        : { ...user, id: newId, proof: 'answer' };
    } else if (end === 'open' && states.get(entry) !== State.created) {
      const chosen = header.verb === 'import-users' && !isOneCall;
      yield { ...user, id: chosen ? '' : (newId ?? oldId), proof: 'none' };
    }
  }
}

/** It is unknown which users the service's own job has created. */
function refuseBucket({ settings }: JournalHeader, path: string): void {
  if (settings['route'] !== 'bucket') return;
  throw new UsageError(`${path}: the service fetched these users itself and does not say which it created`, {
    hint: 'Only imports without --gcs can be undone.',
  });
}
