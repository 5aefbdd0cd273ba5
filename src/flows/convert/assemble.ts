/**
 * Writes converted batches, in the order of the inputs, to the import body, and adds them to the counts and the log of
 * the run. Finds duplicates, because only here all records of a run come together.
 */
import type { Emit } from '../../events.ts';
import type { TargetOrg } from '../../records/organization.ts';
import { count, type Tally } from '../../records/tally.ts';
import type { Origin } from '../../records/user.ts';
import { BrokenRecord } from '../../sources/broken-record.ts';
import { parseBatch } from '../../sources/elements.ts';
import type { RawBatch } from '../../sources/source.ts';
import type { ImportBodyWriter } from '../../targets/import-body.ts';
import {
  type ConvertedBatch,
  isInactive,
  isWritten,
  notedFact,
  type RecordDetail,
  row,
  unpackFacts,
} from './batch.ts';
import { createDuplicates, type DuplicateRule, type Duplicates } from './duplicates.ts';
import { createRecordNumbers } from './record-numbers.ts';
import type { Forecaster } from './forecast.ts';
import type { Ways } from './ways.ts';
import type { MailList } from '../messages/mail-list.ts';
import type { ProjectBook } from '../roles/project-book.ts';
import type { RunLog } from '../report/run-log.ts';
import { BatchTally, tallyRejected } from './tally-batch.ts';

export interface AssemblerOptions {
  readonly body: ImportBodyWriter;
  readonly duplicates: DuplicateRule;
  /** The seed with which the names were hashed. */
  readonly seed: number;
  /** How much of the input has been read, from 0 to 1; NaN where that is not known. */
  readonly share: () => number;
  readonly tally: Tally;
  readonly forecaster: Forecaster;
  readonly ways: Ways;
  readonly log: RunLog;
  readonly mailList: MailList;
  /** Where roles become those of a project. */
  readonly project?: ProjectBook | undefined;
  readonly emit: Emit;
}

export interface Assembler {
  /** Adds the name and the id of a user who is at the target already. */
  readonly register: Duplicates['register'];
  /** Batches must be added in the order of the inputs. */
  add(raw: RawBatch, batch: ConvertedBatch): Promise<void>;
  /** Frees what it holds. Harmless when called again. */
  close(): void;
}

export function createAssembler(options: AssemblerOptions): Assembler {
  const { body, tally, forecaster, ways } = options;
  const details = detailWriter(options);
  const recordNumbers = createRecordNumbers();
  const counts = new BatchTally();
  const duplicates = createDuplicates(options.duplicates, options.seed, recordNumbers, options.share);

  return {
    register: (user) => duplicates.register(user),
    close: () => duplicates.close(),
    async add(raw, batch) {
      const ordinal = recordNumbers.next;
      const firstIndex = recordNumbers.advance(batch.input, batch.count);
      const quoteRaw = rawQuoter(raw);
      const { rows } = batch;
      const endOf = (place: number): number => (place < 0 ? 0 : rows[place * row.words + row.end]!);
      let clash = duplicates.addUntilClash(batch, 0, ordinal);
      let nextDetail = 0;
      /** All bytes of the batch's body before this one are written. */
      let written = 0;
      const orgs = batch.orgs === '' ? [] : (JSON.parse(batch.orgs) as TargetOrg[]);
      const orgAt = (place: number): TargetOrg | undefined => orgs[rows[place * row.words + row.org]!];
      let org = orgAt(0);

      for (let place = 0; place < batch.count; place++) {
        const at = place * row.words;
        if (orgAt(place) !== org) {
          const writing = body.write('humanUsers', batch.body.subarray(written, endOf(place - 1)), org);
          if (writing !== undefined) await writing;
          written = endOf(place - 1);
          org = orgAt(place);
        }
        let detail = batch.details[nextDetail]?.place === place ? batch.details[nextDetail++] : undefined;
        if (clash?.place === place) {
          const duplicate = duplicates.resolve(batch, clash, ordinal, detail);
          clash = duplicates.addUntilClash(batch, place + 1, ordinal);
          detail = { orgId: org?.orgId ?? orgIdOf(raw.context), ...duplicate.detail };
          if (duplicate.note !== undefined) {
            rows[at + row.facts]! |= notedFact;
            count(tally.reasons, duplicate.note);
          }
          if (duplicate.element !== undefined) {
            await body.write('humanUsers', batch.body.subarray(written, endOf(place - 1)), org);
            await body.write('humanUsers', duplicate.element, org);
            written = endOf(place);
          }
        }
        const word = rows[at + row.facts]!;
        if (isWritten(word) && detail?.rejected === undefined) {
          forecaster.add(rows[at + row.size]!, countCalls(word, detail));
          counts.addWritten(batch, place);
        }
        if (detail === undefined) continue;
        const origin = { input: batch.input, index: firstIndex + place, id: detail.id };
        await (detail.rejected === undefined
          ? details.addNoted(detail, origin, org, orgs)
          : details.addRejected(word, detail, origin, quoteRaw));
      }
      counts.finish(tally, ways, batch);
      await body.write('humanUsers', batch.body.subarray(written), org);
    },
  };
}

