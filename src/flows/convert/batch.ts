/** The converted batch that a worker returns: few and flat values, so that moving it between threads is cheap. */
import type { BatchSpace } from '../../lib/batch-memory.ts';
import { emailKinds, type Messages } from '../../records/messages.ts';
import { algorithmNames } from '../../records/mcf/algorithm.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { SignInKind } from '../../records/sign-in.ts';
import type { NoteCodes } from '../../records/tally.ts';
import type { Note } from '../../records/user.ts';

export interface ConvertedBatch {
  readonly input: string;
  /** Records read. */
  readonly count: number;
  /** Elements of `humanUsers` as UTF-8, each after a comma. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** `row.words` words for each record. */
  readonly rows: Uint32Array<ArrayBuffer>;
  /** Each combination of notes once; a row has its index plus 1. */
  readonly remarks: readonly Remarks[];
  /**
   * JSON: each organization (`TargetOrg`) of the batch once; a row has its index. One text changes threads faster than
   * hundreds of objects. Empty where all users go to one.
   */
  readonly orgs: string;
  /** By ascending place, only for records of which more is needed than their row has. */
  readonly details: readonly RecordDetail[];
}

/** Words of a record. */
export const row = {
  /** The end of its bytes in the body; the end of the record before where nothing is written. */
  end: 0,
  /** Bytes that it adds to an import request, as protobuf. */
  size: 1,
  /** See `packFacts`. */
  facts: 2,
  /** The index of its remarks plus 1, or 0. */
  remarks: 3,
  /** Two words: the hash of the user name in lower case; zeros where nothing is written. */
  name: 4,
  /** Two words: the hash of the id; zeros without one. */
  id: 6,
  /** The index of its organization. */
  org: 8,
  words: 9,
} as const;

/** Rows that grow with the batch. */
export class RowList {
  words = new Uint32Array(row.words * 1024);
  count = 0;

  clear(): void {
    this.words.fill(0, 0, this.count * row.words);
    this.count = 0;
  }

  /** Adds a row of zeros and returns the index of its first word. */
  add(): number {
    const at = row.words * this.count++;
    if (at === this.words.length) {
      const wider = new Uint32Array(2 * at);
      wider.set(this.words);
      this.words = wider;
    }
    return at;
  }

  copyTo(room: BatchSpace): Uint32Array<ArrayBuffer> {
    const words = row.words * this.count;
    const { buffer, byteOffset } = room.take(4 * words);
    const copy = new Uint32Array(buffer, byteOffset, words);
    copy.set(this.words.subarray(0, words));
    return copy;
  }
}

/** The notes of a written record, without the parts that differ from one record to the next. */
export interface Remarks extends NoteCodes {
  readonly refusal: HashRefusal | undefined;
}

export interface RecordDetail {
  /** Index of the record in the batch. */
  readonly place: number;
  /** The source's id, for reports. */
  readonly id: string;
  readonly userName: string;
  readonly email: string;
  /** Where the organization of the record is known by itself: the run may have several. */
  orgId?: string | undefined;
  readonly notes: readonly Note[];
  /** Only where it needs attention, and the run wants to know of each record. */
  readonly signIn?: SignInKind | undefined;
  readonly rejected?: { readonly code: ReasonCode; readonly detail: string };
  /** Of a rejected record only; for others it is in `Remarks`. */
  readonly refusal?: HashRefusal | undefined;
  /** Only where the run wants to know who gets a message. */
  readonly recipient?: { readonly id: string; readonly phone: string; readonly messages: Messages };
  /** An element of `machineUsers`. */
  readonly machine?: string;
  /** Elements of `userMetadata`, separated by commas. */
  readonly metadata?: string;
  readonly metadataCount?: number;
  /** Elements of `userGrants`, with their roles, and their organizations where those are not that of the user. */
  readonly grants?: readonly RecordGrant[];
  /** A line of the list of `--jit-list`. */
  readonly atFirstLogin?: string;
}

