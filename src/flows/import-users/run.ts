/** What a one-by-one import carries from user to user. */
import type { Journal } from '../../journal/journal.ts';
import type { Failure } from '../../journal/lines.ts';
import type { AdaptiveConcurrency } from '../../lib/adaptive-concurrency.ts';
import type { Tally } from '../../records/tally.ts';
import type { Fingerprints } from '../incremental/fingerprint.ts';
import type { LookUpContext } from '../reconcile/look-up.ts';
import type { IdMap } from '../report/id-map.ts';
import type { RunLog } from '../report/run-log.ts';
import type { ErrorLimit } from './error-limit.ts';

export interface UsersRun extends LookUpContext {
  readonly org: string;
  readonly journal: Journal;
  readonly plan: Plan;
  readonly tally: Tally;
  readonly log: RunLog;
  readonly concurrency: AdaptiveConcurrency;
  readonly ids: NewIds;
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
  /** Follow-up calls that were refused; the users are there. */
  followUpsFailed: number;
}

/** Follow-up calls for what creating a user leaves out. */
export type FollowUpKind = 'metadata' | 'state';

/** How many entries the journal of a run has. Users come first, by their own number. */
export interface Plan {
  readonly users: number;
  /** Calls for the lists of a body that belong to users. */
  readonly metadata: number;
  readonly links: number;
}

const followUpOffsets: Readonly<Record<FollowUpKind, number>> = { metadata: 0, state: 1 };

export function followUpNumber({ users }: Plan, kind: FollowUpKind, user: number): number {
  return users + 2 * user + followUpOffsets[kind];
}

export function metadataNumber({ users }: Plan, index: number): number {
  return 3 * users + index;
}

export function linkNumber({ users, metadata }: Plan, index: number): number {
  return 3 * users + metadata + index;
}

/** As the header of the journal has it; the names stay, because journals outlive versions. */
export function planLines({ users, metadata, links }: Plan): [string, number][] {
  return [
    ['people', users],
    ['followUps', 2 * users],
    ['userMetadata', metadata],
    ['userLinks', links],
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

/** Counts users, whatever became of them. */
export function reportProgress({ emit, tally }: Pick<UsersRun, 'emit' | 'tally'>): void {
  emit({ type: 'run:progress', bytes: 0, records: tally.read });
}
