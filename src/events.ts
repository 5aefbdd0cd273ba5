/** Everything that can happen in a run, as one tagged union. Logic emits, terminal/ listens; nothing here is secret. */
import type { ExitCode } from './errors.ts';
import type { ListTally } from './records/import-tally.ts';
import type { ReasonCode } from './records/reasons.ts';
import type { Tally } from './records/tally.ts';

export interface Place {
  readonly input: string;
  readonly index: number;
  readonly id: string;
}

/** One way to import: how many requests, how many seconds and what they cost, where that can be known. */
export interface Route {
  readonly requests: number;
  readonly seconds: number | undefined;
  readonly cost?: number;
}

export type IdportEvent =
  /**
   * A run begins. `inputs` are names, `bytes` the sum of their sizes where all are known, `records` how many
   * there will be where that is known beforehand.
   */
  | {
      type: 'run:start';
      verb: string;
      inputs: readonly string[];
      bytes: number | undefined;
      records?: number | undefined;
    }
  /** `bytes` read (as they lie on disk, so that they compare to those of `run:start`) and `records` seen so far. */
  | { type: 'run:progress'; bytes: number; records: number }
  /** The run stands still on purpose for about so many seconds; over with the next progress. */
  | { type: 'run:waiting'; reason: WaitReason; seconds: number }
  /** Something about an input or the run as a whole. */
  | { type: 'notice'; level: 'info' | 'warning'; code: string; text: string }
  /** A record that is not written because there is trouble with it. */
  | { type: 'record:rejected'; place: Place; code: ReasonCode; detail: string }
  /** A record that is not written because the run was asked to leave such records out. */
  | { type: 'record:skipped'; place: Place; code: ReasonCode; detail: string }
  /** A file was finished and stands at `path`. */
  | {
      type: 'file:written';
      path: string;
      what: 'body' | 'report' | 'rejects' | 'export' | 'journal' | 'id map';
      bytes: number;
    }
  /** What importing the body would take: both routes, and the price where one was named. */
  | { type: 'forecast'; profile: string; bulk: Route; single: Route; bytes: number }
  /** The run is over; the counts are final. */
  | { type: 'run:end'; verb: string; tally: Tally; seconds: number }
  /** An import is over; every entry of every list is in exactly one of its counts. */
  | {
      type: 'import:end';
      verb: string;
      lists: readonly ListCounts[];
      /** Entries by reason code. */
      reasons: readonly { readonly code: ReasonCode; readonly count: number }[];
      requests: number;
      seconds: number;
    }
  /** An export is over: what is in it, and what no export can hold. */
  | {
      type: 'export:end';
      verb: string;
      orgs: readonly ExportedOrg[];
      lost: readonly string[];
      requests: number;
      seconds: number;
    }
  /** Somebody who is not at the target as expected; `place` is that of the source, absent for `extra`. */
  | {
      type: 'person:compared';
      outcome: 'missing' | 'extra' | 'differs' | 'unknown';
      place?: Place;
      targetId: string;
      userName: string;
      /** Names of fields, never their values. */
      fields: readonly string[];
      unknown: readonly string[];
      detail: string;
    }
  /** A test user tried to sign in. */
  | { type: 'login:tried'; userName: string; succeeded: boolean; detail: string }
  /** A comparison is over. */
  | {
      type: 'verify:end';
      verb: string;
      people: ComparedPeople;
      /** People by name of the field that differs, and by that of one that nobody can know. */
      fields: Readonly<Record<string, number>>;
      unknownFields: Readonly<Record<string, number>>;
      logins: { tried: number; succeeded: number };
      requests: number;
      seconds: number;
    }
  /** An undo is over. */
  | { type: 'undo:end'; verb: string; people: UndonePeople; requests: number; seconds: number }
  /** A step of `idport demo` begins; `commands` do the same by hand. */
  | { type: 'demo:step'; number: number; of: number; title: string; commands: readonly string[] }
  /** What came of it. */
  | { type: 'demo:result'; lines: readonly string[] }
  | { type: 'demo:end'; seconds: number }
  /** Whoever read standard output has gone: the run ends here, and nothing went wrong. */
  | { type: 'output:closed' }
  /** The run ended before its time; `terminal/problem.ts` makes this event of whatever was thrown. */
  | {
      type: 'problem';
      code: string;
      message: string;
      hint?: string | undefined;
      exitCode: ExitCode;
      /** Only where IDPORT_DEBUG is set. */
      stack?: string | undefined;
    };

export interface ListCounts extends ListTally {
  /** `humanUsers`, `userMetadata`, ... */
  readonly list: string;
}

export interface ComparedPeople {
  readonly same: number;
  readonly missing: number;
  readonly differs: number;
  readonly extra: number;
  readonly unknown: number;
  /** Service accounts of the target that were passed over. */
  readonly accounts: number;
}

/** Whom the run had created; each of them is in exactly one of the others. */
export interface UndonePeople {
  readonly created: number;
  readonly deleted: number;
  /** Were not there any more. */
  readonly gone: number;
  /** Somebody else has the name or id by now, and was left alone. */
  readonly foreign: number;
  /** Were changed since the run, and left alone. */
  readonly changed: number;
  /** The service would not delete them. */
  readonly refused: number;
}

export interface ExportedOrg {
  readonly orgId: string;
  readonly name: string;
  /** Entries by list. */
  readonly counts: Readonly<Record<string, number>>;
  readonly passwords: number;
  readonly otp: number;
}

/** Why a run waits: the service said stop (429), the service cannot be reached, or a job there has to finish. */
export type WaitReason = 'rate-limit' | 'unreachable' | 'service-busy';

export type Emit = (event: IdportEvent) => void;
