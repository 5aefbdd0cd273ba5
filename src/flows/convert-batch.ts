/**
 * A batch of raw records in, their part of the import body and what is to be said of them out. The one function
 * that runs on every thread: read, judge, encode. It knows nothing of other batches.
 */
import type { Pick } from '../lib/json-pick.ts';
import { JsonPieces } from '../lib/json-pieces.ts';
import { hashText } from '../lib/hash-text.ts';
import { forecastMail, forecastSms } from '../records/mail.ts';
import { reject } from '../records/person.ts';
import { reasons } from '../records/reasons.ts';
import type { MachineRecord, ReadResult, Rejected, UserRecord } from '../records/user.ts';
import { BrokenRecord, parseBatch } from '../sources/elements.ts';
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
  pick?: Pick,
): BatchConverter {
  /** Used again; more than one only where batches wait for the hashing of passwords. */
  const bodies: JsonPieces[] = [];
  return async (batch) => {
    const { input, context } = batch;
    const values = parseBatch(batch, pick);
    const body = bodies.pop() ?? new JsonPieces();
    const parts = startParts(values.length, body);
    for (let place = 0; place < values.length; place++) {
      const value = values[place];
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
    const converted = finishParts(parts, input);
    body.clear();
    bodies.push(body);
    return converted;
  };
}

/** A batch while it grows. */
interface Parts extends BatchNumbers {
  readonly count: number;
  readonly body: JsonPieces;
  readonly details: RecordDetail[];
}

function startParts(count: number, body: JsonPieces): Parts {
  return { count, body, details: [], ...startNumbers(count) };
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
  parts.ends[place] = parts.body.length;
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

function finishParts(
  { count, body, details, ends, sizes, facts, keys }: Parts,
  input: string,
): ConvertedBatch {
  return { input, count, body: body.toBytes(), ends, sizes, facts, keys, details };
}
