/**
 * Converts a batch of raw records into their part of the import body: read, check, encode. Runs on every thread and knows nothing
 * of other batches.
 */
import { JsonWriter } from '../../json/writer.ts';
import { indexIn } from '../../lib/group-by.ts';
import { messagesOf } from '../../records/messages.ts';
import type { TargetOrg } from '../../records/resource.ts';
import { countRefusal, countWritten, emptyTally } from '../../records/tally.ts';
import type { Rejected, UserRecord } from '../../records/user.ts';
import { parseBatch, buffersOf } from '../../sources/elements.ts';
import type { RawBatch } from '../../sources/source.ts';
import {
  encodeMachineUser,
  encodeMetadata,
  measureMachineUser,
  measureMetadata,
  writeHumanUser,
} from '../../targets/human-user.ts';
import { type BatchCounts, type ConvertedBatch, type RecordDetail, row } from './batch.ts';
import { hashKeys } from './duplicates.ts';
import { countOnlyBulk, countWays, noWays } from './forecast.ts';
import { createGrantEncoder, type GrantEncoder } from '../roles/choose-roles.ts';
import { encodeListedUser } from '../jit/user-list.ts';
import { traitsOf, type Verdict, type Written } from '../records/check-record.ts';
import { hashPassword } from './hash-plaintext.ts';
import type { Placement } from '../records/place-record.ts';
import {
  type CheckedRecord,
  createRecordReader,
  type RecordReader,
  type RecordSettings,
} from '../records/read-record.ts';
import { moduleUrl } from '../../workers/job.ts';
import type { WorkerPool } from '../../workers/pool.ts';
import { loadProvider, type ProviderName } from '../../sources/index.ts';

/** What a worker needs to convert batches. Can be cloned to threads. */
export interface ConvertSettings extends RecordSettings {
  readonly provider: ProviderName;
  readonly options: object;
  /** Replaces plain passwords by bcrypt hashes. A check does not. */
  readonly hashPlain: boolean;
  /** The same for all threads of a run, so that equal names give equal hashes. */
  readonly seed: number;
  /** Whether the notes of each record are needed, not only their counts. */
  readonly wantsNotes: boolean;
  /** Whether recipients of messages are needed, not only their number. */
  readonly wantsRecipients?: boolean;
}

export async function startJob(options: ConvertSettings) {
  const provider = await loadProvider(options.provider);
  const openReader = () => createRecordReader(provider.reader(options.options), options, provider);
  const [read, again] = [openReader(), openReader()];
  const encodeGrant = createGrantEncoder(options.roles ?? { projectId: '', owner: '' });
  const convert = async (input: string, records: Iterable<CheckedRecord>): Promise<ConvertedBatch> => {
    const part = createPart(options, encodeGrant);
    for (const record of records) {
      // Only hashing is asynchronous: awaiting every record would be slow.
      if (options.hashPlain && record.kind === 'human' && record.plainPassword !== '') {
        record.passwordHash = await hashPassword(record.plainPassword);
        record.plainPassword = '';
      }
      part.add(record);
    }
    const { rows, body, counts, orgs, details } = part;
    return {
      input,
      count: rows.length / row.words,
      body: body.toBytes(),
      rows: Uint32Array.from(rows),
      counts,
      orgs: orgs.size === 0 ? '' : JSON.stringify([...orgs.keys()]),
      details,
    };
  };
  return {
    work: (batch: RawBatch) => convert(batch.input, readAll(batch, read)),
    /** Returns the records of a batch as they were before they were converted. A reader of its own knows nothing of other batches. */
    readAgain: (batch: RawBatch) => [...readAll(batch, again)],
    convertOne: (record: CheckedRecord) => convert(record.origin.input, [record]),
    buffersOfTask: ({ elements }: RawBatch) => buffersOf(elements),
    buffersOfResult: ({ body }: ConvertedBatch) => [body.buffer],
  };
}

export type ConvertJob = Awaited<ReturnType<typeof startJob>>;

