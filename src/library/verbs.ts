/** The verbs of the library. Each takes options and hooks, and throws `IdportError`. */
import { once } from 'node:events';
import { PassThrough, type Writable } from 'node:stream';
import type { ExitCode } from '../errors.ts';
import type { ComparedUsers, UndoneUsers } from '../records/outcomes.ts';
import type { Tally } from '../records/tally.ts';
import type {
  CheckOptions,
  Conversion,
  Hooks,
  ImportOrganizationsOptions,
  ImportUsersOptions,
  ServeOptions,
  UndoOptions,
  VerifyOptions,
} from './options.ts';
import { standardOutput } from '../storage/stream-sink.ts';
import { runVerb } from './run.ts';

interface Ended {
  /** Exit code of the command. */
  readonly exitCode: ExitCode;
}

export interface ConvertResult extends Ended {
  readonly tally: Tally;
}
export type CheckResult = ConvertResult;

export interface ImportResult extends Ended {
  /** Undefined after a dry run. */
  readonly tally: Tally | undefined;
}

export interface VerifyResult extends Ended {
  readonly users: ComparedUsers;
  readonly logins: { readonly tried: number; readonly succeeded: number };
}

export interface UndoResult extends Ended {
  /** Undefined without `yes`. In that case nothing was deleted, and the event `run:plan` has the count. */
  readonly users: UndoneUsers | undefined;
}

async function runToTally(...run: [verb: string, options: object, hooks: Hooks, stdout?: Writable]) {
  const { exitCode, end } = await runVerb('run:end', ...run);
  return { exitCode, tally: end?.tally };
}

/** `idport migrate <provider>`: converts an export into an import body. If it throws, it leaves nothing behind. */
export const convert = ({ provider, ...options }: Conversion, hooks: Hooks = {}) =>
  runToTally(`migrate ${provider}`, options, hooks, standardOutput(process.stdout)) as Promise<ConvertResult>;

/** `idport check`: tells what the service will refuse, and who will get an email. */
export const check = (options: CheckOptions, hooks: Hooks = {}) =>
  runToTally('check', options, hooks) as Promise<CheckResult>;

/** `idport import-users`: creates users one by one, within the rate limit. */
export const importUsers = (options: ImportUsersOptions, hooks: Hooks = {}): Promise<ImportResult> =>
  runToTally('import-users', options, hooks);

/** `idport import`: imports a body in bulk. */
export const importOrganizations = (
  options: ImportOrganizationsOptions,
  hooks: Hooks = {},
): Promise<ImportResult> => runToTally('import', options, hooks);

/** `idport verify`: compares the service with the source. The event `user:compared` names each user who differs. */
export async function verify(options: VerifyOptions, hooks: Hooks = {}): Promise<VerifyResult> {
  const { exitCode, end } = await runVerb('verify:end', 'verify', options, hooks);
  const { users, logins } = end!;
  return { exitCode, users, logins };
}

/** `idport undo`: deletes the users that an import created, and no others. */
export async function undo(options: UndoOptions, hooks: Hooks = {}): Promise<UndoResult> {
  const { exitCode, end } = await runVerb('undo:end', 'undo', options, hooks);
  return { exitCode, users: end?.users };
}

export interface Served {
  readonly url: string;
  readonly orgId: string;
  /** Access tokens by role. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** `idport serve`: the reference server on a port of this machine. `idport/server` also offers it without a port. */
export async function serve({ port = 0, ...options }: ServeOptions = {}, hooks: Hooks = {}): Promise<Served> {
  const stop = new AbortController();
  const signal = hooks.signal === undefined ? stop.signal : AbortSignal.any([hooks.signal, stop.signal]);
  const stdout = new PassThrough();
  const running = runVerb('run:end', 'serve', { ...options, port, json: true }, { ...hooks, signal }, stdout);
  // It prints one line when it listens. Before that, it can only fail.
  const [line] = (await Promise.race([once(stdout, 'data'), running])) as [Buffer];
  const { url, orgId, tokens } = JSON.parse(line.toString()) as Omit<Served, 'close'>;
  const close = async () => {
    stop.abort();
    await running;
  };
  return { url, orgId, tokens, close };
}
