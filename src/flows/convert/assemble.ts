/**
 * Writes converted batches, in the order of the inputs, to the import body, and adds them to the counts and the report. Finds
 * duplicates, because only here all records of a run come together.
 */
import type { TargetOrg } from '../../records/resource.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import { countRefusal, countWritten, type Tally } from '../../records/tally.ts';
import type { Origin } from '../../records/user.ts';
import { quoteBatch } from '../../sources/elements.ts';
import type { RawBatch } from '../../sources/source.ts';
import type { Emit } from '../../events.ts';
import { type ConvertedBatch, type RecordDetail, row, type UserKind } from './batch.ts';
import type { ConversionOutput } from './output.ts';
import type { MailList } from '../messages/gate.ts';
import { tellRejected } from '../report/results.ts';
import type { RunOutputs } from '../report/run-outputs.ts';
import type { ProjectWriter } from '../roles/project-writer.ts';
import { createDuplicates, createRecordNumbers, type DuplicateRule } from './duplicates.ts';
import type { Forecaster, Ways } from './forecast.ts';

/** Destinations of converted records, and rules for them. */
export interface Assembly {
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

export function createAssembler(request: Assembly, counting: Counting) {
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
        const origin = { input: batch.input, index: firstIndex + place, id: detail.id };
        await (detail.rejected === undefined
          ? addNoted(request, tally, detail, origin, org, orgs)
          : addRejected(request, counting, detail, detail.rejected, { origin, quoteRaw }));
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
  prospects?.onlyBulk === true ? 0 : 1 + (inactive ? 1 : 0) + (detail?.grants?.length ?? 0);

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
    of({ converter, firstKind, newKinds }: ConvertedBatch): readonly KindCount[] {
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
  origin: Origin,
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
  const { userName, email, orgId, recipient, notes, signIn, atFirstLogin } = detail;
  if (recipient !== undefined) await mailList?.add({ userName, email, ...recipient }, recipient.messages);
  if (atFirstLogin !== undefined) await log.listForFirstLogin(atFirstLogin);
  await log.written({ origin, userName, email, orgId, signIn, reasons: notes });
}

async function addRejected(
  { log }: Assembly,
  { tally, forecaster, ways, emit }: Counting,
  { refusal, inBulk, userName, email, orgId, place }: RecordDetail,
  { code, detail }: NonNullable<RecordDetail['rejected']>,
  { origin, quoteRaw }: { readonly origin: Origin; readonly quoteRaw: (place: number) => unknown },
) {
  if (inBulk !== undefined) {
    forecaster.add(inBulk.size, 0);
    ways.addInBulk(inBulk.prospects);
  }
  if (refusal !== undefined) countRefusal(tally.refusals, refusal);
  const reported = { names: { origin, userName, email, orgId }, raw: () => quoteRaw(place) };
  await tellRejected({ tally, log, emit }, reported, code, detail);
}