function* readAll(batch: RawBatch, read: RecordReader) {
  const { input, context } = batch;
  let index = 0;
  for (const value of parseBatch(batch)) {
    yield read(value, { input, index, id: '' }, context, index);
    index += 1;
  }
}

const noCounts = (): BatchCounts => ({ tally: emptyTally(), ways: noWays() });

function countRecord({ tally, ways }: BatchCounts, record: Written) {
  countWritten(tally, traitsOf(record), record.notes);
  tally.metadata += record.metadata.length;
  countWays(ways, record);
}

/** Returns what one record has added to the counts of its batch. */
export function countsOf(record: Written) {
  const counts = noCounts();
  countRecord(counts, record);
  return counts;
}

type Grants = NonNullable<RecordDetail['grants']>;

const noGrants: Grants = [];

/** Returns about the size as protobuf, in bytes. */
const sizeOf = (grants: Grants) => grants.reduce((sum, { element }) => sum + element.length, 0);

/** Writes the user. Returns the bytes that the user and its metadata add to a request. */
const measureHuman = (out: JsonWriter, user: UserRecord) => writeHumanUser(out, user) + measureMetadata(user);

/** A batch under construction. */
function createPart(
  { roles, seed, wantsNotes, wantsRecipients = false, policy }: ConvertSettings,
  encodeGrant: GrantEncoder,
) {
  const body = new JsonWriter();
  const rows: number[] = [];
  /** Row of the record that is added. */
  const words = new Uint32Array(row.words);
  const details: RecordDetail[] = [];
  const counts = noCounts();
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
  const addWritten = (record: Written, grants: Grants) => {
    countRecord(counts, record);
    words[row.calls] = callsOf(record, grants);
    hashKeys(record, seed, words);
    const place = rows.length / row.words;
    if (record.kind === 'machine') {
      words[row.size] = measureMachineUser(record) + measureMetadata(record) + sizeOf(grants);
      details.push({ ...detailOf(place, record, grants), machine: `,${encodeMachineUser(record)}` });
      return;
    }
    const { id, notes, metadata, email, phone, signIn = 'password', atFirstLogin } = record;
    body.put(',');
    words[row.size] = measureHuman(body, record) + sizeOf(grants);
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
  const addRejected = ({ refusal, inBulk, ...rejected }: Rejected & Verdict) => {
    if (refusal !== undefined) countRefusal(counts.tally.refusals, refusal);
    if (inBulk !== undefined) {
      words[row.size] = measureHuman(new JsonWriter(), inBulk);
      countOnlyBulk(counts.ways, inBulk.prospects!);
    }
    const { origin, userName, email, code, detail } = rejected;
    const place = rows.length / row.words;
    details.push({ place, id: origin.id, userName, email, notes: [], rejected: { code, detail } });
  };
  return {
    body,
    rows,
    counts,
    details,
    orgs,
    /** Records must be added in their order. */
    add(record: CheckedRecord) {
      words.fill(0);
      const { placement = {} } = record;
      if (placement.org !== undefined) words[row.org] = indexIn(orgs, placement.org);
      const nextDetail = details.length;
      if (record.kind === 'rejected') addRejected(record);
      else addWritten(record, grantsOf(record.id, placement));
      words[row.end] = body.length;
      rows.push(...words);
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
    ...(metadata.length > 0 && { metadata: `,${encodeMetadata(record)}` }),
  };
}

/**
 * Returns the calls of `import-users`: one creates the whole user, others set the state and the grants. It sends no user that
 * only the bulk import accepts.
 */
const callsOf = ({ state, prospects }: Written, grants: Grants) =>
  prospects?.onlyBulk === true ? 0 : 1 + (state === 'active' ? 0 : 1) + grants.length;

/** Converts batches on the threads of a pool, in order. */
export const convertBatches = (
  batches: AsyncIterable<RawBatch>,
  settings: ConvertSettings,
  job: ConvertJob,
  pool: WorkerPool,
) => pool.run(batches, { module: moduleUrl(import.meta.url, 'convert-batch'), settings, job });
