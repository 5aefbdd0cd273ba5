/** What a one-by-one import carries with it from person to person. */
import type { Client } from '../../api/client.ts';
import { IdportError } from '../../errors.ts';
import type { Emit } from '../../events.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Failure, Outcome } from '../../journal/lines.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Tally } from '../../records/tally.ts';
import type { IdMap } from '../report/id-map.ts';
import type { RunLog } from '../report/run-log.ts';
import type { Fingerprints } from '../incremental/fingerprint.ts';
import type { NewIds } from './new-ids.ts';
import type { Plan } from './plan.ts';
import type { Width } from '../concurrency/concurrency.ts';

export interface UsersRun {
  readonly client: Client;
  readonly org: string;
  readonly journal: Journal;
  readonly plan: Plan;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly signal: AbortSignal;
  readonly tally: Tally;
  readonly log: RunLog;
  readonly width: Width;
  readonly ids: NewIds;
  readonly idMap: IdMap;
  readonly followUp: boolean;
  /** Of the people in the journal. */
  readonly fingerprints: Fingerprints;
  /** People whose answer was lost, now or in an earlier run, with the time (the service's) of the first attempt. */
  readonly sentBefore: Map<number, number>;
  /** Their attempts in the journal, where an earlier run made them. */
  readonly openAttempts: ReadonlyMap<number, readonly number[]>;
  /** What went wrong in an earlier run that is continued, by number of the entry. */
  readonly earlier: ReadonlyMap<number, Failure>;
  readonly errors: ErrorLimit;
  /** Follow-ups that were refused; the people are there. */
  followUpsFailed: number;
}

/** So many outcomes may wait for the disk at a time. */
const mostUnsaved = 1024;

const none: readonly never[] = [];

/** Nothing was done by this attempt. */
export async function settleUndone({ journal }: Pick<UsersRun, 'journal'>, attempt: number): Promise<void> {
  await journal.settle(full(attempt, {}));
}

/**
 * Writes an outcome down; `count` is called when it is on the disk. The next request need not wait for that, unless
 * too many outcomes do; what goes wrong there is thrown by `journal.saved`.
 */
export function settleThen(
  { journal }: Pick<UsersRun, 'journal'>,
  attempt: number,
  outcome: Partial<Outcome>,
  count: () => void,
): Promise<void> | undefined {
  const saved = journal.settle(full(attempt, outcome), count);
  return journal.unsaved >= mostUnsaved ? saved : undefined;
}

function full(
  attempt: number,
  { created = none, existed = none, failed = none, noted = none, ids = none }: Partial<Outcome>,
): Outcome {
  return { attempt, created, existed, failed, noted, ids };
}

/** When to give a run up: `--max-errors`. */
export class ErrorLimit {
  readonly #most: number;
  /** Part of those sent, from 0 to 1. */
  readonly #share: number;
  readonly #hopeless: number;
  #failed = 0;
  #sent = 0;
  #inARow = 0;

  /** Without either, a run whose first people are all refused is given up. */
  constructor({ most, share }: { most?: number; share?: number }) {
    this.#most = most ?? Infinity;
    this.#share = share ?? Infinity;
    this.#hopeless = most === undefined && share === undefined ? hopeless : Infinity;
  }

  arrived(): void {
    this.#sent += 1;
    this.#inARow = 0;
  }

  /** Throws where the run is hopeless. */
  failed(detail: string): void {
    this.#sent += 1;
    this.#failed += 1;
    this.#inARow += 1;
    if (this.#failed > this.#most) throw tooMany(`${refused(this.#failed)} refused`, detail);
    if (this.#sent >= enoughForShare && this.#failed > this.#share * this.#sent) {
      throw tooMany(`${this.#failed} of ${this.#sent} people were refused`, detail);
    }
    if (this.#inARow === this.#sent && this.#sent >= this.#hopeless) {
      throw tooMany(`the first ${this.#sent} people were all refused`, detail);
    }
  }
}

const enoughForShare = 100;
const hopeless = 30;

const refused = (count: number): string => (count === 1 ? '1 person was' : `${count} people were`);

function tooMany(what: string, last: string): IdportError {
  return new IdportError('import:too-many-errors', `${what}, the last one with: ${last}`, {
    hint: 'Find out why first; `idport check` tells what the target accepts. --max-errors sets the limit.',
  });
}

/** Progress by people, whatever became of them. */
export function tellProgress({ emit, tally }: Pick<UsersRun, 'emit' | 'tally'>): void {
  emit({ type: 'run:progress', bytes: 0, records: tally.read });
}
