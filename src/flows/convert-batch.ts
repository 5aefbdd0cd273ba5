/**
 * A batch of raw records in, their part of the import body and what is to be said of them out. The one function
 * that runs on every thread: read, judge, encode. It knows nothing of other batches.
 */
import { Room } from '../lib/batch-memory.ts';
import { JsonPieces } from '../lib/json-pieces.ts';
import { hashText } from '../lib/hash-text.ts';
import type { Copy } from '../lib/stencil-maker.ts';
import { written } from '../lib/stencils.ts';
import { forecastMail, forecastSms } from '../records/mail.ts';
import { reject } from '../records/person.ts';
import { reasons } from '../records/reasons.ts';
import type { MachineRecord, ReadResult, Rejected, UserRecord } from '../records/user.ts';
import { BrokenRecord, roomOf } from '../sources/elements.ts';
import type { RawBatch, Reader } from '../sources/source.ts';
import { encodeMachineUser, encodeMetadata, writeHumanUser } from '../targets/human-user.ts';
import { measureMachineUser, measureMetadata } from '../targets/human-user-size.ts';
import {
  type BatchNumbers,
  type ConvertedBatch,
  familyNumber,
  mailNumber,
  packFacts,
  type RecordDetail,
  startNumbers,
} from './batch.ts';
import { hashPlaintext } from './hash-plaintext.ts';
import { type HashPolicy, type Judged, judgeRecord } from './judge-record.ts';
import { createQuickReader, mergeBodies, type ShortCuts } from './quick-records.ts';

export interface BatchConverterOptions {
  readonly policy: HashPolicy;
  /** Passwords in plain text become bcrypt hashes; a check leaves them alone. */
  readonly hashPlain: boolean;
  /** The same for all threads of a run, so that equal names give equal hashes. */
  readonly seed: number;
}

export type BatchConverter = (batch: RawBatch) => Promise<ConvertedBatch>;

export function createBatchConverter(
  reader: Reader<unknown>,
  options: BatchConverterOptions,
  shortCuts: ShortCuts,
): BatchConverter {
  /** Used again; more than one only where batches wait for the hashing of passwords. */
  const bodies: JsonPieces[] = [];
  const readQuickly = createQuickReader(shortCuts, (context) => (value) => copy(value, context));
  return async (batch) => {
    const { input, context } = batch;
    const room = new Room(roomOf(batch.elements));
    const quick = readQuickly(batch, room);
    const { values } = quick;
    const body = bodies.pop() ?? new JsonPieces();
    const parts: Parts = { body, details: [], ...quick.numbers };
    for (let place = 0; place < values.length; place++) {
      const value = values[place];
      if (value === written) {
        const detail = quick.details.get(place);
        if (detail !== undefined) parts.details.push(detail);
      } else {
        const origin = { input, index: place, id: '' };
        let read: ReadResult =
          value instanceof BrokenRecord
            ? reject({ origin }, 'record:not-json', value.problem)
            : reader(value, origin, context, place);
        // Hashing is the one thing worth waiting for; everybody else goes straight on.
        if (options.hashPlain && read.kind === 'human' && read.plainPassword !== '')
          read = await hashPlaintext(read);
        addRecord(parts, place, read, options);
      }
      // Behind the slow ones so far, and the quick ones.
      parts.ends[place]! += body.length;
    }
    const { details, ends, sizes, facts, keys } = parts;
    const bytes = mergeBodies(quick, body.toBytes(room), room);
    body.clear();
    bodies.push(body);
    return { input, count: values.length, body: bytes, ends, sizes, facts, keys, details };
  };

  /** One person alone; what needs more than a few notes to be told is not for a stencil. */
  function copy(value: unknown, context: unknown): Copy | undefined {
    const user = reader(value, { input: '', index: 0, id: '' }, context, 0);
    if (user.kind !== 'human' || user.plainPassword !== '') return undefined;
    const parts: Parts = { body: new JsonPieces(), details: [], ...startNumbers(1) };
    addRecord(parts, 0, user, options);
    const { notes = [], id = user.origin.id, userName = user.userName, ...more } = parts.details[0] ?? {};
    if (user.origin.id !== user.id || userName !== user.userName || id !== user.id) return undefined;
    if (Object.keys(more).some((key) => key !== 'place')) return undefined;
    return {
      bytes: parts.body.toBytes(),
      size: parts.sizes[0]!,
      facts: parts.facts[0]!,
      name: user.userName,
      id: user.id,
      remarks: notes,
    };
  }
}

