/** `idport migrate <provider>`: converts an export into an import body. */
import { ExitCode } from '../errors.ts';
import { createBodyOutput } from '../flows/convert/output.ts';
import type { Tally } from '../records/tally.ts';
import type { ExportName } from '../sources/providers.ts';
import type { Action } from './context.ts';
import type { BodyFlags, ConversionFlags, RecordFlags, ReportFlags } from './conversion-flags.ts';
import { checkOrg, checkPolicy, checkTimeout } from './convert-request.ts';
import { runConversion } from './run-conversion.ts';
import { openProvider } from './source.ts';

/** The flags of the provider stand beside these. */
export interface MigrateFlags extends BodyFlags, RecordFlags, ConversionFlags, ReportFlags {
  readonly provider: ExportName;
}

export const migrate: Action<MigrateFlags> = async (flags, context) => {
  const body = {
    orgId: checkOrg(flags.org),
    timeout: checkTimeout(flags.timeout),
    multiline: flags.multiline ?? false,
  };
  const policy = await checkPolicy(flags, context.cwd);
  const source = await openProvider(flags.provider, flags, context);
  const tally = await runConversion(
    {
      verb: `migrate ${source.provider}`,
      source,
      policy,
      hashPlain: true,
      output: (openSink) => createBodyOutput(openSink(flags.output), body),
    },
    flags,
    context,
  );
  return exitCodeOf(tally);
};

/** An export without users is as suspicious as a rejected user; users skipped on request are not. */
function exitCodeOf(tally: Tally): ExitCode {
  return tally.rejected > 0 || tally.read === 0 ? ExitCode.rejected : ExitCode.done;
}
