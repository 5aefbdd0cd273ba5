/** `idport import --dry-run`: the body in, a line of JSON for each request that would be sent out. */
import type { ExitCode } from '../errors.ts';
import { createForecaster } from '../flows/forecast.ts';
import { prepare } from '../flows/import/import.ts';
import { rehearse } from '../flows/import/dry-run.ts';
import { chooseTimeouts } from '../flows/import/timeouts.ts';
import type { Input } from '../lib/input.ts';
import { formatBytes, formatCounted, formatSeconds } from '../lib/quantity.ts';
import { peopleOf, type ImportTally } from '../records/import-tally.ts';
import { print } from '../storage/print.ts';
import type { TargetProfile } from '../wire/profile.ts';
import type { CommandContext } from './context.ts';
import { exitCodeOf, type ImportSettings } from './import.ts';

export interface Rehearsal extends ImportSettings {
  readonly input: Input;
  readonly profile: TargetProfile;
}

/** Sends nothing and asks the service nothing. */
export async function rehearseImport(request: Rehearsal, context: CommandContext): Promise<ExitCode> {
  const { emit, stdout, signal } = context;
  const { input, profile, size } = request;
  emit({ type: 'run:start', verb: 'import --dry-run', inputs: [input.name], bytes: undefined });
  const source = await prepare(request, context);
  const { survey } = source;
  const timeout = chooseTimeouts(request.timeout, survey.timeout, request.mostSeconds).service;
  const requests = rehearse(
    source,
    {
      body: { timeout, firstForm: survey.firstForm },
      limits: { bytes: size.bytes, jsonBytes: size.jsonBytes, entries: size.most },
      input: input.name,
    },
    emit,
  );
  const forecaster = createForecaster(profile);
  let largest = 0;
  for (;;) {
    signal.throwIfAborted();
    const next = await requests.next();
    if (next.done === true) {
      const { bulk, single, bytes } = forecaster.finish();
      emit({ type: 'forecast', profile: profile.name, bulk, single, bytes });
      const text = describe(next.value, largest, size.bytes, bulk.seconds);
      emit({ type: 'notice', level: 'info', code: 'import:rehearsed', text });
      return exitCodeOf(next.value);
    }
    const { people, bytes } = next.value;
    largest = Math.max(largest, bytes);
    for (let i = 0; i < people; i++) forecaster.add(bytes / people, 1);
    await print(stdout, `${JSON.stringify(next.value)}\n`);
  }
}

function describe(tally: ImportTally, largest: number, limit: number, seconds: number | undefined): string {
  const { total, rejected } = peopleOf(tally);
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
  ].join('; ');
}
