/** The events of a run. Flows and commands emit them, terminal/ shows them. None contains a secret. */
import type { ExitCode } from './errors.ts';
import type { Clock } from './lib/clock.ts';
import type { Notice } from './notice.ts';
import type { Compared, TriedLogin, UndoneUsers, VerifyOutcome, VerifyResult } from './records/outcomes.ts';
import type { ReasonCode } from './records/reasons.ts';
import type { SignInCount } from './records/sign-in.ts';
import type { Tally } from './records/tally.ts';
import type { Forecast } from './records/sections.ts';
import type { Origin } from './records/user.ts';

export interface RecordPlace extends Origin {
  /** Absent if it is not known. */
  readonly userName?: string;
}

export type EventOf<Type extends IdportEvent['type']> = Extract<IdportEvent, { type: Type }>;

export { note, warning } from './notice.ts';

/** Returns a notice as it is shown, without its places, which only the report file has. */
export function shownNotice(notice: Notice) {
  const { places: _, ...shown } = notice;
  return shown;
}

interface WrittenFile {
  readonly name: string;
  readonly bytes: number;
}

/** Returns the event of a complete output. */
export const fileWritten = (
  { name: path, bytes }: WrittenFile,
  what: EventOf<'file:written'>['what'],
): IdportEvent => ({ type: 'file:written', path, what, bytes });

/** Completes an output and emits its event. */
export async function commit(
  sink: WrittenFile & { commit(): Promise<void> },
  what: EventOf<'file:written'>['what'],
  emit: Emit,
) {
  await sink.commit();
  emit(fileWritten(sink, what));
}

export type IdportEvent =
  /**
   * A run begins. `inputs` are names, `bytes` is the sum of their sizes if all are known, `records` is their number if it is
   * known beforehand, `perSecond` is how many of them the rate limit allows.
   */
  | {
      type: 'run:start';
      verb: string;
      inputs: readonly string[];
      bytes?: number | undefined;
      records?: number;
      perSecond?: number | undefined;
      /** Names of the flags that the run was given. */
      flags?: readonly string[];
      /** The command as it was typed, without secrets. */
      command?: string;
    }
  /**
   * `bytes` are read so far, as stored on disk like those of `run:start`, and `records` are seen so far. `before` of the records
   * needed no work: the resumed run had done them, or there was nothing to send. A bulk import also counts the entries of all
   * lists.
   */
  | { type: 'run:progress'; bytes: number; records: number; before?: number; entries?: EntryProgress }
  /** The run pauses for about this many seconds. */
  | { type: 'run:waiting'; reason: WaitReason; seconds: number }
  /** A message about an input or the run as a whole. */
  | { type: 'notice'; level: 'info' | 'warning'; code: string; text: string }
  /** A record is not written because it is invalid. */
  | { type: 'record:rejected'; place: RecordPlace; code: ReasonCode; detail: string }
  /** A record is not written because the run was told to skip such records. */
  | { type: 'record:skipped'; place: RecordPlace; code: ReasonCode; detail: string }
  | {
      type: 'file:written';
      path: string;
      what:
        | 'body'
        | 'report'
        | 'rejects'
        | 'export'
        | 'journal'
        | 'id map'
        | 'list'
        | 'mail list'
        | 'application secrets';
      bytes: number;
    }
  /** Versions, flags and files, as in the report; for the step summary in GitHub Actions. */
  | { type: 'run:facts'; facts: readonly (readonly [name: string, value: string | number])[] }
  /** What each way to import would take, and who could sign in afterwards. */
  | ({ type: 'forecast'; profile: string } & Forecast)
  /** The run is over. The counts are final. */
  | { type: 'run:end'; verb: string; tally: Tally; seconds: number }
  /** An export is over. `lost` is what no export can contain. */
  | {
      type: 'export:end';
      verb: string;
      orgs: readonly ExportedOrg[];
      lost: readonly string[];
      requests: number;
      seconds: number;
    }
  /** A user at the target is not as expected. `place` is where the source has the user; absent for `extra`. */
  | ({ type: 'user:compared'; outcome: Exclude<VerifyOutcome, 'same'> } & Omit<Compared, 'outcome' | 'email'>)
  /** A test user tried to sign in. */
  | ({ type: 'login:tried' } & TriedLogin)
  /** A comparison is over. */
  | ({ type: 'verify:end'; verb: string; signIn: readonly SignInCount[] } & VerifyResult)
  /** A rollback has counted what it would delete: the number that `--yes` takes. */
  | { type: 'run:plan'; toConfirm: number }
  /** A rollback is over. */
  | { type: 'undo:end'; verb: string; users: UndoneUsers; requests: number; seconds: number }
  /** A step of `idport demo` begins. `commands` do the same by hand. */
  | { type: 'demo:step'; number: number; of: number; title: string; commands: readonly string[] }
  /** The result of a step. */
  | { type: 'demo:result'; lines: readonly string[] }
  | { type: 'demo:end'; seconds: number; jit: boolean; page?: string }
  /** The reader of standard output has closed it. The run ends without an error. */
  | { type: 'output:closed' }
  /** The run failed. `terminal/format-event.ts` makes the event from the error. */
  | {
      type: 'problem';
      code: string;
      message: string;
      hint?: string | undefined;
      exitCode: ExitCode;
      /** Set only with IDPORT_DEBUG. */
      stack?: string;
    };

export interface EntryProgress {
  readonly done: number;
  /** Entries of `done` that took no work in this run. */
  readonly before: number;
  /** Entries in the current request. */
  readonly underWay: number;
  readonly total: number;
}

export interface ExportedOrg {
  readonly orgId: string;
  readonly name: string;
  /** Number of entries by list. */
  readonly counts: Readonly<Record<string, number>>;
  readonly passwords: number;
  readonly otp: number;
}

/** Why a run waits: the service answered 429, cannot be reached, is running a job, or its list lags behind. */
export type WaitReason = 'rate-limit' | 'unreachable' | 'service-busy' | 'list-behind';

export type Emit = (event: IdportEvent) => void;

export interface RunContext {
  readonly emit: Emit;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
