/** Decides for each user of a source whether this run imports it, and if not, why. */
import { UsageError } from '../../errors.ts';
import { tryParseJson } from '../../lib/json-value.ts';
import { type Reason, reasons } from '../../records/reasons.ts';
import { reportFile } from '../../wire/reports.ts';
import { textOf, type Fingerprints } from '../incremental/fingerprint.ts';
import type { PreviousRuns } from '../incremental/previous-runs.ts';
import type { SourceUser, Shard } from '../read/read-users.ts';

export interface Selection {
  /** Number of users to skip before at most `limit` users are taken. */
  readonly offset: number;
  readonly limit: number;
  /** Ids, user names or email addresses in lower case. Empty means all users. */
  readonly users: ReadonlySet<string>;
  /** Users that the report of a previous run calls rejected. */
  readonly rejectedBefore: ReturnType<typeof readRejectedUsers> | undefined;
  readonly previous: PreviousRuns | undefined;
  /** Users of other shards are numbered like all others, but not counted or sent. */
  readonly shard?: Shard | undefined;
}

/** Reports whether the flags choose some of the users, and not a shard or what has changed. Such a run creates only organizations that these need. */
export const isTrial = ({ users, limit, rejectedBefore }: Selection) =>
  users.size > 0 || limit < Infinity || rejectedBefore !== undefined;

/**
 * Returns a function to be called once with each user, in their order. It returns a code for those that are not imported. `before`:
 * what a previous run left of a user who is changed in place. `mayWait`: another user at the target may be about to give up this
 * user name.
 */
export function createSelector(selection: Selection, fingerprints: Fingerprints) {
  const { previous, users, rejectedBefore, offset, limit } = selection;
  let found = 0;
  return ({ record }: SourceUser) => {
    markSeen(previous, record);
    const { input, index, id } = record.origin;
    if (users.size > 0 && !namesOf(record).some((name) => users.has(name))) return 'user-skipped:not-chosen';
    if (rejectedBefore?.(input, index, id) === false) return 'user-skipped:not-chosen';
    const before = record.kind === 'rejected' ? undefined : previous?.find(record);
    if (
      record.kind !== 'rejected' &&
      before !== undefined &&
      before.fingerprint === fingerprints.of(record.id, textOf(record), before.key)
    )
      return 'user-skipped:unchanged';
    found += 1;
    if (found <= offset || found > offset + limit) return 'user-skipped:not-chosen';
    if (before === undefined) return { mayWait: previous !== undefined };
    // The user existed before the previous run and keeps its name, so waiting would not help.
    return before.createdSince === undefined ? { mayWait: false } : { mayWait: true, before };
  };
}

/**
 * Marks the user as still in the source. So is a record that is rejected or left out, but not a deleted user who is still listed.
 */
function markSeen(previous: PreviousRuns | undefined, record: SourceUser['record']) {
  if (previous === undefined) return;
  if (record.kind !== 'rejected') return previous.see(record);
  const { meansDeleted = false }: Reason = reasons[record.code];
  if (meansDeleted) return;
  const { id } = record.origin;
  previous.see({ id, userName: '' });
  previous.see({ id: '', userName: id });
}

/** Returns the names by which a user can be selected, in lower case. Some may be empty. */
export function namesOf(record: SourceUser['record']) {
  const { origin } = record;
  const email = record.kind === 'human' ? record.email : '';
  const names = record.kind === 'rejected' ? [origin.id] : [origin.id, record.id, record.userName, email];
  return names.map((name) => name.toLowerCase());
}

/**
 * Reads the rejected users of a report. They are found by position or by id, because a bulk import counts within each list of the
 * body. Throws `UsageError` if the file is not such a report.
 */
export function readRejectedUsers(name: string, text: string) {
  const report = reportFile.safeParse(tryParseJson(text));
  if (!report.success) {
    throw new UsageError(
      `--only-failed ${name}: it is not a report of idport`,
      'Give the .json file that --report wrote.',
    );
  }
  const rejected = report.data.users.filter(({ outcome }) => outcome === 'rejected');
  const positions = new Set(rejected.map(({ input, index }) => positionOf(input, index)));
  const ids = new Set(rejected.map(({ id }) => id));
  return (input: string, index: number, id: string) =>
    positions.has(positionOf(input, index)) || (id !== '' && ids.has(id));
}

const positionOf = (input: string, index: number) => `${index} ${input}`;
