/** `idport import --dry-run`: prints a line of JSON for each request that an import would send. */
import { note } from '../events.ts';
import { randomBytes } from 'node:crypto';
import { ExitCode } from '../errors.ts';
import { createForecaster } from '../flows/convert/forecast.ts';
import { planRequests, passGate, prepare, renameUsers } from '../flows/import/prepare.ts';
import type { ImportRequest } from '../flows/import/request.ts';
import { chooseTimeouts } from '../flows/import/request-limits.ts';
import { formatBytes, formatCounted, formatSeconds } from '../lib/quantity.ts';
import { hasTrouble, sumUsers, type ImportTally } from '../records/import-tally.ts';
import { printLine } from '../storage/stream-sink.ts';
import type { CommandContext } from './context.ts';

export type DryRun = Omit<ImportRequest, 'client' | 'journal'>;

/** Sends nothing to the service. */
export async function dryRunImport(request: DryRun, context: CommandContext): Promise<ExitCode> {
  const { emit, stdout, signal } = context;
  const { input, profile, size } = request;
  emit({ type: 'run:start', verb: 'import --dry-run', inputs: [input.name], bytes: undefined });
  const source = await renameUsers(await prepare(request, context), request, randomBytes(16).toString('hex'));
  const passes = await passGate(source, request, context);
  const { scan } = source;
  const timeout = chooseTimeouts(request.timeout, scan.timeout, request.mostSeconds).service;
  const forecaster = createForecaster(profile);
  let largest = 0;
  const tally = await planRequests(source, {
    body: { timeout, firstForm: scan.firstForm },
    limits: { bytes: size.bytes, jsonBytes: size.jsonBytes, entries: size.most },
    emit,
    async onRequest(planned) {
      signal.throwIfAborted();
      const { users, bytes } = planned;
      largest = Math.max(largest, bytes);
      for (let i = 0; i < users; i++) forecaster.add(bytes / users, 1);
      await printLine(stdout, JSON.stringify(planned));
    },
  });
  const { bulk, single, bytes } = forecaster.finish();
  emit({ type: 'forecast', profile: profile.name, bulk, single, bytes });
  emit(note('import:rehearsed', describe(tally, largest, size.bytes, bulk.seconds)));
  if (!passes) return ExitCode.differs;
  return hasTrouble(tally) ? ExitCode.rejected : ExitCode.done;
}

function describe(tally: ImportTally, largest: number, limit: number, seconds: number | undefined): string {
  const { total, rejected } = sumUsers(tally);
  const lost = [...tally.lists.values()].reduce((sum, counts) => sum + counts.rejected, 0);
  return [
    `${formatCounted(total, 'user')} in at least ${formatCounted(tally.requests, 'request')}`,
    `the largest has ${formatBytes(largest)} of ${formatBytes(limit)}`,
    ...(seconds === undefined ? [] : [`about ${formatSeconds(seconds)} on the hosted service`]),
    ...(lost === 0
      ? []
      : [
          `${formatCounted(lost, 'entry', 'entries')} (${formatCounted(rejected, 'user')}) would not be sent`,
        ]),
    '`idport check` of this body compares the ways to import',
  ].join('; ');
}
