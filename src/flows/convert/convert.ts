/**
 * Converts an export into an import body: scan, convert on several threads, put in order, drop duplicates, write. Every record of
 * the input is counted as exactly one of: written, written with notes, rejected, skipped. Only here all records of a run come
 * together.
 */
import { type RunContext, type Emit, warning } from '../../events.ts';
import { IdportError, InputError } from '../../errors.ts';
import { type WorkerPool, createWorkerPool } from '../../workers/pool.ts';
import { type Input, withLine } from '../../lib/input.ts';
import { formatCounted } from '../../lib/format.ts';
import { addCounts, addTally, emptyTally, type Tally } from '../../records/tally.ts';
import type { Notice } from '../../notice.ts';
import { loadProvider } from '../../sources/index.ts';
import type { RawBatch } from '../../sources/source.ts';
import {
  type ConvertJob,
  type ConvertSettings,
  convertBatches,
  countsOf,
  startJob,
} from './convert-batch.ts';
import {
  compareWays,
  createForecaster,
  type ForecastOptions,
  type Forecaster,
  noWays,
  type Ways,
} from './forecast.ts';
import { type KnownUser, createDuplicates, createRecordNumbers, type DuplicateRule } from './duplicates.ts';
import { createReadMeter } from '../records/read-meter.ts';
import { filesOf, type OpenedSource } from '../source/read-users.ts';
import { type Reported, type ResultContext, tellRejected, type RunOutputs } from '../report/run-outputs.ts';
import type { AppWriter } from '../resources/source-apps.ts';
import { stopwatch } from '../../lib/clock.ts';
import type { TargetOrg } from '../../records/resource.ts';
import { quoteBatch } from '../../sources/elements.ts';
import { type BatchCounts, type ConvertedBatch, type RecordDetail, row } from './batch.ts';
import type { Written } from '../records/check-record.ts';
import type { ConversionOutput } from './output.ts';
import type { MailList } from '../messages/gate.ts';
import type { ProjectWriter } from '../roles/project-writer.ts';

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
  const ways = noWays();
  const convertJob = await startJob(job);
  const assembler = createAssembler(request, convertJob, { tally, forecaster, ways, emit });
  for await (const page of request.atTarget ?? []) page.forEach((user) => assembler.register(user));
  for await (const { task: raw, result: converted } of convertBatches(batches, job, convertJob, pool)) {
    signal.throwIfAborted();
    await assembler.add(raw, converted);
    emit({ type: 'run:progress', bytes: meter.bytes, records: tally.read });
  }
  await request.project?.write(output.writer);
  await request.apps?.write(output.writer);
  await output.writer.close();

  Object.assign(tally, job.policy.route === 'import' ? ways.bulk : ways.single);
  checkCounts(tally);
  const seconds = watch();
  await output.commit(emit);
  if (request.project !== undefined) emit(request.project.notice());
  for (const notice of request.apps?.notices ?? []) log.notify(notice, emit);
  const users = tally.written + tally.withNotes;
  if (users > 0 && tally.reasons.get('org:none') === users) {
    const text = `--org-by finds no organization for any of the ${formatCounted(users, 'user')}: all go to --org. Check how the records name it; what a joined table has is column:<table>.<name>.`;
    log.notify(warning('org:no-match', text), emit);
  }
  const tried = await request.tryBody?.();
  if (tried !== undefined) log.notify(tried);
  const compared = compareWays(ways, request.forecast?.isOlder);
  const forecast = { profile: profile.name, ...forecaster.finish(), ways: compared };
  await log.end(tally, seconds, emit, { forecast });
  await request.mailList?.commit(emit);
  emit({ type: 'forecast', ...forecast });
  emit({ type: 'run:end', verb, tally, seconds });
  // Emitted after the summary, where it is seen.
  if (tried !== undefined) emit(tried);
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

/** Destinations of converted records, and rules for them. */
interface Assembly {
  readonly job: {
    /** Seed with which names were hashed. */
    readonly seed: number;
  };
  readonly duplicates: DuplicateRule;
  readonly output: ConversionOutput;
  readonly log: RunOutputs;
  /** List of users who get a message. Absent if not requested. */
  readonly mailList?: MailList;
  /** Set if roles become those of a project. */
  readonly project?: ProjectWriter | undefined;
}

interface Counting {
  readonly tally: Tally;
  readonly forecaster: Forecaster;
  readonly ways: Ways;
  readonly emit: Emit;
}

