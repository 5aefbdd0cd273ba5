/** Defines the converted batch that a worker returns. Its values are few and flat, so that moving it between threads is cheap. */
import { batchMemory } from '../../lib/batch-memory.ts';
import type { Messages } from '../../records/messages.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { Prospects, SignInKind } from '../../records/sign-in.ts';
import type { HashRefusal, Traits } from '../../records/tally.ts';
import type { Note } from '../../records/user.ts';

export interface ConvertedBatch {
  readonly input: string;
  /** Number of records read. */
  readonly count: number;
  /** Elements of `humanUsers` as UTF-8, each after a comma. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** `row.words` words for each record. */
  readonly rows: Uint32Array<ArrayBuffer>;
  /** Id of the converter, which numbers the kinds of users over all its batches. */
  readonly converter: string;
  /** Number of the first of `newKinds`. 1 if numbering starts, or restarts after too many kinds. */
  readonly firstKind: number;
  readonly newKinds: readonly UserKind[];
  /**
   * JSON list that has each organization (`TargetOrg`) of the batch once, for the indexes in the rows. Moving one text to another
   * thread is faster than hundreds of objects. Empty if all users go to one organization.
   */
  readonly orgs: string;
  /** Sorted by place. Only for records of which more is needed than their row has. */
  readonly details: readonly RecordDetail[];
}

/** Offsets of the words of a record. */
export const row = {
  /** End of its bytes in the body. Equals that of the previous record if nothing is written. */
  end: 0,
  /** Bytes that it adds to an import request, as protobuf. */
  size: 1,
  /** Number of its kind. 0 if nothing is written. */
  kind: 2,
  /** Hash of the user name in lower case, in two words. Zeros if nothing is written. */
  name: 3,
  /** Hash of the id, in two words. Zeros without an id. */
  id: 5,
  /** Index of its organization. */
  org: 7,
  words: 8,
} as const;

const wordsIn = (memory: ArrayBuffer) => new Uint32Array(memory, 0, memory.byteLength >>> 2);

/** Rows that grow with the batch. */
export class RowList {
  words = wordsIn(batchMemory.allocate(32 * 1024));
  count = 0;

  /** Adds a row of zeros and returns the index of its first word. */
  add() {
    const at = row.words * this.count++;
    const { buffer, length } = this.words;
    if (at + row.words > length) this.words = wordsIn(batchMemory.widen(buffer, 2 * buffer.byteLength));
    this.words.fill(0, at, at + row.words);
    return at;
  }

  /** Returns the rows. Their buffer belongs to the receiver. */
  take() {
    return this.words.subarray(0, row.words * this.count);
  }
}

/** What many written users have in common. */
export interface UserKind extends Traits {
  /** Whether `import-users` gives the user another id. */
  readonly newId: boolean;
  /** Absent for service accounts. */
  readonly prospects: Prospects | undefined;
}

export interface RecordDetail {
  /** Index of the record in the batch. */
  readonly place: number;
  /** Id in the source, for reports. */
  readonly id: string;
  readonly userName: string;
  readonly email: string;
  /** Id of the record's own organization, since the run may have several. */
  orgId?: string | undefined;
  readonly notes: readonly Note[];
  /** Set only if it needs attention and the run reports each record. */
  readonly signIn?: SignInKind | undefined;
  readonly rejected?: { readonly code: ReasonCode; readonly detail: string };
  /** Only of a rejected record. For others it is in their kind. */
  readonly refusal?: HashRefusal | undefined;
  /** What the bulk import makes of a rejected user whom it accepts, and the bytes that the user adds to a request. */
  readonly inBulk?: { readonly prospects: Prospects; readonly size: number } | undefined;
  /** Set only if the run lists who gets a message. */
  readonly recipient?: { readonly id: string; readonly phone: string; readonly messages: Messages };
  /** Element of `machineUsers`. */
  readonly machine?: string;
  /** Elements of `userMetadata`, separated by commas. */
  readonly metadata?: string;
  readonly metadataCount?: number;
  /** Elements of `userGrants`, their roles, and the indexes in `orgs` of organizations that are not that of the user. */
  readonly grants?: readonly {
    readonly element: string;
    readonly roleKeys: readonly string[];
    readonly org?: number;
  }[];
  /** Line of the list of `--jit-list`. */
  readonly atFirstLogin?: string;
}
