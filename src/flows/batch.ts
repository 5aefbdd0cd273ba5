/**
 * A finished batch: what a thread hands over to be put in order, as few and as flat values as can be. All numbers
 * stand in one buffer, because each buffer that moves to another thread costs.
 */
import { Room } from '../lib/batch-memory.ts';
import { familyNames } from '../records/mcf/family.ts';
import { mailKinds } from '../records/mail.ts';
import type { ReasonCode } from '../records/reasons.ts';
import type { Note } from '../records/user.ts';

export interface ConvertedBatch extends BatchNumbers {
  readonly input: string;
  /** Records read. */
  readonly count: number;
  /** Elements of `humanUsers` as UTF-8, one after the other, without commas. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Only for records that have something to say, by ascending place. */
  readonly details: readonly RecordDetail[];
}

/** Views of one buffer. */
export interface BatchNumbers {
  /** Per record the end of its bytes in `body`; where nothing is written, that of the record before. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** Per record the bytes that it adds to an import request as protobuf. */
  readonly sizes: Uint32Array<ArrayBuffer>;
  /** Per record one word of facts, see `packFacts`. */
  readonly facts: Uint32Array<ArrayBuffer>;
  /**
   * Per record four words: the hash of the user name (case folded), then that of the id; zeros
   * where nothing is written.
   */
  readonly keys: Uint32Array<ArrayBuffer>;
}

/** All zero. */
export function startNumbers(count: number, room = new Room()): BatchNumbers {
  const { buffer, byteOffset } = room.take(4 * 7 * count).fill(0);
  const part = (from: number, words = 1): Uint32Array<ArrayBuffer> =>
    new Uint32Array(buffer, byteOffset + 4 * from * count, words * count);
  return { ends: part(0), sizes: part(1), facts: part(2), keys: part(3, 4) };
}

export interface RecordDetail {
  /** Place of the record in the batch. */
  readonly place: number;
  /** The source's id, for reports. */
  readonly id: string;
  readonly userName: string;
  readonly notes: readonly Note[];
  readonly rejected?: { readonly code: ReasonCode; readonly detail: string };
  readonly refusals?: readonly HashRefusal[];
  /** An element of `machineUsers`. */
  readonly machine?: string;
  /** Elements of `userMetadata`, with commas between. */
  readonly metadata?: string;
  readonly metadataCount?: number;
}

export interface HashRefusal {
  readonly family: string;
  readonly code: ReasonCode;
  readonly problem: string;
  readonly remedy: string;
}

export type Outcome = 'rejected' | 'skipped' | 'human' | 'machine';

/** What the tally needs of a record, packed into one number so that a record costs no object. */
export interface Facts {
  readonly outcome: Outcome;
  readonly noted: boolean;
  /** Index into `mailKinds`. */
  readonly mail: number;
  readonly sms: boolean;
  readonly otp: boolean;
  readonly inactive: boolean;
  readonly linked: boolean;
  /** Index into `passwordFamilies`. */
  readonly family: number;
}

/** `none` first: people without a password. */
export const passwordFamilies: readonly string[] = ['none', ...familyNames];
const outcomes: readonly Outcome[] = ['rejected', 'skipped', 'human', 'machine'];
const familyIndex = new Map(passwordFamilies.map((name, index) => [name, index]));
const mailIndex = new Map(mailKinds.map((kind, index) => [kind, index]));

export function familyNumber(family: string): number {
  return familyIndex.get(family) ?? 0;
}

export function mailNumber(kind: (typeof mailKinds)[number]): number {
  return mailIndex.get(kind) ?? 0;
}

export function packFacts(facts: Facts): number {
  return (
    outcomes.indexOf(facts.outcome) |
    (facts.noted ? 1 << 2 : 0) |
    (facts.mail << 3) |
    (facts.sms ? 1 << 6 : 0) |
    (facts.otp ? 1 << 7 : 0) |
    (facts.inactive ? 1 << 8 : 0) |
    (facts.linked ? 1 << 9 : 0) |
    (facts.family << 10)
  );
}

/** All facts are less. */
export const factsEnd = passwordFamilies.length << 10;

export function unpackFacts(word: number): Facts {
  return {
    outcome: outcomes[word & 3] ?? 'rejected',
    noted: (word & (1 << 2)) !== 0,
    mail: (word >> 3) & 7,
    sms: (word & (1 << 6)) !== 0,
    otp: (word & (1 << 7)) !== 0,
    inactive: (word & (1 << 8)) !== 0,
    linked: (word & (1 << 9)) !== 0,
    family: word >> 10,
  };
}

/** Facts of a record that is in the body, so far. */
export function isWritten(word: number): boolean {
  return (word & 2) !== 0;
}

export function isInactive(word: number): boolean {
  return (word & (1 << 8)) !== 0;
}

/** The facts of a record that the run decides against. */
export const rejectedFacts = outcomes.indexOf('rejected');