function createAssembler(request: Assembly, job: ConvertJob, counting: Counting) {
  const { tally, ways, forecaster, emit } = counting;
  const { log, output } = request;
  const { writer: body } = output;
  const numbers = createRecordNumbers();
  const duplicates = createDuplicates(request.duplicates, request.job.seed, numbers);
  const addCounted = (counts: BatchCounts, sign = 1) => {
    addTally(tally, counts.tally, sign);
    addCounts(ways, counts.ways, sign);
  };
  /** Adds the records of a batch from one place to another. `index` is that of the first of them in its input. */
  const addRecords = async (batch: ConvertedBatch, from: number, to: number, source: RecordSource) => {
    const { rows } = batch;
    const orgs = batch.orgs === '' ? [] : (JSON.parse(batch.orgs) as TargetOrg[]);
    const orgAt = (place: number) => orgs[rows[place * row.words + row.org]!];
    const endOf = (place: number) => (place < 0 ? 0 : rows[place * row.words + row.end]!);
    let org = orgAt(from);
    let written = endOf(from - 1);
    const writeUntil = async (place: number) => {
      const end = endOf(place - 1);
      await body.write('humanUsers', batch.body.subarray(written, end), org);
      written = end;
    };
    let nextDetail = batch.details.findIndex(({ place }) => place >= from);
    for (let place = from; place < to; place++) {
      if (orgAt(place) !== org) {
        await writeUntil(place);
        org = orgAt(place);
      }
      const at = place * row.words;
      if (rows[at + row.size] !== 0) forecaster.add(rows[at + row.size]!, rows[at + row.calls]!);
      const detail = batch.details[nextDetail];
      if (detail?.place !== place) continue;
      nextDetail += 1;
      const { index, raw } = source(place);
      const { id, userName, email, orgId, rejected } = detail;
      const names = { origin: { input: batch.input, index, id }, userName, email, orgId };
      if (rejected === undefined) await addNoted(request, detail, names, org, orgs);
      else await tellRejected({ tally, log, emit }, { names, raw }, rejected.code, rejected.detail);
    }
    await writeUntil(to);
  };
  return {
    register: duplicates.register,
    /** Batches must be added in the order of the inputs. */
    async add(raw: RawBatch, batch: ConvertedBatch) {
      const firstIndex = numbers.advance(batch.input, batch.count);
      const quoteRaw = quoteBatch(raw);
      let again: ReturnType<typeof job.readAgain> | undefined;
      const source: RecordSource = (place) => ({ index: firstIndex + place, raw: () => quoteRaw(place) });
      addCounted(batch.counts);
      for (let from = 0; from < batch.count;) {
        const clash = duplicates.addUntilClash(batch, from);
        const to = clash?.place ?? batch.count;
        if (to > from) await addRecords(batch, from, to, source);
        from = to + 1;
        if (clash === undefined) break;
        again ??= job.readAgain(raw);
        const record = again[to] as Written;
        addCounted(countsOf(record), -1);
        const replaced = await job.convertOne(duplicates.resolve(clash, record));
        addCounted(replaced.counts);
        await addRecords(replaced, 0, 1, () => source(to));
      }
      // Includes records that were counted one by one.
      tally.read = numbers.next;
    },
  };
}

/** Returns the index of a record in its input, and the record for the rejects file. */
type RecordSource = (place: number) => { readonly index: number; readonly raw: () => unknown };

/** Adds a record that has more than its element to body and report. */
async function addNoted(
  { log, mailList, project, output: { writer: body } }: Assembly,
  { machine, metadata, grants = [], recipient, notes, signIn, atFirstLogin }: RecordDetail,
  names: Reported['names'],
  org: TargetOrg | undefined,
  orgs: readonly TargetOrg[],
) {
  if (machine !== undefined) await body.write('machineUsers', machine, org);
  if (metadata !== undefined) await body.write('userMetadata', metadata, org);
  for (const grant of grants) {
    const granting = grant.org === undefined ? org : orgs[grant.org];
    await body.write('userGrants', grant.element, granting);
    project?.add(grant.roleKeys, granting);
  }
  if (recipient !== undefined) await mailList?.add({ ...names, ...recipient }, recipient.messages);
  if (atFirstLogin !== undefined) await log.listForFirstLogin(atFirstLogin);
  await log.written({ ...names, signIn, reasons: notes });
}
