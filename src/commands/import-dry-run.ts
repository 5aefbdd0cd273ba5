/** `idport import --dry-run`: prints a line of JSON for each request that an import would send. */
import { type Emit, note } from '../events.ts';
import { randomBytes } from 'node:crypto';
import { ExitCode } from '../errors.ts';
import { createForecaster } from '../flows/convert/forecast.ts';
import { planRequests, passBody, prepare, renameUsers } from '../flows/import/prepare.ts';
import type { ImportRequest } from '../flows/import/request.ts';
import { chooseTimeouts } from '../flows/import/request-limits.ts';
import { formatBytes, formatCounted, formatSeconds } from '../lib/format.ts';
import { printLine } from '../storage/stream-sink.ts';
import type { CommandContext } from './context.ts';

export type DryRun = Omit<ImportRequest, 'client' | 'journal'>;

/** Sends nothing to the service. */
export async function dryRunImport(request: DryRun, context: CommandContext): Promise<ExitCode> {
  const { emit, stdout, signal } = context;
  const { input, profile, size } = request;
  emit({ type: 'run:start', verb: 'import --dry-run', inputs: [input.name], bytes: undefined });
  const source = await renameUsers(await prepare(request, context), request, randomBytes(16).toString('hex'));
  const { scan } = source;
  const timeout = chooseTimeouts(request.timeout, scan.timeout, request.mostSeconds).service;
  const forecaster = createForecaster(profile);
  const counts = { requests: 0, users: 0, rejected: 0, largest: 0 };
  const limits = { bytes: size.bytes, jsonBytes: size.jsonBytes, entries: size.most };
  const onRejected: Emit = (event) => {
    counts.rejected += 1;
    emit(event);
  };
  for await (const planned of planRequests(
    source,
    { timeout, firstForm: scan.firstForm },
    limits,
    onRejected,
  )) {
    signal.throwIfAborted();
    const { users, bytes } = planned;
    counts.requests += 1;
    counts.users += users;
    counts.largest = Math.max(counts.largest, bytes);
    for (let i = 0; i < users; i++) forecaster.add(bytes / users, 1);
    await printLine(stdout, JSON.stringify(planned));
  }
  const { bulk, single, bytes } = forecaster.finish();
  emit({ type: 'forecast', profile: profile.name, bulk, single, bytes });
  const { requests, users, rejected, largest } = counts;
  const text = [
    `${formatCounted(users, 'user')} in at least ${formatCounted(requests, 'request')}`,
    `the largest has ${formatBytes(largest)} of ${formatBytes(size.bytes)}`,
    ...(bulk.seconds === undefined ? [] : [`about ${formatSeconds(bulk.seconds)} on the hosted service`]),
    ...(rejected === 0 ? [] : [`${formatCounted(rejected, 'entry', 'entries')} would not be sent`]),
    '`idport check` of this body compares the ways to import',
  ];
  emit(note('import:rehearsed', text.join('; ')));
  await passBody(source, request, context);
  return rejected > 0 ? ExitCode.rejected : ExitCode.done;
}
