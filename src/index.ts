/** The library: what `idport migrate` does, as a function. */
import type { CommandContext } from './commands/context.ts';
import { migrate } from './commands/migrate.ts';
import {
  type BodyFlags,
  conversionDefaults,
  type ConversionFlags,
  type RecordFlags,
  type ReportFlags,
} from './commands/conversion-flags.ts';
import type { ExitCode } from './errors.ts';
import type { IdportEvent } from './events.ts';
import { systemClock } from './lib/clock.ts';
import type { Tally } from './records/tally.ts';
import type { ExportName, ProviderFlags } from './sources/providers.ts';

export { ExitCode, IdportError, InputError, UsageError } from './errors.ts';
export type { IdportEvent } from './events.ts';
export type { Tally } from './records/tally.ts';
export type { Paths } from './sources/entry.ts';

type SharedFlags = Partial<Omit<BodyFlags & RecordFlags & ConversionFlags & ReportFlags, 'threads'>> & {
  /** @deprecated Use `pbkdf2Encoding`. */
  readonly pbkdf2Spelling?: RecordFlags['pbkdf2Encoding'];
};

/** The flags of `idport migrate <provider>` in camel case, with the same defaults. */
export type Conversion = {
  [Name in ExportName]: SharedFlags &
    ProviderFlags[Name] & { readonly provider: Name; readonly org: string; readonly threads?: number };
}[ExportName];

export interface ConvertHooks {
  /** Everything that happens, as `--json` writes it. */
  readonly onEvent?: (event: IdportEvent) => void;
  readonly signal?: AbortSignal;
  /** Where relative paths begin; the process's own folder by default. */
  readonly cwd?: string;
}

export interface ConvertResult {
  /** What the command would exit with: `ExitCode.rejected` when a record was rejected. */
  readonly exitCode: ExitCode;
  readonly tally: Tally;
}

/** Converts an export into an import body, as the command does. Throws `IdportError`; nothing is left behind then. */
export async function convert(conversion: Conversion, hooks: ConvertHooks = {}): Promise<ConvertResult> {
  let tally: Tally | undefined;
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
    stdout: process.stdout,
    interactive: false,
  };
  const { threads, pbkdf2Spelling = conversionDefaults.pbkdf2Encoding, ...flags } = conversion;
  const ofThreads = threads === undefined ? {} : { threads: String(threads) };
  const exitCode = await migrate(
    { ...conversionDefaults, pbkdf2Encoding: pbkdf2Spelling, ...flags, ...ofThreads },
    context,
  );
  if (tally === undefined) throw new Error('a conversion ends with run:end');
  return { exitCode, tally };
}
