/**
 * Converts a batch of raw records into their part of the import body: read, check, encode. Runs on every thread and knows nothing
 * of other batches.
 */
import { randomUUID } from 'node:crypto';
import { JsonWriter } from '../../json/writer.ts';
import { indexIn } from '../../lib/group-by.ts';
import { messagesOf } from '../../records/messages.ts';
import type { TargetOrg } from '../../records/resource.ts';
import { isPlain, type Rejected, type UserRecord } from '../../records/user.ts';
import { parseBatch, buffersOf } from '../../sources/elements.ts';
import type { RawBatch, Reader } from '../../sources/source.ts';
import {
  encodeMachineUser,
  encodeMetadata,
  measureMachineUser,
  measureMetadata,
  writeHumanUser,
} from '../../targets/human-user.ts';
import { type ConvertedBatch, type RecordDetail, row, RowList, type UserKind } from './batch.ts';
import { hashKeys } from './duplicates.ts';
import { createGrantEncoder, type GrantEncoder } from '../roles/choose-roles.ts';
import { encodeListedUser } from '../jit/user-list.ts';
import { keptId } from '../import-users/user-ids.ts';
import { type CheckedUser, traitsOf, type Verdict, type Written } from '../read/check-record.ts';
import { hashPassword } from './hash-plaintext.ts';
import type { Placement, RecordFinders } from '../read/place-record.ts';
import { type CheckedRecord, createRecordReader, type RecordSettings } from '../read/read-record.ts';
import { type Job, moduleUrl } from '../../workers/job.ts';
import type { WorkerPool } from '../../workers/pool.ts';
import { loadProvider, type ProviderName } from '../../sources/index.ts';

export interface BatchConverterOptions extends RecordSettings {
  /** Replaces plain passwords by bcrypt hashes. A check does not. */
  readonly hashPlain: boolean;
  /** The same for all threads of a run, so that equal names give equal hashes. */
  readonly seed: number;
  /** Whether the notes of each record are needed, not only their counts. */
  readonly wantsNotes: boolean;
  /** Whether recipients of messages are needed, not only their number. */
  readonly wantsRecipients?: boolean;
}

export function createBatchConverter(
  reader: Reader<unknown>,
  options: BatchConverterOptions,
  finders: RecordFinders,
) {
  const read = createRecordReader(reader, options, finders);
  const encodeGrant = createGrantEncoder(options.roles ?? { projectId: '', owner: '' });
  const kinds = createKindNumbers();
  const converter = randomUUID();
  return async (batch: RawBatch): Promise<ConvertedBatch> => {
    const { input, context } = batch;
    const { firstKind, newKinds } = kinds.begin();
    const part = createPart(options, kinds.numberOf, encodeGrant);
    for (const value of parseBatch(batch)) {
      const index = part.rows.count;
      const record = read(value, { input, index, id: '' }, context, index);
      // Only hashing is asynchronous: awaiting every record would be slow.
      if (options.hashPlain && record.kind === 'human' && record.plainPassword !== '') {
        record.passwordHash = await hashPassword(record.plainPassword);
        record.plainPassword = '';
      }
      part.add(record);
    }
    return {
      input,
      count: part.rows.count,
      body: part.body.toBytes(),
      rows: part.rows.take(),
      converter,
      firstKind,
      newKinds,
      orgs: part.orgs.size === 0 ? '' : JSON.stringify([...part.orgs.keys()]),
      details: part.details,
    };
  };
}

type Grants = NonNullable<RecordDetail['grants']>;

const noGrants: Grants = [];

/** Returns about the size as protobuf, in bytes. */
const sizeOf = (grants: Grants) => grants.reduce((sum, { element }) => sum + element.length, 0);

/** Writes the user. Returns the bytes that the user and its metadata add to a request. */
const measureHuman = (out: JsonWriter, user: UserRecord) => writeHumanUser(out, user) + measureMetadata(user);

/** A batch under construction. `kindOf` numbers the kind of a record. */
function createPart(
  { roles, seed, wantsNotes, wantsRecipients = false, policy }: BatchConverterOptions,
  kindOf: (record: Written) => number,
  encodeGrant: GrantEncoder,
) {
  const body = new JsonWriter();
  const rows = new RowList();
  const details: RecordDetail[] = [];
  /** Indexes by organization. A chooser returns the same object for the same organization. */
  const orgs = new Map<TargetOrg, number>();
  const grantsOf = (id: string, { org, granted = [], roleKeys = [] }: Placement) => {
    if (roles === undefined) return noGrants;
    return [
      ...(roleKeys.length === 0
        ? []
        : [{ element: `,${encodeGrant(id, org?.orgId ?? roles.owner, roleKeys)}`, roleKeys }]),
      ...granted.map((further) => ({
        element: `,${encodeGrant(id, further.org.orgId, further.keys)}`,
        roleKeys: further.keys,
        org: indexIn(orgs, further.org),
      })),
    ];
  };
  const addWritten = (at: number, record: Written, grants: Grants) => {
    const { words } = rows;
    words[at + row.kind] = kindOf(record);
    hashKeys(record, seed, words, at);
    const place = rows.count - 1;
    if (record.kind === 'machine') {
      words[at + row.size] = measureMachineUser(record) + measureMetadata(record) + sizeOf(grants);
      details.push({ ...detailOf(place, record, grants), machine: `,${encodeMachineUser(record)}` });
      return;
    }
    const { id, notes, metadata, email, phone, signIn = 'password', atFirstLogin } = record;
    body.put(',');
    words[at + row.size] = measureHuman(body, record) + sizeOf(grants);
    const messages = wantsRecipients ? messagesOf(record, policy.route) : undefined;
    const isRecipient = messages !== undefined && (messages.email !== 'none' || messages.sms);
    const isNoted = wantsNotes && (notes.length > 0 || signIn !== 'password');
    if (!isRecipient && !isNoted && metadata.length + grants.length === 0 && atFirstLogin === undefined)
      return;
    details.push({
      ...detailOf(place, record, grants),
      email,
      signIn,
      ...(isRecipient && { recipient: { id, phone, messages } }),
      ...(atFirstLogin && { atFirstLogin: encodeListedUser({ ...record, ...atFirstLogin }) }),
    });
  };
  return {
    body,
    rows,
    details,
    orgs,
    /** Records must be added in their order. */
    add(record: CheckedRecord) {
      const at = rows.add();
      const { placement = {} } = record;
      if (placement.org !== undefined) rows.words[at + row.org] = indexIn(orgs, placement.org);
      const nextDetail = details.length;
      if (record.kind === 'rejected') details.push(rejectedDetail(rows.count - 1, record));
      else addWritten(at, record, grantsOf(record.id, placement));
      rows.words[at + row.end] = body.length;
      const detail = details[nextDetail];
      if (detail !== undefined && record.orgId !== undefined) detail.orgId = record.orgId;
    },
  };
}

