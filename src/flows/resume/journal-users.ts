/** Reads from the journal of an import which users its requests were about; for undo and for later runs. */
import { UsageError } from '../../errors.ts';
import type { Intent, JournalHeader } from '../../journal/lines.ts';
import { journalNames } from '../../lib/old-names.ts';
import { userLists } from '../../wire/org-entries.ts';

export interface JournalUser {
  /** Number in the journal. */
  readonly entry: number;
  /** In the source; empty where it has none. */
  readonly id: string;
  readonly userName: string;
  readonly fingerprint: string;
  /** When the request was sent, on the service's clock, in milliseconds. */
  readonly at: number;
}

export type UserTest = (entry: number) => boolean;

/** Which entries are users. Throws `UsageError` for the journal of a verb that imports none. */
export function userTest({ verb, plan }: JournalHeader, path: string): UserTest {
  if (verb !== 'import' && verb !== 'import-users') {
    throw new UsageError(`${path} is the journal of idport ${verb}, which creates no users`, {
      hint: 'Name the journal of an import or import-users run.',
    });
  }
  const lists = userListsOf(verb);
  const ranges: (readonly [number, number])[] = [];
  let start = 0;
  for (const [list, count] of plan) {
    if (lists.includes(list)) ranges.push([start, start + count]);
    start += count;
  }
  return (entry) => ranges.some(([from, end]) => entry >= from && entry < end);
}

/** The lists of a plan whose entries are users, by the verb of the journal. */
export function userListsOf(verb: string): readonly string[] {
  return verb === 'import' ? userLists : [journalNames.users];
}

export function* usersOf({ entries, users, at }: Intent, isUser: UserTest): Generator<JournalUser> {
  let place = 0;
  for (const entry of entries) {
    if (!isUser(entry)) continue;
    const [id = '', userName = '', fingerprint = ''] = users[place++] ?? [];
    yield { entry, id, userName, fingerprint, at };
  }
}
