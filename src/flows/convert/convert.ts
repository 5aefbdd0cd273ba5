/**
 * Converts an export into an import body: scan, convert on several threads, put in order, drop duplicates, write. Every record of
 * the input is counted as exactly one of: written, written with notes, rejected, skipped.
 */
import { noticeEvent, type RunContext } from '../../events.ts';
import { IdportError, InputError } from '../../errors.ts';
import { type WorkerPool, createWorkerPool } from '../../workers/pool.ts';
import { type Input, withLine } from '../../lib/input.ts';
import { formatCounted } from '../../lib/format.ts';
import { emptyTally, type Tally } from '../../records/tally.ts';
import { loadProvider } from '../../sources/index.ts';
import type { Notice } from '../../sources/source.ts';
import { type ConvertSettings, convertBatches } from './convert-batch.ts';
import { type Assembly, createAssembler } from './assemble.ts';
import { createForecaster, type ForecastOptions, createWays } from './forecast.ts';
import type { KnownUser } from './duplicates.ts';
import { createReadMeter } from '../records/read-meter.ts';
import { filesOf, type OpenedSource } from '../source/read-users.ts';
import type { ResultContext } from '../report/results.ts';
import type { AppWriter } from '../resources/source-apps.ts';
import { stopwatch } from '../../lib/clock.ts';

export interface ConvertRequest extends Assembly {
  readonly verb: string;
  readonly source: OpenedSource;
  readonly job: ConvertSettings;
  readonly threads: number;
  /** Pages of users that already exist at the target. Records with their names or ids are duplicates. */
  readonly atTarget?: AsyncIterable<readonly KnownUser[]> | undefined;
  readonly forecast?: ForecastOptions | undefined;
  /** Checks what a body has besides its users, and completes the options of the forecast. */
  readonly checkOthers?: ((context: ResultContext) => Promise<void>) | undefined;
  /** Tests the finished body, and returns the result. */
  readonly tryBody?: (() => Promise<Notice>) | undefined;
  /** Set if clients become applications of a project. */
  readonly apps?: AppWriter | undefined;
}

/** Leaves no file behind if it throws. */
export async function convertExport(request: ConvertRequest, context: RunContext) {
  const tally = emptyTally();
  const pool = createWorkerPool(request.threads);
  try {
    await run(request, context, tally, pool);
    return tally;
  } catch (error) {
    throw await withLine(withCount(error, tally.read), filesOf(request.source));
  } finally {
    await pool.close();
  }
}

async function run(
  request: ConvertRequest,
  { emit, clock, signal }: RunContext,
  tally: Tally,
  pool: WorkerPool,
) {
  const { verb, source, job, log, output } = request;
  const watch = stopwatch(clock);
  const inputs = filesOf(source).map(({ name }) => name);
  const bytes = sumSizes(filesOf(source));
  emit({ type: 'run:start', verb, inputs, bytes });
  await log.begin({ verb, inputs, startedAt: clock.now() });
  await request.checkOthers?.({ tally, log, emit });

  const provider = await loadProvider(source.provider);
  const meter = createReadMeter(() => {
    signal.throwIfAborted();
    emit({ type: 'run:progress', bytes: meter.bytes, records: tally.read });
  });
  const batches = meter.scan(provider, source, (notice) => log.notify(notice, emit));
  const { profile } = job.policy;
  const forecaster = createForecaster(profile, request.forecast);
  const ways = createWays();
  const assembler = createAssembler(request, { tally, forecaster, ways, emit });
  for await (const page of request.atTarget ?? []) page.forEach((user) => assembler.register(user));
  for await (const { task: raw, result: converted } of convertBatches(batches, job, pool)) {
    signal.throwIfAborted();
    await assembler.add(raw, converted);
    emit({ type: 'run:progress', bytes: meter.bytes, records: tally.read });
  }
  assembler.finish();
  await request.project?.write(output.writer);
  await request.apps?.write(output.writer);
  await output.writer.close();

  ways.choose(job.policy.route, tally);
  checkCounts(tally);
  const seconds = watch();
  await output.commit(emit);
  if (request.project !== undefined) emit(request.project.notice());
  for (const notice of request.apps?.notices ?? []) log.notify(notice, emit);
  const users = tally.written + tally.withNotes;
  if (users > 0 && tally.reasons.get('org:none') === users) {
    const text = `--org-by finds no organization for any of the ${formatCounted(users, 'user')}: all go to --org. Check how the records name it; what a joined table has is column:<table>.<name>.`;
    log.notify({ level: 'warning', code: 'org:no-match', text }, emit);
  }
  const tried = await request.tryBody?.();
  if (tried !== undefined) log.notify(tried);
  const compared = ways.compare(request.forecast?.isOlder);
  const forecast = { profile: profile.name, ...forecaster.finish(), ways: compared };
  log.setForecast(forecast);
  await log.end(tally, seconds, emit);
  await request.mailList?.commit(emit);
  emit({ type: 'forecast', ...forecast });
  emit({ type: 'run:end', verb, tally, seconds });
  // Emitted after the summary, where it is seen.
  if (tried !== undefined) emit(noticeEvent(tried));
}

/** Adds to the error of a broken input how many users could be read before it. */
function withCount(error: unknown, read: number) {
  if (!(error instanceof InputError) || read === 0) return error;
  const before = `${formatCounted(read, 'user')} could be read before, and nothing was written`;
  return error.toldAs(`${error.problem}; ${before}`);
}

/** Throws if the run cannot account for every record. */
function checkCounts({ read, written, withNotes, rejected, skipped }: Tally) {
  if (read === written + withNotes + rejected + skipped) return;
  throw new IdportError(
    'internal:counts',
    'the counts of this run do not add up; nothing was written',
    'This is a defect of idport: please report it.',
  );
}

function sumSizes(inputs: readonly Input[]) {
  let bytes = 0;
  for (const { size } of inputs) {
    if (size === undefined) return undefined;
    bytes += size;
  }
  return bytes;
}
