/** The verbs of the library. Each takes options and hooks, and throws `IdportError`. */
import { type ExitCode, InterruptedError } from '../errors.ts';
import type { ComparedUsers, IdportEvent, ListCounts, UndoneUsers } from '../events.ts';
import type { Tally } from '../records/tally.ts';
import type {
  CheckOptions,
  Hooks,
  ImportOrganizationsOptions,
  ImportUsersOptions,
  ServeOptions,
  UndoOptions,
  VerifyOptions,
} from './options.ts';
import { type Ran, runVerb } from './run.ts';

/** `exitCode` is what the command would exit with. */
export interface CheckResult {
  readonly exitCode: ExitCode;
  readonly tally: Tally;
}

/** `idport check`: what the service will refuse, and who will get an email. */
export async function check(options: CheckOptions, hooks: Hooks = {}): Promise<CheckResult> {
  const ran = await runVerb('check', options, hooks);
  return { exitCode: ran.exitCode, tally: endOf(ran, 'run:end').tally };
}

export interface ImportUsersResult {
  readonly exitCode: ExitCode;
  readonly tally: Tally;
}

/** `idport import-users`: creates users one by one, inside the rate limit. */
export async function importUsers(
  options: ImportUsersOptions,
  hooks: Hooks = {},
): Promise<ImportUsersResult> {
  const ran = await runVerb('import-users', options, hooks);
  return { exitCode: ran.exitCode, tally: endOf(ran, 'run:end').tally };
}

export interface ImportOrganizationsResult {
  readonly exitCode: ExitCode;
  /** Empty after a dry run. */
  readonly lists: readonly ListCounts[];
}

/** `idport import`: imports a body in bulk. */
export async function importOrganizations(
  options: ImportOrganizationsOptions,
  hooks: Hooks = {},
): Promise<ImportOrganizationsResult> {
  const { exitCode, events } = await runVerb('import', options, hooks);
  const end = events.findLast((event) => event.type === 'import:end');
  return { exitCode, lists: end?.type === 'import:end' ? end.lists : [] };
}

export interface VerifyResult {
  readonly exitCode: ExitCode;
  readonly users: ComparedUsers;
  readonly logins: { readonly tried: number; readonly succeeded: number };
}

/** `idport verify`: compares the service with the source; the event `user:compared` names each user who differs. */
export async function verify(options: VerifyOptions, hooks: Hooks = {}): Promise<VerifyResult> {
  const ran = await runVerb('verify', options, hooks);
  const { users, logins } = endOf(ran, 'verify:end');
  return { exitCode: ran.exitCode, users, logins };
}

export interface UndoResult {
  readonly exitCode: ExitCode;
  /** Absent without `yes`: then nothing was deleted, and the event `notice` with the code `undo:quote` has the count. */
  readonly users: UndoneUsers | undefined;
}

/** `idport undo`: deletes the users that an import created, and no others. */
export async function undo(options: UndoOptions, hooks: Hooks = {}): Promise<UndoResult> {
  const { exitCode, events } = await runVerb('undo', options, hooks);
  const end = events.findLast((event) => event.type === 'undo:end');
  return { exitCode, users: end?.type === 'undo:end' ? end.users : undefined };
}

export interface Served {
  readonly url: string;
  readonly orgId: string;
  /** Access tokens by role. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Stops the server. */
  readonly close: () => Promise<void>;
}

/** `idport serve`: the reference server on a port of this machine. `idport/server` has it without a port, too. */
export async function serve({ port = 0, ...options }: ServeOptions = {}, hooks: Hooks = {}): Promise<Served> {
  const stop = new AbortController();
  const signal = hooks.signal === undefined ? stop.signal : AbortSignal.any([hooks.signal, stop.signal]);
  return new Promise((resolve, reject) => {
    const running = runVerb(
      'serve',
      { ...options, port, json: true } as object,
      { ...hooks, signal },
      (line) => {
        const { url, orgId, tokens } = JSON.parse(line) as Omit<Served, 'close'>;
        const close = async (): Promise<void> => {
          stop.abort(new InterruptedError());
          await running;
        };
        resolve({ url, orgId, tokens, close });
      },
    );
    running.catch(reject);
  });
}

function endOf<Type extends IdportEvent['type']>(
  { events }: Ran,
  type: Type,
): Extract<IdportEvent, { type: Type }> {
  const found = events.findLast((event) => event.type === type);
  if (found === undefined) throw new Error(`the run has ended without ${type}`);
  return found as Extract<IdportEvent, { type: Type }>;
}
