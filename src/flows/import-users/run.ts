/** What a one-by-one import carries from user to user. */
import type { RunLengthList } from '../../compact/run-length-list.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Failure } from '../../journal/lines.ts';
import type { AdaptiveConcurrency } from '../../lib/adaptive-concurrency.ts';
import type { Tally } from '../../records/tally.ts';
import type { Fingerprints } from '../incremental/fingerprint.ts';
import type { LookUpContext } from '../reconcile/look-up.ts';
import type { Shard } from '../source/shard.ts';
import type { IdMap } from '../report/id-map.ts';
import type { RunLog } from '../report/run-log.ts';
import type { ErrorLimit } from './error-limit.ts';
import type { ProjectIds } from './projects.ts';

export interface UsersRun extends LookUpContext {
  /** Undefined where each user goes to the organization of the body. */
  readonly org: string | undefined;
  /** Of the users, by their numbers. */
  readonly orgs: RunLengthList<string>;
  readonly journal: Journal;
  readonly plan: Plan;
  readonly shard: Shard | undefined;
  /** Users of the source, or of the shard: each has to be counted once. */
  readonly users: number;
  readonly tally: Tally;
  readonly log: RunLog;
  readonly concurrency: AdaptiveConcurrency;
  readonly ids: NewIds;
  /** Of the projects of the body. */
  readonly projectIds: ProjectIds;
  readonly idMap: IdMap;
  readonly followUp: boolean;
  /** Of the users in the journal. */
  readonly fingerprints: Fingerprints;
  /** Users whose answer was lost, now or before a resume, with the time of the first attempt (by the service's `Date`). */
  readonly sentBefore: Map<number, number>;
  /** Their attempts in the journal, where those were made before the resume. */
  readonly openAttempts: ReadonlyMap<number, readonly number[]>;
  /** What failed before the resume, by number of the entry. */
  readonly failures: ReadonlyMap<number, Failure>;
  readonly errors: ErrorLimit;
  readonly sent: SentUsers;
  /** Follow-up calls that were refused; the users are there. */
  followUpsFailed: number;
}

/** Where a user goes. */
export function orgOf(
  { org }: Pick<UsersRun, 'org'>,
  { orgId }: { readonly orgId?: string | undefined },
): string {
  return org ?? orgId ?? '';
}

/** Follow-up calls for what creating a user leaves out. */
export type FollowUpKind = 'email' | 'metadata' | 'state';

/** How many entries the journal of a run has. Users come first, by their own number. */
export interface Plan {
  readonly users: number;
  /** Calls for the lists of a body that belong to users. */
  readonly metadata: number;
  readonly links: number;
  readonly grants: number;
  /** Verified addresses that arrive unverified are set to verified. */
  readonly setsEmails: boolean;
}

export function followUpNumber(plan: Plan, kind: FollowUpKind, user: number): number {
  const { users, metadata, links } = plan;
  if (kind === 'email') return 3 * users + metadata + links + user;
  return users + 2 * user + (kind === 'metadata' ? 0 : 1);
}

export function metadataNumber({ users }: Plan, index: number): number {
  return 3 * users + index;
}

export function linkNumber({ users, metadata }: Plan, index: number): number {
  return 3 * users + metadata + index;
}

/** As the header of the journal has it. */
export function grantNumber({ users, metadata, links, setsEmails }: Plan, index: number): number {
  return 3 * users + metadata + links + (setsEmails ? users : 0) + index;
}

export function planLines({ users, metadata, links, grants, setsEmails }: Plan): [string, number][] {
  return [
    ['users', users],
    ['followUps', 2 * users],
    ['userMetadata', metadata],
    ['userLinks', links],
    ...(setsEmails ? [['emails', users] as [string, number]] : []),
    ...(grants > 0 ? [['userGrants', grants] as [string, number]] : []),
  ];
}

const numeric = /^[1-9]\d{0,18}$/;

/** The ids that the service gave, by the number of the user: 8 bytes each, because its ids are numbers. */
export class NewIds {
  readonly #numbers: BigUint64Array;
  /** Ids that are not numbers; only other, small services give such. */
  readonly #others = new Map<number, string>();

  constructor(users: number) {
    this.#numbers = new BigUint64Array(users);
  }

  set(user: number, id: string): void {
    if (numeric.test(id)) this.#numbers[user] = BigInt(id);
    else this.#others.set(user, id);
  }

  /** Undefined for users to whom the service gave none. */
  get(user: number): string | undefined {
    const number = this.#numbers[user] ?? 0n;
    return number === 0n ? this.#others.get(user) : String(number);
  }
}

/** Counts the users that were to be sent, whatever became of them. */
export interface SentUsers {
  /** Done before a resume. */
  readonly before: number;
  now: number;
}

export function reportProgress({ emit, sent: { before, now } }: Pick<UsersRun, 'emit' | 'sent'>): void {
  emit({ type: 'run:progress', bytes: 0, records: before + now, before });
}