/** A batch while it grows. */
interface Parts extends BatchNumbers {
  readonly body: JsonPieces;
  readonly details: RecordDetail[];
}

/** Records come in the order of their places. */
function addRecord(parts: Parts, place: number, read: ReadResult, options: BatchConverterOptions): void {
  if (read.kind === 'rejected') addRejected(parts, place, read);
  else if (read.kind === 'machine') addMachine(parts, place, read, options.seed);
  else {
    const judged = judgeRecord(read, options.policy);
    if (judged.record.kind === 'human') addHuman(parts, place, judged.record, judged, options.seed);
    else addRejected(parts, place, judged.record, judged.refusal);
  }
}

function addHuman(parts: Parts, place: number, user: UserRecord, judged: Judged, seed: number): void {
  const { body } = parts;
  body.put(',');
  parts.sizes[place] = writeHumanUser(body, user) + measureMetadata(user);
  const noted = user.notes.length > 0;
  parts.facts[place] = packFacts({
    outcome: 'human',
    noted,
    mail: mailNumber(forecastMail(user)),
    sms: forecastSms(user),
    otp: user.otpSecret !== '',
    inactive: user.state === 'inactive',
    linked: user.links.length > 0,
    family: familyNumber(judged.family),
  });
  setKeys(parts, place, user, seed);
  if (!noted && user.metadata.length === 0) return;
  parts.details.push({
    place,
    id: user.origin.id,
    userName: user.userName,
    notes: user.notes,
    ...(judged.refusal === undefined ? {} : { refusals: [judged.refusal] }),
    ...(user.metadata.length === 0
      ? {}
      : { metadata: `,${encodeMetadata(user)}`, metadataCount: user.metadata.length }),
  });
}

function addMachine(parts: Parts, place: number, machine: MachineRecord, seed: number): void {
  parts.sizes[place] = measureMachineUser(machine);
  parts.facts[place] = packFacts({
    outcome: 'machine',
    noted: machine.notes.length > 0,
    mail: 0,
    sms: false,
    otp: false,
    inactive: machine.state === 'inactive',
    linked: false,
    family: 0,
  });
  setKeys(parts, place, machine, seed);
  const { origin, userName, notes } = machine;
  parts.details.push({ place, id: origin.id, userName, notes, machine: `,${encodeMachineUser(machine)}` });
}

function addRejected(
  parts: Parts,
  place: number,
  { origin, code, detail }: Rejected,
  refusal?: Judged['refusal'],
): void {
  const outcome = reasons[code].outcome === 'skipped' ? 'skipped' : 'rejected';
  parts.facts[place] = packFacts({
    outcome,
    noted: false,
    mail: 0,
    sms: false,
    otp: false,
    inactive: false,
    linked: false,
    family: 0,
  });
  parts.details.push({
    place,
    id: origin.id,
    userName: '',
    notes: [],
    rejected: { code, detail },
    ...(refusal === undefined ? {} : { refusals: [refusal] }),
  });
}

/** The target compares user names without regard to case, ids exactly. */
function setKeys(parts: Parts, place: number, record: UserRecord | MachineRecord, seed: number): void {
  hashText(record.userName.toLowerCase(), seed, parts.keys, place * 4);
  if (record.id !== '') hashText(record.id, seed, parts.keys, place * 4 + 2);
}
