/** The events of a run. Flows and commands emit them, terminal/ shows them; none holds a secret. */
import type { ExitCode } from './errors.ts';
import type { Clock } from './lib/clock.ts';
import type { ListTally } from './records/import-tally.ts';
import type { NoticeCode } from './records/notices.ts';
import type { ReasonCode } from './records/reasons.ts';
import type { SignInCount } from './records/sign-in.ts';
import type { Tally } from './records/tally.ts';
import type { Forecast } from './records/sections.ts';

/** Where a record comes from. */
export interface RecordPlace {
  readonly input: string;
  readonly index: number;
  readonly id: string;
  /** Where it is known. */
  readonly userName?: string;
}

export type NoticeEvent = Extract<IdportEvent, { type: 'notice' }>;

/** Of a notice that may also say where: its places are for the report file. */
export const noticeEvent = ({ level, code, text }: Omit<NoticeEvent, 'type'>): NoticeEvent => ({
  type: 'notice',
  level,
  code,
  text,
});

export const note = (code: NoticeCode, text: string): NoticeEvent =>
  noticeEvent({ level: 'info', code, text });
export const warning = (code: NoticeCode, text: string): NoticeEvent =>
  noticeEvent({ level: 'warning', code, text });

export type IdportEvent =
  /**
   * A run begins. `inputs` are names, `bytes` the sum of their sizes where all are known, `records` how many
   * there will be where that is known beforehand, `perSecond` how many of them the limit of requests allows.
   */
  | {
      type: 'run:start';
      verb: string;
      inputs: readonly string[];
      bytes: number | undefined;
      records?: number | undefined;
      perSecond?: number | undefined;
      /** Names of the flags that the run was given. */
      flags?: readonly string[];
    }
  /**
   * `bytes` read (as they lie on disk, so that they compare to those of `run:start`) and `records` seen so far; of these,
   * `before` are no work of this run: the run that it resumes had done them, or there was nothing to send. A bulk import
   * also counts the entries of all lists, of which users are some.
   */
  | { type: 'run:progress'; bytes: number; records: number; before?: number; entries?: EntryProgress }
  /** The run pauses on purpose for about so many seconds, until the next progress. */
  | { type: 'run:waiting'; reason: WaitReason; seconds: number }
  /** A message about an input or the run as a whole. */
  | { type: 'notice'; level: 'info' | 'warning'; code: string; text: string }
  /** A record that is not written because something is wrong with it. */
  | { type: 'record:rejected'; place: RecordPlace; code: ReasonCode; detail: string }
  /** A record that is not written because the run was asked to leave such records out. */
  | { type: 'record:skipped'; place: RecordPlace; code: ReasonCode; detail: string }
  /** A file is complete and stands at `path`. */
  | {
      type: 'file:written';
      path: string;
      what: 'body' | 'report' | 'rejects' | 'export' | 'journal' | 'id map' | 'list' | 'mail list';
      bytes: number;
    }
  /** Versions, flags, files: what the report says of the run as a whole. Only for the summary of a step in GitHub. */
  | { type: 'run:facts'; facts: readonly (readonly [name: string, value: string | number])[] }
  /** What importing the body would take: both routes, the price where one was named, and what they make of users. */
  | ({ type: 'forecast'; profile: string } & Forecast)
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
  /** A user who is not at the target as expected; `place` is that of the source, absent for `extra`. */
  | {
      type: 'user:compared';
      outcome: 'blocked' | 'missing' | 'extra' | 'differs' | 'unknown';
      place?: RecordPlace;
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
      users: ComparedUsers;
      /** How users sign in, as the target is; those who cannot be known are left out. */
      signIn: readonly SignInCount[];
      /** Users by name of the field that differs, and by that of one that cannot be compared. */
      fields: Readonly<Record<string, number>>;
      unknownFields: Readonly<Record<string, number>>;
      logins: { tried: number; succeeded: number };
      requests: number;
      seconds: number;
    }
  /** A rollback is over. */
  | { type: 'undo:end'; verb: string; users: UndoneUsers; requests: number; seconds: number }
  /** A step of `idport demo` begins; `commands` do the same by hand. */
  | { type: 'demo:step'; number: number; of: number; title: string; commands: readonly string[] }
  /** What came of it. */
  | { type: 'demo:result'; lines: readonly string[] }
  | { type: 'demo:end'; seconds: number; jit: boolean; page?: string }
  /** The reader of standard output has closed it: the run ends here, and nothing went wrong. */
  | { type: 'output:closed' }
  /** The run failed; `terminal/problem.ts` makes this event of what was thrown. */
  | {
      type: 'problem';
      code: string;
      message: string;
      hint?: string | undefined;
      exitCode: ExitCode;
      /** Only where IDPORT_DEBUG is set. */
      stack?: string | undefined;
    };

export interface EntryProgress {
  readonly done: number;
  /** Of `done`: no work of this run. */
  readonly before: number;
  /** In the request that is under way. */
  readonly underWay: number;
  readonly total: number;
}

export interface ListCounts extends ListTally {
  /** `humanUsers`, `userMetadata`, ... */
  readonly list: string;
}

export interface ComparedUsers {
  readonly same: number;
  /** The same, but they cannot sign in: initial, locked or deactivated at the target, and active in the source. */
  readonly blocked: number;
  readonly missing: number;
  readonly differs: number;
  readonly extra: number;
  readonly unknown: number;
  /** Of the unknown ones: users that the list of the service, which is behind, does not show yet. */
  readonly notYet: number;
  /** Service accounts of the target, which are not compared. */
  readonly accounts: number;
}

/** The users that the run had created; each is in exactly one of the other counts. */
export interface UndoneUsers {
  readonly created: number;
  readonly deleted: number;
  /** Were already deleted. */
  readonly gone: number;
  /** Another user has the name or id now, and was not deleted. */
  readonly foreign: number;
  /** Were changed since the run, and not deleted. */
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
export type WaitReason = 'rate-limit' | 'unreachable' | 'service-busy' | 'list-behind';

export type Emit = (event: IdportEvent) => void;

/** What every run is given: where its events go, the time, and what ends it. */
export interface RunContext {
  readonly emit: Emit;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
