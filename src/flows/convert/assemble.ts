/**
 * Writes converted batches, in the order of the inputs, to the import body, and adds them to the counts and the report. Finds
 * duplicates, because only here all records of a run come together.
 */
import type { TargetOrg } from '../../records/organization.ts';
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
import { type DuplicateRule, Duplicates, type KnownUser, RecordNumbers } from './duplicates.ts';
import type { Forecaster } from './forecast.ts';
import type { Ways } from './ways.ts';

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

interface KindCount {
  readonly kind: UserKind;
  users: number;
}

export class Assembler {
  readonly #request: Assembly;
  readonly #counting: Counting;
  readonly #numbers = new RecordNumbers();
  readonly #duplicates: Duplicates;
  /** Kinds of users and their numbers of users, by converter and number of the kind. */
  readonly #kinds = new Map<string, KindCount[]>();

  constructor(request: Assembly, counting: Counting) {
    this.#request = request;
    this.#counting = counting;
    this.#duplicates = new Duplicates(request.duplicates, request.job.seed, this.#numbers);
  }

  /** Adds the name and the id of a user who already exists at the target. */
  register(user: KnownUser): void {
    this.#duplicates.register(user);
  }

  /** Batches must be added in the order of the inputs. */
  async add(raw: RawBatch, batch: ConvertedBatch): Promise<void> {
    const { tally, forecaster } = this.#counting;
    const { writer: body } = this.#request.output;
    const { rows } = batch;
    const kinds = this.#kindsOf(batch);
    const firstIndex = this.#numbers.advance(batch.input, batch.count);
    const quoteRaw = quoteBatch(raw);
    const endOf = (place: number) => (place < 0 ? 0 : rows[place * row.words + row.end]!);
    let clash = this.#duplicates.addUntilClash(batch, 0);
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
        const duplicate = this.#duplicates.resolve(batch, clash, detail, isDerived);
        clash = this.#duplicates.addUntilClash(batch, place + 1);
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
        const { kind } = known;
        // Calls of `import-users`: one creates the whole user, others set the state and the grants. It sends no user that only
        // the bulk import accepts.
        const calls = 1 + (kind.inactive ? 1 : 0) + (detail?.grants?.length ?? 0);
        forecaster.add(rows[at + row.size]!, kind.prospects?.onlyBulk === true ? 0 : calls);
        if (note === undefined) known.users += 1;
        else this.#count({ kind: { ...kind, codes: [...kind.codes, note] }, users: 1 });
      }
      if (detail === undefined) continue;
      const origin = { input: batch.input, index: firstIndex + place, id: detail.id };
      await (detail.rejected === undefined
        ? this.#addNoted(detail, origin, org, orgs)
        : this.#addRejected(detail, origin, quoteRaw));
    }
    // Includes records that were counted one by one.
    tally.read = this.#numbers.next;
    await body.write('humanUsers', batch.body.subarray(written), org);
  }

  /** Counts what is not counted yet. To be called after the last batch. */
  finish(): void {
    for (const kinds of this.#kinds.values()) for (const known of kinds) this.#count(known);
  }

  #kindsOf({ converter, firstKind, newKinds }: ConvertedBatch): readonly KindCount[] {
    let kinds = this.#kinds.get(converter) ?? [];
    if (firstKind === 1) {
      for (const known of kinds) this.#count(known);
      this.#kinds.set(converter, (kinds = []));
    }
    for (const kind of newKinds) kinds.push({ kind, users: 0 });
    return kinds;
  }

  #count({ kind, users }: KindCount) {
    if (users === 0) return;
    countWritten(this.#counting.tally, kind, users);
    this.#counting.ways.add(kind, users);
  }

  /** Adds a record that has more than its element to body, counts and report. */
  async #addNoted(
    detail: RecordDetail,
    origin: Origin,
    org: TargetOrg | undefined,
    orgs: readonly TargetOrg[],
  ) {
    const { log, mailList, project, output } = this.#request;
    const { writer: body } = output;
    this.#counting.tally.metadata += detail.metadataCount ?? 0;
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

  async #addRejected(
    { rejected, refusal, inBulk, userName, email, orgId, place }: RecordDetail,
    origin: Origin,
    quoteRaw: (place: number) => unknown,
  ) {
    if (rejected === undefined) return;
    const { tally, forecaster, ways, emit } = this.#counting;
    const { log } = this.#request;
    if (inBulk !== undefined) {
      forecaster.add(inBulk.size, 0);
      ways.addInBulk(inBulk.prospects);
    }
    if (refusal !== undefined) countRefusal(tally.refusals, refusal);
    const reported = { names: { origin, userName, email, orgId }, raw: () => quoteRaw(place) };
    await tellRejected({ tally, log, emit }, reported, rejected.code, rejected.detail);
  }
}
