/** Reads the journals of previous runs: which users they imported, with which content, and which are no longer in the source. */
import { formatCounted, formatNames } from '../../lib/format.ts';
import { TextTable } from '../../compact/key-table.ts';
import type { Notice } from '../../sources/source.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { foldName } from '../../records/text.ts';
import { readSentUsers } from '../runs/journal-users.ts';
import { keyOf } from './fingerprint.ts';
import { withState } from './user-parts.ts';
import { openPreviousJournals, type PreviousJournal, type PreviousRunsOptions } from './previous-journals.ts';
import { fingerprintLength, PreviousTable, type PreviousState, type PreviousUser } from './previous-table.ts';

export type PreviousRuns = NonNullable<Awaited<ReturnType<typeof loadPreviousRuns>>>;

export interface VanishedUser {
  /** In the source: the id, else the user name. */
  readonly named: readonly [id: string, userName: string];
  /** Id at the target, if a previous run created the user and the id is known. */
  readonly id: string | undefined;
}

type Named = Pick<UserRecord | MachineRecord, 'id' | 'userName'>;

/** Returns what identifies a user in all runs: the id of the source, else the user name. */
const nameOf = (id: string, userName: string) => (id === '' ? `name ${foldName(userName)}` : `id ${id}`);

/**
 * Returns undefined without journals. Later journals win. Takes about 46 bytes a user. Throws `journal:*`, or `UsageError` if the
 * journals do not belong together.
 */
export async function loadPreviousRuns(paths: readonly string[], options: PreviousRunsOptions) {
  if (paths.length === 0) return undefined;
  const names = new TextTable();
  const table = new PreviousTable();
  let users = 0;
  const { journals, keys } = await openPreviousJournals(paths, options);
  for (const journal of journals) {
    for (const { user, done } of journal.left.values()) {
      const at = names.find(nameOf(...user));
      const before = at === -1 ? undefined : table.get(at);
      if (before === undefined) continue;
      users -= Number(done === 'deleted' && isCreated(before));
      if (done === 'deleted') table.remove(at);
      // Compare the user with the source again in any case. Without an answer, the user may exist or not.
      else if (done === 'deleting')
        table.set(at, { ...before, fingerprint: noFingerprint + before.parts, older: [''] });
      else table.set(at, { ...before, fingerprint: noFingerprint + withState(before, 'inactive') });
    }
    for await (const { name, end, isNew, ...user } of readUsersOf(journal)) {
      const known = names.find(name);
      const before = known === -1 ? undefined : table.get(known);
      if (end === 'failed' && before === undefined) continue;
      // A run that is not compared with those before it created users, and changed none of theirs.
      const isOther = before !== undefined && before.key !== user.key;
      if (isOther && end !== 'undone' && (end !== 'there' || user.createdSince === undefined)) continue;
      const at = known === -1 ? names.add(name) : known;
      const writtenAt = user.writtenAt ?? (isNew ? undefined : before?.writtenAt);
      if (end === 'undone') table.remove(at);
      else if (end === 'there') table.set(at, { ...user, writtenAt });
      else {
        // The request may have been done, in whole or in part, so the user is sent again in any case.
        const fingerprint = noFingerprint + user.fingerprint.slice(fingerprintLength);
        const older = before === undefined ? [''] : [...before.older, before.parts];
        table.set(at, { ...(before ?? user), writtenAt, fingerprint, older });
      }
      users += Number(isCreated(table.get(at))) - Number(isCreated(before));
    }
  }
  const seen = new Uint8Array(names.size);

  return {
    /** Keys of the journals' fingerprints. */
    keys,
    /** Number of users that the runs created and no rollback deleted. */
    users,
    find({ id, userName }: Named) {
      const at = names.find(nameOf(id, userName));
      return at === -1 ? undefined : table.get(at);
    },
    /** Records that the user is in the source of this run, too. */
    see({ id, userName }: Named) {
      const at = names.find(nameOf(id, userName));
      if (at !== -1) seen[at] = 1;
    },
    /** Returns the current paths of the journals. */
    paths: () => journals.map(({ path }) => path),
    /** Records that a journal was renamed. */
    moved(from: string, to: string) {
      for (const journal of journals) if (journal.path === from) journal.path = to;
    },
    /** Yields each imported user that was not seen. Reads the journals again. */
    async *vanished(): AsyncGenerator<VanishedUser> {
      const reported = Uint8Array.from(seen);
      for (const journal of journals) {
        for await (const { name } of readUsersOf(journal)) {
          const at = names.find(name);
          const state = at === -1 || reported[at] === 1 ? undefined : table.get(at);
          if (state === undefined) continue;
          reported[at] = 1;
          const own = name.slice(name.indexOf(' ') + 1);
          const named: VanishedUser['named'] = name.startsWith('id ') ? [own, ''] : ['', own];
          const id = state.id || named[0];
          yield { named, id: state.createdSince === undefined || id === '' ? undefined : id };
        }
      }
    },
  };
}

const isCreated = (state: PreviousState | undefined) => state?.createdSince !== undefined;

/** Stands for the fingerprint of a user of whom only the parts are known. */
const noFingerprint = '-'.repeat(fingerprintLength);

interface Read extends PreviousUser {
  readonly name: string;
  readonly end: 'there' | 'failed' | 'open' | 'undone';
  /** The user was created anew, or may have been, so what was written before is gone. */
  readonly isNew: boolean;
}

/** Yields each user that was created, existed before, or was refused. */
async function* readUsersOf({ path, header, isUndone, active }: PreviousJournal): AsyncGenerator<Read> {
  for await (const sent of readSentUsers({ path, header })) {
    const { entry, id, userName, fingerprint, at, end, newId = '', writtenAt } = sent;
    const isNew = end === 'created' || (end === 'open' && header.verb === 'import');
    const named = { key: keyOf(header) ?? '', name: nameOf(id, userName), fingerprint, isNew };
    const nothing = { ...named, id: '', createdSince: undefined, writtenAt: undefined };
    if (end === 'failed') yield { ...nothing, end };
    else if (end === 'existed') yield { ...nothing, end: 'there' };
    // Includes users of requests without an answer whom the undo found.
    else if (isUndone(entry)) yield { ...nothing, end: 'undone' };
    else if (end === 'open' || active.has(entry))
      yield { ...named, end: 'open', id: newId, createdSince: at, writtenAt };
    else yield { ...named, end: 'there', id: newId, createdSince: at, writtenAt };
  }
}

const shownVanished = 1000;

/**
 * Returns no notice if every user of the previous runs is still in the source. `end` says what was done with the missing users.
 */
export async function describeVanished(
  previous: PreviousRuns | undefined,
  end = 'They stay at the target.',
): Promise<Notice[]> {
  const first: string[] = [];
  let all = 0;
  for await (const { named } of previous?.vanished() ?? []) {
    all += 1;
    if (first.length < shownVanished) first.push(named.join(''));
  }
  if (all === 0) return [];
  const text =
    `${formatCounted(all, 'user')} of the previous run ${all === 1 ? 'is' : 'are'} no longer in the source, or left out now: ` +
    `${formatNames(first, shownVanished, all)}. ${end}`;
  return [{ level: 'warning', code: 'delta:vanished', text }];
}
