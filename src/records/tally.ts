/** What a run has done, as counts: the summary, the report and the events all read from here. */

import type { ReasonCode } from './reasons.ts';

/** A count per name; a Map so that a name from an input can never touch a prototype. */
export type Counts = Map<string, number>;

export function count(counts: Counts, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

/** Password hashes that the target would not take, grouped by what can be done about them. */
export interface Refusal {
  readonly algorithm: string;
  readonly code: ReasonCode;
  /** What stands against them, with the numbers: `memory 7168 KiB is below the minimum of 8192 KiB`. */
  readonly problem: string;
  /** The setting to change in the target, ready to be copied, or else what the users have to do. */
  readonly remedy: string;
  count: number;
}

/** A refusal as reports and events publish it: there the algorithm is called `family`. */
export type RefusedHashes = { readonly family: string } & Omit<Refusal, 'algorithm'>;

export function withFamily({ algorithm, ...refusal }: Refusal): RefusedHashes {
  return { family: algorithm, ...refusal };
}

/** By algorithm, code and problem. */
export type Refusals = Map<string, Refusal>;

export function countRefusal(refusals: Refusals, refusal: Omit<Refusal, 'count'>, by = 1): void {
  const key = `${refusal.algorithm}\n${refusal.code}\n${refusal.problem}`;
  const known = refusals.get(key);
  if (known) known.count += by;
  else refusals.set(key, { ...refusal, count: by });
}

/** `read = written + withNotes + rejected + skipped` always holds; `flows/` checks it at the end of a run. */
export interface Tally {
  read: number;
  /** Written without a note. */
  written: number;
  /** Written, with at least one note. */
  withNotes: number;
  rejected: number;
  /** Left out because the run was asked to. */
  skipped: number;
  /** Of those written: machine users. */
  machines: number;
  /** Password hashes written, by algorithm; `none` counts users without. */
  passwords: Counts;
  /** Password hashes not written, or written against advice, because the target would refuse them. */
  refusals: Refusals;
  /** Reason codes of notes and rejections. */
  reasons: Counts;
  /** What the import would send, by kind of `records/email-forecast.ts`. */
  mails: Counts;
  sms: number;
  otp: number;
  links: number;
  metadata: number;
  inactive: number;
}

export function emptyTally(): Tally {
  return {
    read: 0,
    written: 0,
    withNotes: 0,
    rejected: 0,
    skipped: 0,
    machines: 0,
    passwords: new Map(),
    refusals: new Map(),
    reasons: new Map(),
    mails: new Map(),
    sms: 0,
    otp: 0,
    links: 0,
    metadata: 0,
    inactive: 0,
  };
}
