/**
 * Reads the users of an opened source one by one, each time in the same order and with the same numbers. Shards divide them among
 * processes: each user belongs to exactly one shard, in every process.
 */
import { openSpillFile } from '../../storage/spill-file.ts';
import type { TargetIds } from '../resources/create.ts';
import { createHash, randomInt } from 'node:crypto';
import type { Input } from '../../lib/input.ts';
import { reject, type Origin } from '../../records/user.ts';
import { BrokenRecord } from '../../sources/raw-record.ts';
import { parseBatch, quoteBatch } from '../../sources/elements.ts';
import type { BodyContext } from '../../sources/body.ts';
import { loadProvider, type ProviderName } from '../../sources/index.ts';
import type { Notify } from '../../notice.ts';
import type { Companions, RawBatch } from '../../sources/source.ts';
import { row } from '../convert/batch.ts';
import type { HashPolicy } from './check-record.ts';
import { createDuplicates, createRecordNumbers, hashKeys } from '../convert/duplicates.ts';
import { createReadMeter } from './read-meter.ts';
import { type CheckedRecord, createRecordReader } from './read-record.ts';
import type { OrgSettings } from '../orgs/choose-org.ts';
import type { OwnedEntries } from './owned-entries.ts';
import { UsageError } from '../../errors.ts';

/** Input of a provider, and how to read it. */
export interface OpenedSource {
  readonly provider: ProviderName;
  /** Options of the provider, which only its own folder knows. Its `readOptions` creates them. */
  readonly options: object;
  readonly inputs: readonly Input[];
  readonly companions: Companions;
  /** Flag that names the running system from which the source is read. Another run may read something else. */
  readonly live?: string;
}

/** Returns the policy with another rule for refused hashes if the source is a body, whose users were already converted. */
export const withBodyRule = (
  { provider }: OpenedSource,
  policy: HashPolicy,
  onRefusedHash: HashPolicy['onRefusedHash'],
) => (provider === 'body' ? { ...policy, onRefusedHash } : policy);

export const filesOf = ({ inputs, companions }: OpenedSource) => [
  ...inputs,
  ...Object.values(companions).flat(),
];

export interface UserSource extends OpenedSource {
  readonly policy: HashPolicy;
  /**
   * What to do with the second user with a user name. `keep` leaves it to the service. The second user with an id is always
   * rejected.
   */
  readonly duplicates: 'reject' | 'keep';
  /** Entries of a body to join with its users. */
  readonly owned?: OwnedEntries | undefined;
  /** Set if users go to several organizations. A body names them itself. */
  readonly orgs?: OrgSettings | undefined;
}

export interface SourceUser {
  readonly record: CheckedRecord;
  /** Number over all inputs, from 0. */
  readonly number: number;
  /**
   * Returns the record of the source, for the rejects file and nothing else. For a body, an organization with this user alone.
   * `ids` has ids at the target by those of the source.
   */
  readonly raw: (ids: TargetIds) => unknown;
}

interface ReadUsersOptions {
  readonly notify?: Notify;
  /** Is called with every block of every input. */
  readonly onBytes?: (block: Uint8Array) => void;
}

/** Number of a batch's first record over all inputs, and its index in its own input. */
interface BatchStart {
  readonly number: number;
  readonly index: number;
  /** Quotes a record of the batch. */
  readonly quote: ReturnType<typeof quoteBatch>;
}