export interface RecordGrant {
  readonly element: string;
  readonly roleKeys: readonly string[];
  /** Index in `orgs`. */
  readonly org?: number;
}

export interface HashRefusal {
  readonly algorithm: string;
  readonly code: ReasonCode;
  readonly problem: string;
  readonly remedy: string;
  /** The hash is written all the same. */
  readonly kept?: boolean;
}

export type RecordOutcome = 'rejected' | 'skipped' | 'human' | 'machine';

/** What the tally needs of a record. Packed into one number, so that a record needs no object. */
export interface Facts {
  readonly outcome: RecordOutcome;
  readonly noted: boolean;
  /** Index into `emailKinds`. */
  readonly email: number;
  readonly sms: boolean;
  readonly otp: boolean;
  readonly inactive: boolean;
  readonly linked: boolean;
  /** The source has the password in plain text. */
  readonly plain: boolean;
  /** Index into `signInKinds`: before a route is chosen, as `email` and `sms` are those of the bulk import. */
  readonly signIn: number;
  /** As in `Prospects`. */
  readonly onlyBulk: boolean;
  /** `import-users` gives the user another id. */
  readonly newId: boolean;
  /** Index into `passwordAlgorithms`. */
  readonly algorithm: number;
}

/** `none` first: users without a password. */
export const passwordAlgorithms: readonly string[] = ['none', ...algorithmNames];
const outcomes: readonly RecordOutcome[] = ['rejected', 'skipped', 'human', 'machine'];
const algorithmIndex = new Map(passwordAlgorithms.map((name, index) => [name, index]));
const emailIndex = new Map(emailKinds.map((kind, index) => [kind, index]));

export function algorithmNumber(algorithm: string): number {
  return algorithmIndex.get(algorithm) ?? 0;
}

export function emailNumber(kind: (typeof emailKinds)[number]): number {
  return emailIndex.get(kind) ?? 0;
}

export function packFacts(facts: Facts): number {
  return (
    outcomes.indexOf(facts.outcome) |
    (facts.noted ? notedFact : 0) |
    (facts.email << 3) |
    (facts.sms ? 1 << 6 : 0) |
    (facts.otp ? 1 << 7 : 0) |
    (facts.inactive ? 1 << 8 : 0) |
    (facts.linked ? 1 << 9 : 0) |
    (facts.plain ? 1 << 10 : 0) |
    (facts.signIn << 11) |
    (facts.onlyBulk ? 1 << 15 : 0) |
    (facts.newId ? 1 << 16 : 0) |
    (facts.algorithm << 17)
  );
}

/** The fact `noted`. */
export const notedFact = 1 << 2;

/** Upper bound of packed facts. */
export const factsEnd = passwordAlgorithms.length << 17;

export function unpackFacts(word: number): Facts {
  return {
    outcome: outcomes[word & 3] ?? 'rejected',
    noted: (word & notedFact) !== 0,
    email: (word >> 3) & 7,
    sms: (word & (1 << 6)) !== 0,
    otp: (word & (1 << 7)) !== 0,
    inactive: (word & (1 << 8)) !== 0,
    linked: (word & (1 << 9)) !== 0,
    plain: (word & (1 << 10)) !== 0,
    signIn: (word >> 11) & 15,
    onlyBulk: (word & (1 << 15)) !== 0,
    newId: (word & (1 << 16)) !== 0,
    algorithm: word >> 17,
  };
}

/** Whether these are the facts of a record that is in the body. */
export function isWritten(word: number): boolean {
  return (word & 2) !== 0;
}

export function isInactive(word: number): boolean {
  return (word & (1 << 8)) !== 0;
}

/** The facts of records that the run leaves out. */
export const rejectedFacts = outcomes.indexOf('rejected');
export const skippedFacts = outcomes.indexOf('skipped');
