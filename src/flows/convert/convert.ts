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
import { emptyTally, type Tally, countRefusal, countWritten } from '../../records/tally.ts';
import type { Notice } from '../../notice.ts';
import { loadProvider } from '../../sources/index.ts';
import type { RawBatch } from '../../sources/source.ts';
import { type ConvertSettings, convertBatches } from './convert-batch.ts';
import {
  createForecaster,
  type ForecastOptions,
  createWays,
  type Forecaster,
  type Ways,
} from './forecast.ts';
import { type KnownUser, createDuplicates, createRecordNumbers, type DuplicateRule } from './duplicates.ts';
import { createReadMeter } from '../read/read-meter.ts';
import { filesOf, type OpenedSource } from '../read/read-users.ts';
import { type Reported, type ResultContext, tellRejected, type RunOutputs } from '../report/run-outputs.ts';
import type { AppWriter } from '../resources/source-apps.ts';
import { stopwatch } from '../../lib/clock.ts';
import type { TargetOrg } from '../../records/resource.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import { quoteBatch } from '../../sources/elements.ts';
import { type ConvertedBatch, type RecordDetail, row, type UserKind } from './batch.ts';
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
  readonly checkOthers?: (context: ResultContext) => Promise<void>;
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
    log.notify(warning('org:no-match', text), emit);
  }
  const tried = await request.tryBody?.();
  if (tried !== undefined) log.notify(tried);
  const compared = ways.compare(request.forecast?.isOlder);
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
    'This is a bug in idport: please report it.',
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
  readonly mailList?: MailList | undefined;
  /** Set if roles become those of a project. */
  readonly project?: ProjectWriter | undefined;
}

interface Counting {
  readonly tally: Tally;
  readonly forecaster: Forecaster;
  readonly ways: Ways;
  readonly emit: Emit;
}

function createAssembler(request: Assembly, counting: Counting) {
  const { tally, forecaster, ways } = counting;
  const { writer: body } = request.output;
  const numbers = createRecordNumbers();
  const duplicates = createDuplicates(request.duplicates, request.job.seed, numbers);
  const kindCounts = createKindCounts(tally, ways);
  return {
    register: duplicates.register,
    /** Counts what is not counted yet. To be called after the last batch. */
    finish: kindCounts.finish,
    /** Batches must be added in the order of the inputs. */
    async add(raw: RawBatch, batch: ConvertedBatch) {
      const { rows } = batch;
      const kinds = kindCounts.of(batch);
      const firstIndex = numbers.advance(batch.input, batch.count);
      const quoteRaw = quoteBatch(raw);
      const endOf = (place: number) => (place < 0 ? 0 : rows[place * row.words + row.end]!);
      let clash = duplicates.addUntilClash(batch, 0);
      let nextDetail = 0;
      /** Offset in the batch's body up to which it is written. */
      let written = 0;
      const orgs = batch.orgs === '' ? [] : (JSON.parse(batch.orgs) as TargetOrg[]);
      const orgAt = (place: number) => orgs[rows[place * row.words + row.org]!];
      let org = orgAt(0);
      const writeUntil = (place: number) =>
        body.write('humanUsers', batch.body.subarray(written, endOf(place - 1)), org);
      for (let place = 0; place < batch.count; place++) {
        const at = place * row.words;
        if (orgAt(place) !== org) {
          await writeUntil(place);
          written = endOf(place - 1);
          org = orgAt(place);
        }
        const known = kinds[rows[at + row.kind]! - 1];
        let note: ReasonCode | undefined;
        let detail = batch.details[nextDetail]?.place === place ? batch.details[nextDetail++] : undefined;
        if (clash?.place === place) {
          const isDerived = known?.kind.codes.includes('id:derived');
          const duplicate = duplicates.resolve(batch, clash, detail, isDerived);
          clash = duplicates.addUntilClash(batch, place + 1);
          // Only bodies have it: the organization that contains their users.
          const { orgId } = (raw.context ?? {}) as { readonly orgId?: string };
          detail = { orgId: org?.orgId ?? orgId, ...duplicate.detail };
          ({ note } = duplicate);
          if (duplicate.element !== undefined) {
            await writeUntil(place);
            await body.write('humanUsers', duplicate.element, org);
            written = endOf(place);
          }
        }
        if (known !== undefined && detail?.rejected === undefined) {
          forecaster.add(rows[at + row.size]!, callsOf(known.kind, detail));
          kindCounts.add(known, note);
        }
        if (detail === undefined) continue;
        const { id, userName, email, orgId } = detail;
        const origin = { input: batch.input, index: firstIndex + place, id };
        const reported = { names: { origin, userName, email, orgId }, raw: () => quoteRaw(place) };
        await (detail.rejected === undefined
          ? addNoted(request, tally, detail, reported, org, orgs)
          : addRejected(request, counting, detail, detail.rejected, reported));
      }
      // Includes records that were counted one by one.
      tally.read = numbers.next;
      await body.write('humanUsers', batch.body.subarray(written), org);
    },
  };
}