/** Throws `InputError` for an input that cannot be read to its end. */
export async function* readUsers(
  source: UserSource,
  { notify = () => undefined, onBytes }: ReadUsersOptions = {},
): AsyncGenerator<SourceUser> {
  const provider = await loadProvider(source.provider);
  const reader = provider.reader(source.options);
  const readRecord = createRecordReader(reader, source, provider);
  const places = createRecordNumbers();
  const seed = randomInt(2 ** 32);
  const duplicates = createDuplicates('reject', seed, places);
  const rows = new Uint32Array(row.words);
  const claim = (record: CheckedRecord) => {
    rows.fill(0);
    // Ids are checked under any rule: the service lets a service account take a user's id, and both would become one.
    if (record.kind !== 'rejected') {
      const { id, userName, names } = record;
      hashKeys({ id, userName: source.duplicates === 'keep' ? '' : userName, names }, seed, rows);
    }
    const clash = duplicates.addUntilClash({ rows, count: 1 }, 0);
    if (clash === undefined || record.kind === 'rejected') return record;
    const isDerived = record.notes.some(({ code }) => code === 'id:derived');
    const { code, detail } = duplicates.explain(clash, isDerived);
    return reject(record, code, detail);
  };
  const readUser = (batch: RawBatch, at: number, raw: unknown, start: BatchStart): SourceUser => {
    const origin: Origin = { input: batch.input, index: start.index + at, id: '' };
    const number = start.number + at;
    const record = claim(readRecord(raw, origin, batch.context, at));
    return {
      record,
      number,
      raw(ids) {
        const value = start.quote(at);
        if (source.provider !== 'body') return value;
        const { list, orgId, about } = batch.context as BodyContext;
        return { orgId, ...about, [list]: [value], ...source.owned?.entriesOf(record.origin.id, orgId, ids) };
      },
    };
  };
  const { scan } = createReadMeter((block) => onBytes?.(block));
  for await (const batch of scan(provider, source, notify)) {
    const values = [...parseBatch(batch)];
    const number = places.next;
    const start = { number, index: places.advance(batch.input, values.length), quote: quoteBatch(batch) };
    for (const [at, raw] of values.entries()) yield readUser(batch, at, raw, start);
  }
}

/** Yields the records as the source has them, without joining or checking anything. Throws `InputError`. */
export async function* readRaw({ provider: name, options, inputs, companions }: OpenedSource) {
  const provider = await loadProvider(name);
  const read = provider.reader(options);
  for await (const batch of provider.scan(inputs, options, () => {}, { companions, openSpillFile })) {
    const { input, context } = batch;
    for (const [at, raw] of [...parseBatch(batch)].entries()) {
      const origin = { input, index: at, id: '' };
      const isBroken = raw instanceof BrokenRecord;
      yield { raw, context, record: isBroken ? raw.reject(origin) : read(raw, origin, context, at) };
    }
  }
}

/** Shows whether two readings saw the same bytes. */
export function createInputHash() {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    add(block: Uint8Array) {
      hash.update(block);
      bytes += block.length;
    },
    finish: () => ({ bytes, sha256: hash.digest('hex') }),
  };
}

/** One of `count` parts, from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Returns the shard as it is typed. */
export const formatShard = ({ index, count }: Shard) => `${index}/${count}`;

/** Returns the error for a file that is not of the same run as the files of the other shards. */
export const notOfRun = (file: string, what: string) =>
  new UsageError(`${file} ${what}`, 'Give the files of all shards of one run.');

/** Throws `UsageError` for the file of another shard, or of a whole run, which names none. */
export function checkShard(file: string, found: string | undefined, shard: Shard) {
  const expected = formatShard(shard);
  if (found === expected) return;
  throw notOfRun(
    file,
    `is of ${found === undefined ? 'a whole run' : `shard ${found}`}, not of shard ${expected}`,
  );
}

/** Decides by the first 48 bits of the SHA-256 of `key`. Without a shard, everything is in. */
export function isInShard(shard: Shard | undefined, key: string) {
  if (shard === undefined) return true;
  const number = createHash('sha256').update(key).digest().readUIntBE(0, 6);
  return number % shard.count === shard.index - 1;
}

/** Decides by the user's id in the source, else its user name. A record without either goes by its number. */
export function isUserInShard(shard: Shard | undefined, { number, record }: SourceUser) {
  const key = record.kind === 'rejected' ? record.origin.id : record.id || record.userName;
  return shard === undefined || isInShard(shard, key || String(number));
}
