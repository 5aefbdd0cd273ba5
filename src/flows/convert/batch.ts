/** The converted batch that a worker returns: few and flat values, so that moving it between threads is cheap. */
import { batchMemory } from '../../lib/batch-memory.ts';
import type { Messages } from '../../records/messages.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { Prospects, SignInKind } from '../../records/sign-in.ts';
import type { HashRefusal, Traits } from '../../records/tally.ts';
import type { Note } from '../../records/user.ts';

export interface ConvertedBatch {
  readonly input: string;
  /** Records read. */
  readonly count: number;
  /** Elements of `humanUsers` as UTF-8, each after a comma. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** `row.words` words for each record. */
  readonly rows: Uint32Array<ArrayBuffer>;
  /** The converter, which numbers the kinds of users over all its batches. */
  readonly converter: string;
  /** The number of the first of `newKinds`; 1 where the numbers begin, once more where there were too many. */
  readonly firstKind: number;
  readonly newKinds: readonly UserKind[];
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
  /** The number of its kind; 0 for what is not written. */
  kind: 2,
  /** Two words: the hash of the user name in lower case; zeros where nothing is written. */
  name: 3,
  /** Two words: the hash of the id; zeros without one. */
  id: 5,
  /** The index of its organization. */
  org: 7,
  words: 8,
} as const;

function rowMemory(rows: number) {
  const words = rows * row.words;
  return new Uint32Array(batchMemory.allocate(words * Uint32Array.BYTES_PER_ELEMENT), 0, words);
}

/** Rows that grow with the batch. */
export class RowList {
  words = rowMemory(1024);
  count = 0;

  /** Adds a row of zeros and returns the index of its first word. */
  add(): number {
    const at = row.words * this.count++;
    if (at + row.words > this.words.length) this.#widen();
    this.words.fill(0, at, at + row.words);
    return at;
  }

  /** Their buffer belongs to the receiver. */
  take(): Uint32Array<ArrayBuffer> {
    return this.words.subarray(0, row.words * this.count);
  }

  #widen() {
    const outgrown = this.words;
    this.words = rowMemory(2 * this.count);
    this.words.set(outgrown);
    batchMemory.release(outgrown.buffer);
  }
}

/** What many users who are written have in common. */
export interface UserKind extends Traits {
  /** `import-users` gives the user another id. */
  readonly newId: boolean;
  /** Absent for service accounts. */
  readonly prospects: Prospects | undefined;
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
  /** Of a rejected record only; for others it is in their kind. */
  readonly refusal?: HashRefusal | undefined;
  /** Of a rejected user whom the bulk import takes: what that makes of it, and the bytes that it adds to a request. */
  readonly inBulk?: { readonly prospects: Prospects; readonly size: number } | undefined;
  /** Only where the run wants to know who gets a message. */
  readonly recipient?: { readonly id: string; readonly phone: string; readonly messages: Messages };
  /** An element of `machineUsers`. */
  readonly machine?: string;
  /** Elements of `userMetadata`, separated by commas. */
  readonly metadata?: string;
  readonly metadataCount?: number;
  /** Elements of `userGrants`, with their roles, and their organizations (indexes in `orgs`) where those are not that of the user. */
  readonly grants?: readonly {
    readonly element: string;
    readonly roleKeys: readonly string[];
    readonly org?: number;
  }[];
  /** A line of the list of `--jit-list`. */
  readonly atFirstLogin?: string;
}
