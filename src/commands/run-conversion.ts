/** Runs a conversion: what `migrate` and `check` share. */
import { randomInt } from 'node:crypto';
import type { ConversionOutput } from '../flows/convert/output.ts';
import { convertExport, type ConvertRequest } from '../flows/convert/convert.ts';
import type { HashPolicy } from '../flows/convert/check-record.ts';
import { conversionReport } from '../flows/report/conversion-report.ts';
import { createReport } from '../flows/report/report.ts';
import { createRunLog } from '../flows/report/run-log.ts';
import type { Sink } from '../lib/sink.ts';
import type { Tally } from '../records/tally.ts';
import { createOutputOpener } from '../storage/open-output.ts';
import type { CommandContext } from './context.ts';
import type { ConversionFlags, ReportFlags } from './conversion-flags.ts';
import { chooseThreads } from './convert-request.ts';
import type { OpenedSource } from './source.ts';

export interface ConversionRun {
  readonly verb: string;
  readonly source: OpenedSource;
  readonly policy: HashPolicy;
  readonly hashPlain: boolean;
  readonly price?: number;
  /** The users that are at the target already. */
  readonly atTarget?: ConvertRequest['atTarget'];
  /** Opens an output; it must not overwrite an input. */
  readonly output: (open: (path: string) => Sink) => ConversionOutput;
}

export async function runConversion(
  { verb, source, policy, hashPlain, price, atTarget, output }: ConversionRun,
  flags: ConversionFlags & ReportFlags,
  context: CommandContext,
): Promise<Tally> {
  const { provider, options, inputs, companions } = source;
  const { cwd, stdout } = context;
  const read = [...inputs, ...Object.values(companions).flat()];
  const open = createOutputOpener({ cwd, stdout, inputs: read });
  const format = flags.report === undefined ? undefined : createReport(flags.report, conversionReport);
  const threads = chooseThreads(flags.threads, inputs);
  const job = {
    provider,
    options,
    policy,
    hashPlain,
    seed: randomInt(2 ** 32),
    wantsNotes: format !== undefined,
  };
  const log = createRunLog({
    report:
      format === undefined || flags.report === undefined ? undefined : { format, sink: open(flags.report) },
    rejects: flags.rejects === undefined ? undefined : open(flags.rejects),
  });
  const { duplicates } = flags;
  const known = {
    ...(price === undefined ? {} : { price }),
    ...(atTarget === undefined ? {} : { atTarget }),
  };
  return convertExport(
    { verb, inputs, companions, job, duplicates, threads, output: output(open), log, ...known },
    context,
  );
}
