/** Defines the converted batch that a worker returns. Its values are few and flat, so that moving it between threads is cheap. */
import type { Messages } from '../../records/messages.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { SignInKind } from '../../records/sign-in.ts';
import type { Tally } from '../../records/tally.ts';
import type { Note } from '../../records/user.ts';
import type { Ways } from './forecast.ts';

export interface ConvertedBatch {
  readonly input: string;
  /** Number of records read. */
  readonly count: number;
  /** Elements of `humanUsers` as UTF-8, each after a comma. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** `row.words` words for each record. */
  readonly rows: Uint32Array;
  readonly counts: BatchCounts;
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
  /** Bytes that it adds to a bulk request, as protobuf. 0 if no import accepts it. */
  size: 1,
  /** Number of calls with which `import-users` would create it. */
  calls: 2,
  /** Hash of the user name in lower case, in two words. Zeros if nothing is written. */
  name: 3,
  /** Hash of the id, in two words. Zeros without an id. */
  id: 5,
  /** Index of its organization. */
  org: 7,
  words: 8,
} as const;

/** What a batch adds to the counts of the run, besides the records read, rejected and skipped. */
export interface BatchCounts {
  readonly tally: Tally;
  readonly ways: Ways;
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
  /** Set only if the run lists who gets a message. */
  readonly recipient?: { readonly id: string; readonly phone: string; readonly messages: Messages };
  /** Element of `machineUsers`. */
  readonly machine?: string;
  /** Elements of `userMetadata`, separated by commas. */
  readonly metadata?: string;
  /** Elements of `userGrants`, their roles, and the indexes in `orgs` of organizations that are not that of the user. */
  readonly grants?: readonly {
    readonly element: string;
    readonly roleKeys: readonly string[];
    readonly org?: number;
  }[];
  /** Line of the list of `--jit-list`. */
  readonly atFirstLogin?: string;
}