/** Adds what is known of a record besides its element: to body, counts, events and log. */
function detailWriter({
  body,
  tally,
  log,
  mailList,
  project,
  emit,
}: Omit<AssemblerOptions, 'forecaster' | 'ways'>) {
  return {
    async addNoted(
      detail: RecordDetail,
      origin: Origin,
      org: TargetOrg | undefined,
      orgs: readonly TargetOrg[],
    ): Promise<void> {
      tally.metadata += detail.metadataCount ?? 0;
      if (detail.machine !== undefined) await body.write('machineUsers', detail.machine, org);
      if (detail.metadata !== undefined) await body.write('userMetadata', detail.metadata, org);
      for (const grant of detail.grants ?? []) {
        const granting = grant.org === undefined ? org : orgs[grant.org];
        await body.write('userGrants', grant.element, granting);
        project?.add(grant.roleKeys, granting);
      }
      const { userName, email, orgId, recipient, notes, signIn, atFirstLogin } = detail;
      if (recipient !== undefined) await mailList.add({ userName, email, ...recipient }, recipient.messages);
      if (atFirstLogin !== undefined) await log.listForFirstLogin(atFirstLogin);
      await log.written({ origin, userName, email, orgId, signIn, reasons: notes });
    },
    async addRejected(
      word: number,
      detail: RecordDetail,
      origin: Origin,
      quoteRaw: (place: number) => unknown,
    ): Promise<void> {
      const { rejected, userName, email, orgId } = detail;
      if (rejected === undefined) return;
      const outcome = unpackFacts(word).outcome === 'skipped' ? 'skipped' : 'rejected';
      tallyRejected(tally, outcome === 'skipped', detail);
      const event = { place: userName === '' ? origin : { ...origin, userName }, ...rejected };
      emit(
        outcome === 'skipped' ? { type: 'record:skipped', ...event } : { type: 'record:rejected', ...event },
      );
      await log.note({ origin, userName, email, orgId, outcome, reasons: [rejected] });
      if (outcome === 'rejected' && log.wantsRejects) {
        await log.reject(origin, rejected.code, rejected.detail, quoteRaw(detail.place));
      }
    },
  };
}

/** Only bodies have it: the organization in which their users stand. */
function orgIdOf(context: unknown): string | undefined {
  return ((context ?? {}) as { readonly orgId?: string }).orgId;
}

/** Calls of `import-users`: one creates the user whole, others set the state and the grants. */
function countCalls(word: number, detail: RecordDetail | undefined): number {
  return 1 + (isInactive(word) ? 1 : 0) + (detail?.grants?.length ?? 0);
}

/** Parses the raw batch again for the source's own record, which goes to the rejects file. */
function rawQuoter(raw: RawBatch): (place: number) => unknown {
  let values: readonly unknown[] | undefined;
  return (place) => {
    values ??= [...parseBatch(raw)];
    const value = values[place];
    return value instanceof BrokenRecord ? (value.broken.text ?? '') : value;
  };
}