/**
 * Returns the calls of `import-users`: one creates the whole user, others set the state and the grants. It sends no user that
 * only the bulk import accepts.
 */
const callsOf = ({ inactive, prospects }: UserKind, detail: RecordDetail | undefined) =>
  prospects?.onlyBulk ? 0 : 1 + (inactive ? 1 : 0) + (detail?.grants?.length ?? 0);

interface KindCount {
  readonly kind: UserKind;
  users: number;
}

function createKindCounts(tally: Tally, ways: Ways) {
  /** Kinds of users and their numbers of users, by converter and number of the kind. */
  const byConverter = new Map<string, KindCount[]>();
  const count = ({ kind, users }: KindCount) => {
    if (users === 0) return;
    countWritten(tally, kind, users);
    ways.add(kind, users);
  };
  return {
    /** Returns the kinds of a batch by their number. */
    of({ converter, firstKind, newKinds }: ConvertedBatch) {
      const before = byConverter.get(converter) ?? [];
      if (firstKind === 1) before.forEach(count);
      const kinds = firstKind === 1 ? [] : before;
      byConverter.set(converter, kinds);
      for (const kind of newKinds) kinds.push({ kind, users: 0 });
      return kinds;
    },
    /** Counts a user of a kind, at once if a note makes its kind another one. */
    add(known: KindCount, note: ReasonCode | undefined) {
      if (note === undefined) known.users += 1;
      else count({ kind: { ...known.kind, codes: [...known.kind.codes, note] }, users: 1 });
    },
    finish: () => [...byConverter.values()].flat().forEach(count),
  };
}

/** Adds a record that has more than its element to body, counts and report. */
async function addNoted(
  { log, mailList, project, output: { writer: body } }: Assembly,
  tally: Tally,
  detail: RecordDetail,
  { names }: Reported,
  org: TargetOrg | undefined,
  orgs: readonly TargetOrg[],
) {
  tally.metadata += detail.metadataCount ?? 0;
  if (detail.machine !== undefined) await body.write('machineUsers', detail.machine, org);
  if (detail.metadata !== undefined) await body.write('userMetadata', detail.metadata, org);
  for (const grant of detail.grants ?? []) {
    const granting = grant.org === undefined ? org : orgs[grant.org];
    await body.write('userGrants', grant.element, granting);
    project?.add(grant.roleKeys, granting);
  }
  const { recipient, notes, signIn, atFirstLogin } = detail;
  if (recipient !== undefined) await mailList?.add({ ...names, ...recipient }, recipient.messages);
  if (atFirstLogin !== undefined) await log.listForFirstLogin(atFirstLogin);
  await log.written({ ...names, signIn, reasons: notes });
}

async function addRejected(
  { log }: Assembly,
  { tally, forecaster, ways, emit }: Counting,
  { refusal, inBulk }: RecordDetail,
  { code, detail }: NonNullable<RecordDetail['rejected']>,
  reported: Reported,
) {
  if (inBulk !== undefined) {
    forecaster.add(inBulk.size, 0);
    ways.addInBulk(inBulk.prospects);
  }
  if (refusal !== undefined) countRefusal(tally.refusals, refusal);
  await tellRejected({ tally, log, emit }, reported, code, detail);
}