function detailOf(place: number, record: Written, grants: Grants): RecordDetail {
  const { origin, userName, notes, metadata } = record;
  return {
    place,
    id: origin.id,
    userName,
    email: '',
    notes,
    ...(grants.length > 0 && { grants }),
    ...(metadata.length > 0 && { metadata: `,${encodeMetadata(record)}`, metadataCount: metadata.length }),
  };
}

function rejectedDetail(
  place: number,
  { origin, userName, email, code, detail, refusal, inBulk }: Rejected & Verdict,
): RecordDetail {
  return {
    place,
    id: origin.id,
    userName,
    email,
    notes: [],
    rejected: { code, detail },
    refusal,
    inBulk: inBulk && { prospects: inBulk.prospects!, size: measureHuman(new JsonWriter(), inBulk) },
  };
}

/** Limit for kinds, because aliases come from inputs, which could contain any number of them. */
const mostKinds = 5000;

/**
 * Numbers the kinds across batches, because the next batch has mostly the same ones. Counting in each batch instead needs clashing
 * records to be read again, which took 1.5 times as long with 1 % duplicate names.
 */
function createKindNumbers() {
  const numbers = new Map<string, number>();
  /** A character for each text in keys, as long keys would take a twentieth of a conversion. */
  const marks = new Map<string, number>();
  let added: UserKind[] = [];
  const markOf = (text: string) => String.fromCharCode(indexIn(marks, text));
  return {
    /** Begins a batch. Returns the number of its first new kind, and the list to which its new kinds are added. */
    begin() {
      if (numbers.size > mostKinds) {
        numbers.clear();
        marks.clear();
      }
      added = [];
      return { firstKind: numbers.size + 1, newKinds: added };
    },
    numberOf: (record: Written) => {
      const { id } = record;
      // As `import-users` does by default.
      const newId = id !== '' && keptId({ keep: true, prefix: '' }, id) === undefined;
      const known = numbers.size;
      const index = indexIn(numbers, keyOf(record, newId, markOf));
      if (index === known) added.push({ ...traitsOf(record), newId, prospects: record.prospects });
      return index + 1;
    },
  };
}

type MarkOf = (text: string) => string;

/** Returns a key that is equal for all users of one kind. After the bits, a user has an algorithm, and a service account none. */
function keyOf(record: Written, newId: boolean, markOf: MarkOf) {
  const bits = (record.state === 'active' ? 0 : 1) + (newId ? 2 : 0);
  let key = record.kind === 'machine' ? markOf(`${bits}`) : humanKey(record, bits, markOf);
  for (const { code, detail = '' } of record.notes) {
    key += markOf(code);
    // Not marked, because one record may have more aliases than there are characters.
    if (code === 'idp:unmapped-alias') key += JSON.stringify(detail);
  }
  return key;
}

function humanKey(user: CheckedUser, state: number, markOf: MarkOf) {
  const { algorithm = '', otpSecret, links, prospects, refusal } = user;
  const { signIn, messages, onlyBulk } = prospects!;
  const bits =
    state +
    (isPlain(user) ? 4 : 0) +
    (otpSecret === '' ? 0 : 8) +
    (links.length === 0 ? 0 : 16) +
    (messages.sms ? 32 : 0) +
    (onlyBulk ? 64 : 0);
  const key = markOf(`${bits}`) + markOf(algorithm) + markOf(signIn) + markOf(messages.email);
  return refusal === undefined ? key : key + markOf(refusal.algorithm) + markOf(refusal.problem);
}

/** What a worker needs to convert batches. Can be cloned to threads. */
export interface ConvertSettings extends BatchConverterOptions {
  readonly provider: ProviderName;
  readonly options: object;
}

export async function startJob(settings: ConvertSettings): Promise<Job<RawBatch, ConvertedBatch>> {
  const provider = await loadProvider(settings.provider);
  return {
    work: createBatchConverter(provider.reader(settings.options), settings, provider),
    buffersOfTask: ({ elements }) => buffersOf(elements),
    buffersOfResult: ({ body, rows }) => [body.buffer, rows.buffer],
  };
}

/** Converts batches on the threads of a pool, in order. */
export async function* convertBatches(
  batches: AsyncIterable<RawBatch>,
  settings: ConvertSettings,
  pool: WorkerPool,
) {
  const module = moduleUrl(import.meta.url, 'convert-batch');
  yield* pool.run(batches, { module, settings, job: await startJob(settings) });
}
