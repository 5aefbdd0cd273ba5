/** Decides for each user of a source whether this run imports it, and if not why. */
import { UsageError } from '../../errors.ts';
import { tryParseJson } from '../../lib/json-value.ts';
import { type Reason, type ReasonCode, reasons } from '../../records/reasons.ts';
import type { Rejected } from '../../records/user.ts';
import { reportFile } from '../../wire/reports.ts';
import { textOf, type Fingerprints } from '../incremental/fingerprint.ts';
import type { PreviousState } from '../incremental/previous-table.ts';
import type { PreviousRuns } from '../incremental/previous-runs.ts';
import type { SourceUser } from '../source/read-users.ts';
import type { Shard } from '../source/shard.ts';

export interface Selection {
  /** Skips so many users, then takes at most `limit`. */
  readonly offset: number;
  readonly limit: number;
  /** Ids, user names or email addresses in lower case; empty means all users. */
  readonly users: ReadonlySet<string>;
  /** The users that an earlier report calls rejected. */
  readonly rejectedBefore: ReturnType<typeof readRejectedUsers> | undefined;
  readonly previous: PreviousRuns | undefined;
  /** Users of other shards are numbered like all, and neither counted nor sent. */
  readonly shard?: Shard | undefined;
}

export type Selected =
  | {
      readonly take: true;
      /** What a previous run has left of the user, who is changed in place. */
      readonly before?: PreviousState;
      /** The user that has this user name at the target may be about to give it up. */
      readonly mayWait: boolean;
    }
  | { readonly take: false; readonly code: ReasonCode };

/** To be called with the users in their order, once each. */
export function createSelector(
  selection: Selection,
  fingerprints: Fingerprints,
): (user: SourceUser) => Selected {
  const { previous } = selection;
  let passed = 0;
  let taken = 0;
  return (user) => {
    const { record } = user;
    markSeen(previous, record);
    if (!isNamed(user, selection) || !wasRejected(user, selection)) return notChosen;
    const before = record.kind === 'rejected' ? undefined : previous?.find(record);
    if (previous !== undefined && before !== undefined && record.kind !== 'rejected') {
      if (before.isStill(fingerprints.of(record.id, textOf(record), before.key))) return unchanged;
    }
    if (passed < selection.offset) {
      passed += 1;
      return notChosen;
    }
    if (taken >= selection.limit) return notChosen;
    taken += 1;
    if (before === undefined) return { take: true, mayWait: previous !== undefined };
    // A user from before the previous run keeps the name.
    return before.createdSince === undefined
      ? { take: true, mayWait: false }
      : { take: true, mayWait: true, before };
  };
}

/** A record that cannot be read any more, or is left out, is still in the source; a deleted user who is still listed is not. */
function markSeen(previous: PreviousRuns | undefined, record: SourceUser['record']) {
  if (previous === undefined) return;
  if (record.kind !== 'rejected') {
    previous.see(record);
    return;
  }
  const { meansDeleted = false }: Reason = reasons[record.code];
  if (meansDeleted) return;
  const { id } = record.origin;
  previous.see({ id, userName: '' });
  previous.see({ id: '', userName: id });
}

const unchanged: Selected = { take: false, code: 'user-skipped:unchanged' };
const notChosen: Selected = { take: false, code: 'user-skipped:not-chosen' };

function isNamed({ record }: SourceUser, { users }: Selection) {
  return users.size === 0 || namesOf(record).some((name) => users.has(name));
}

/** The names by which a user can be selected, in lower case; some may be empty. */
export function namesOf(record: SourceUser['record']): string[] {
  const { origin } = record;
  const email = record.kind === 'human' ? record.email : '';
  const names = record.kind === 'rejected' ? [origin.id] : [origin.id, record.id, record.userName, email];
  return names.map((name) => name.toLowerCase());
}

function wasRejected({ record }: { record: Pick<Rejected, 'origin'> }, { rejectedBefore }: Selection) {
  if (rejectedBefore === undefined) return true;
  const { input, index, id } = record.origin;
  return rejectedBefore.has(input, index, id);
}

/**
 * The users that a report calls rejected: by their position, or by their id, as a bulk import counts in each list of the body.
 * Throws `UsageError` for a file that is not such a report.
 */
export function readRejectedUsers(name: string, text: string) {
  const value = tryParseJson(text);
  if (value === undefined) throw new UsageError(`--only-failed ${name}: it is not JSON`, reportHint);
  const report = reportFile.safeParse(value);
  if (!report.success) {
    throw new UsageError(`--only-failed ${name}: it is not a report of idport`, reportHint);
  }
  const rejected = report.data.users.filter(({ outcome }) => outcome === 'rejected');
  const positions = new Set(rejected.map(({ input, index }) => positionOf(input, index)));
  const ids = new Set(rejected.map(({ id }) => id));
  return {
    has: (input: string, index: number, id: string) =>
      positions.has(positionOf(input, index)) || (id !== '' && ids.has(id)),
  };
}

const reportHint = 'Give the .json file that --report wrote.';

const positionOf = (input: string, index: number) => `${index} ${input}`;
