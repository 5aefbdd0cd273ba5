/** Reads a source to its end before anything is sent: what the import will take, and who gets an email. */
import type { Emit } from '../../events.ts';
import type { Input } from '../../lib/input.ts';
import { formatCount, formatCounted, formatSeconds } from '../../lib/quantity.ts';
import { forecastEmail } from '../../records/email-forecast.ts';
import { count, type Counts } from '../../records/tally.ts';
import type { Notice } from '../../sources/source.ts';
import type { Fingerprints } from '../incremental/fingerprint.ts';
import type { RelatedRecords } from '../incremental/related-records.ts';
import type { JournalOptions } from '../resume/open-journal.ts';
import { createInputHash, readUsers, type SourceUser, type UserSource } from '../source/read-users.ts';
import { readLinkCalls, readMetadataCalls, type CarriedList } from '../source/related-entries.ts';
import { followUpsOf } from './follow-up.ts';
import type { Plan } from './run.ts';
import { createSelector, namesOf, type Selection } from './select-users.ts';

export interface UserScan {
  readonly plan: Plan;
  /** Users to be sent. */
  readonly chosen: number;
  /** Selected, but they cannot be sent. */
  readonly rejected: number;
  /** Selected because they have changed since a previous run. */
  readonly replaced: number;
  /** All calls, without look-ups and retries. */
  readonly requests: number;
  /** By kind. */
  readonly emails: Counts;
  /** Names of the selection that no user has. */
  readonly unknownUsers: readonly string[];
  readonly input: { readonly name: string; readonly bytes: number; readonly sha256: string };
}

export interface ScanOptions {
  readonly fingerprints: Fingerprints;
  readonly related: RelatedRecords;
  readonly followUp: boolean;
  readonly notify: (notice: Notice) => void;
  readonly onUser: () => void;
}

/** Calls that replacing a user takes besides the last one: a trial, a look-up, and the deletion. */
const replacingCalls = 3;

export async function scanUsers(
  source: UserSource,
  selection: Selection,
  { fingerprints, related, followUp, notify, onUser }: ScanOptions,
): Promise<UserScan> {
  const select = createSelector(selection, fingerprints);
  const hash = createInputHash();
  const counts = { users: 0, chosen: 0, rejected: 0, replaced: 0, requests: 0 };
  const emails: Counts = new Map();
  const unknownUsers = new Set(selection.users);
  const add = (user: SourceUser): void => {
    const { record } = user;
    if (unknownUsers.size > 0) for (const name of namesOf(record)) unknownUsers.delete(name);
    const selected = select(user);
    if (!selected.take) return;
    if (record.kind === 'rejected') {
      counts.rejected += 1;
      return;
    }
    counts.chosen += 1;
    counts.requests += 1 + (followUp ? followUpsOf(record).length : 0);
    if (selected.replaces !== undefined) {
      counts.replaced += 1;
      counts.requests += replacingCalls;
    }
    const email = record.kind === 'human' ? forecastEmail(record) : 'none';
    if (email !== 'none') count(emails, email);
  };
  for await (const user of readUsers(source, { notify, onBytes: (block) => hash.add(block) })) {
    onUser();
    counts.users += 1;
    add(user);
  }
  const metadata = await countCalls(source, related, 'userMetadata');
  const links = await countCalls(source, related, 'userLinks');
  const { users, chosen, rejected, replaced, requests } = counts;
  return {
    plan: { users, metadata, links },
    chosen,
    rejected,
    replaced,
    requests: requests + (followUp ? metadata + links : 0),
    emails,
    unknownUsers: [...unknownUsers],
    input: { name: source.inputs.map(({ name }) => name).join(', '), ...hash.finish() },
  };
}

const callReaders: Readonly<Record<CarriedList, (input: Input) => AsyncIterable<unknown>>> = {
  userMetadata: readMetadataCalls,
  userLinks: readLinkCalls,
};

async function countCalls(
  { inputs }: UserSource,
  { counts }: RelatedRecords,
  list: CarriedList,
): Promise<number> {
  if (!counts.has(list)) return 0;
  let count = 0;
  for (const input of inputs) for await (const _ of callReaders[list](input)) count += 1;
  return count;
}

interface ForecastOptions {
  readonly org: string;
  readonly perSecond: number | undefined;
  readonly journal: JournalOptions;
}

/** Says before the run begins what it will take. */
export function reportForecast(
  scan: UserScan,
  { perSecond, org, journal }: ForecastOptions,
  emit: Emit,
): void {
  const { chosen, replaced, requests, rejected, plan } = scan;
  const parts = [
    `${formatCounted(chosen, 'user')} of ${formatCount(plan.users)} to organization ${org}`,
    formatCounted(requests, 'request'),
    perSecond === undefined
      ? 'as fast as the service answers'
      : `about ${formatSeconds(Math.max(1, requests / perSecond))} at ${perSecond}/s`,
    formatCounted(sum(scan.emails), 'email'),
  ];
  if (replaced > 0) parts.push(`${replaced} of them changed: deleted and imported again, with a new id`);
  if (rejected > 0) parts.push(`${formatCounted(rejected, 'more is', 'more are')} left out before sending`);
  if (journal.resume) parts.push('without what the journal says is done');
  emit({ type: 'notice', level: 'info', code: 'import:quote', text: `${parts.join(', ')}.` });
}

/** Whether more emails would go out than allowed; says so. */
export function hasTooManyEmails({ emails }: UserScan, most: number, emit: Emit): boolean {
  const all = sum(emails);
  if (all <= most) return false;
  const text =
    `the import would send ${formatCounted(all, 'email')}, allowed are ${most}: nothing was sent. ` +
    'Raise --max-emails or give --allow-emails once the users have been told.';
  emit({ type: 'notice', level: 'warning', code: 'emails:over', text });
  return true;
}

function sum(counts: Counts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
