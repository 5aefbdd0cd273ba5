/** The library: what the verbs of idport do, as functions. */
import type { CommandContext } from './commands/context.ts';
import { migrate } from './commands/migrate.ts';
import { migrateFlags } from './flags/conversion.ts';
import { type Given, readFlags } from './lib/flag.ts';
import type { ExitCode } from './errors.ts';
import { systemClock } from './lib/clock.ts';
import type { Hooks } from './library/options.ts';
import type { Tally } from './records/tally.ts';
import type { ExportName, ProviderFlags } from './sources/providers.ts';
import { standardOutput } from './storage/stream-sink.ts';

export { ExitCode, IdportError, InputError, InterruptedError, UsageError } from './errors.ts';
export type { ComparedUsers, IdportEvent, ListCounts, UndoneUsers } from './events.ts';
export type * from './library/options.ts';
export * from './library/verbs.ts';
export type { Tally } from './records/tally.ts';
export type { Paths } from './sources/entry.ts';

/** The flags of `idport migrate <provider>` in camel case, with the same defaults. */
export type Conversion = {
  [Name in ExportName]: Omit<Given<typeof migrateFlags>, 'prove' | 'provePassword'> &
    ProviderFlags[Name] & {
      readonly provider: Name;
      readonly org: string;
      readonly forceProvider?: boolean;
    };
}[ExportName];

export interface ConvertResult {
  /** What the command would exit with: `ExitCode.rejected` when a record was rejected. */
  readonly exitCode: ExitCode;
  readonly tally: Tally;
}

/** Converts an export into an import body, as the command does. Throws `IdportError`; nothing is left behind then. */
export async function convert(conversion: Conversion, hooks: Hooks = {}): Promise<ConvertResult> {
  let tally: Tally | undefined;
  const opened: (() => Promise<void>)[] = [];
  const context: CommandContext = {
    emit: (event) => {
      if (event.type === 'run:end') tally = event.tally;
      hooks.onEvent?.(event);
    },
    clock: systemClock,
    signal: hooks.signal ?? new AbortController().signal,
    env: process.env,
    cwd: hooks.cwd ?? process.cwd(),
    stdin: process.stdin,
    stdout: standardOutput(process.stdout),
    interactive: false,
    onEnd: (close) => void opened.push(close),
  };
  const { provider, forceProvider = false, ...given } = conversion;
  const ofProvider: object = given;
  const flags = { ...ofProvider, ...readFlags(migrateFlags, given), provider, forceProvider };
  let exitCode: ExitCode;
  try {
    exitCode = await migrate(flags, context);
  } finally {
    for (const close of opened) await close();
  }
  if (tally === undefined) throw new Error('a conversion ends with run:end');
  return { exitCode, tally };
}
