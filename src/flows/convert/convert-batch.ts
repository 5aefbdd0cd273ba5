/**
 * Converts a batch of raw records into their part of the import body: read, check, encode. This runs on every thread
 * and knows nothing of other batches.
 */
import { BatchSpace } from '../../lib/batch-memory.ts';
import { hashText } from '../../compact/hash-text.ts';
import { JsonWriter } from '../../json/writer.ts';
import { forecastEmail, forecastSms } from '../../records/email-forecast.ts';
import { reject } from '../../records/user-draft.ts';
import { type ReasonCode, reasons } from '../../records/reasons.ts';
import type { MachineRecord, Note, ReadResult, Rejected, UserRecord } from '../../records/user.ts';
import { BrokenRecord, parseBatch, roomOf } from '../../sources/elements.ts';
import type { RawBatch, Reader } from '../../sources/source.ts';
import { encodeMachineUser, encodeMetadata, writeHumanUser } from '../../targets/human-user.ts';
import { measureMachineUser, measureMetadata } from '../../targets/human-user-size.ts';
import {
  type ConvertedBatch,
  algorithmNumber,
  type HashRefusal,
  emailNumber,
  packFacts,
  type RecordDetail,
  rejectedFacts,
  type Remarks,
  row,
  RowList,
  skippedFacts,
} from './batch.ts';
import { hashPlaintext } from './hash-plaintext.ts';
import { type HashPolicy, type CheckedRecord, checkRecord } from './check-record.ts';

export interface BatchConverterOptions {
  readonly policy: HashPolicy;
  /** Replace passwords in plain text by bcrypt hashes; a check does not. */
  readonly hashPlain: boolean;
  /** The same for all threads of a run, so that equal names give equal hashes. */
  readonly seed: number;
  /** Whether the notes of each record are needed, and not only their counts. */
  readonly wantsNotes: boolean;
}

export type BatchConverter = (batch: RawBatch) => Promise<ConvertedBatch>;

export function createBatchConverter(
  reader: Reader<unknown>,
  options: BatchConverterOptions,
): BatchConverter {
  return async (batch) => {
    const { input, context } = batch;
    const part = new BatchPart(options);
    for (const value of parseBatch(batch)) {
      const place = part.rows.count;
      const origin = { input, index: place, id: '' };
      let read: ReadResult =
        value instanceof BrokenRecord
          ? reject({ origin }, 'record:not-json', value.problem)
          : reader(value, origin, context, place);
      // Only hashing is asynchronous: awaiting every record would be slow.
      if (options.hashPlain && read.kind === 'human' && read.plainPassword !== '') {
        read = await hashPlaintext(read);
      }
      part.add(read);
    }
    const room = new BatchSpace(roomOf(batch.elements));
    return {
      input,
      count: part.rows.count,
      body: part.body.toBytes(room),
      rows: part.rows.copyTo(room),
      remarks: part.remarks.list,
      details: part.details,
    };
  };
}

/** A batch while it grows. */
class BatchPart {
  readonly body = new JsonWriter();
  readonly rows = new RowList();
  readonly remarks = new RemarkList();
  readonly details: RecordDetail[] = [];
  readonly #options: BatchConverterOptions;

  constructor(options: BatchConverterOptions) {
    this.#options = options;
  }

  /** Records are added in their order. */
  add(read: ReadResult): void {
    const at = this.rows.add();
    const place = this.rows.count - 1;
    if (read.kind === 'rejected') this.#addRejected(at, place, read, undefined);
    else if (read.kind === 'machine') this.#addMachine(at, place, read);
    else {
      const checked = checkRecord(read, this.#options.policy);
      if (checked.record.kind === 'human') this.#addHuman(at, place, checked.record, checked);
      else this.#addRejected(at, place, checked.record, checked.refusal);
    }
    this.rows.words[at + row.end] = this.body.length;
  }

  #addHuman(at: number, place: number, user: UserRecord, checked: CheckedRecord): void {
    const { words } = this.rows;
    this.body.put(',');
    words[at + row.size] = writeHumanUser(this.body, user) + measureMetadata(user);
    words[at + row.facts] = packFacts({
      outcome: 'human',
      noted: user.notes.length > 0,
      email: emailNumber(forecastEmail(user)),
      sms: forecastSms(user),
      otp: user.otpSecret !== '',
      inactive: user.state === 'inactive',
      linked: user.links.length > 0,
      algorithm: algorithmNumber(checked.algorithm),
    });
    words[at + row.remarks] = this.remarks.number(user.notes, checked.refusal);
    this.#setKeys(at, user);
    const hasMetadata = user.metadata.length > 0;
    if (!hasMetadata && !(this.#options.wantsNotes && user.notes.length > 0)) return;
    this.details.push({
      place,
      id: user.origin.id,
      userName: user.userName,
      notes: user.notes,
      ...(hasMetadata ? { metadata: `,${encodeMetadata(user)}`, metadataCount: user.metadata.length } : {}),
    });
  }

  #addMachine(at: number, place: number, machine: MachineRecord): void {
    const { words } = this.rows;
    const { origin, userName, notes } = machine;
    words[at + row.size] = measureMachineUser(machine);
    words[at + row.facts] = packFacts({
      outcome: 'machine',
      noted: notes.length > 0,
      email: 0,
      sms: false,
      otp: false,
      inactive: machine.state === 'inactive',
      linked: false,
      algorithm: 0,
    });
    words[at + row.remarks] = this.remarks.number(notes, undefined);
    this.#setKeys(at, machine);
    this.details.push({ place, id: origin.id, userName, notes, machine: `,${encodeMachineUser(machine)}` });
  }

  #addRejected(at: number, place: number, { origin, code, detail }: Rejected, refusal?: HashRefusal): void {
    this.rows.words[at + row.facts] = reasons[code].outcome === 'skipped' ? skippedFacts : rejectedFacts;
    this.details.push({
      place,
      id: origin.id,
      userName: '',
      notes: [],
      rejected: { code, detail },
      ...(refusal === undefined ? {} : { refusal }),
    });
  }

  /** The target compares user names without regard to case, ids exactly. */
  #setKeys(at: number, { userName, id }: UserRecord | MachineRecord): void {
    const { seed } = this.#options;
    hashText(userName.toLowerCase(), seed, this.rows.words, at + row.name);
    if (id !== '') hashText(id, seed, this.rows.words, at + row.id);
  }
}

/** The combinations of notes in a batch, of which there are few even with many records. */
class RemarkList {
  readonly list: Remarks[] = [];
  readonly #root: RemarkNode = { next: new Map(), number: 0 };

  /** The index in `list` plus 1; 0 for no notes. */
  number(notes: readonly Note[], refusal: HashRefusal | undefined): number {
    let node = this.#root;
    for (const { code } of notes) node = step(node, code);
    if (refusal !== undefined) node = step(step(node, refusal.algorithm), refusal.problem);
    if (node.number === 0 && node !== this.#root) {
      const codes = [...new Set<ReasonCode>(notes.map(({ code }) => code))];
      node.number = this.list.push({ codes, refusal });
    }
    return node.number;
  }
}

/** A node of the trie of combinations: the codes, then the refusal. */
interface RemarkNode {
  readonly next: Map<string, RemarkNode>;
  number: number;
}

function step({ next }: RemarkNode, word: string): RemarkNode {
  let node = next.get(word);
  if (node === undefined) next.set(word, (node = { next: new Map(), number: 0 }));
  return node;
}
