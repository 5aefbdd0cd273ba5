/** Reads the users of an opened source one by one: each time in the same order and with the same numbers. */
import { createHash } from 'node:crypto';
import { openSpillFile } from '../../storage/spill-file.ts';
import { createTextMarks } from '../../storage/text-marks.ts';
import type { Input } from '../../lib/input.ts';
import { reject } from '../../records/build-user.ts';
import type { MachineRecord, Origin, Rejected, UserRecord } from '../../records/user.ts';
import { BrokenRecord } from '../../sources/broken-record.ts';
import { parseBatch } from '../../sources/elements.ts';
import { loadProvider, type ProviderName, type ProviderOptions } from '../../sources/index.ts';
import type { Companions, Notice, RawBatch } from '../../sources/source.ts';
import type { TargetOrg } from '../../records/organization.ts';
import type { HashPolicy } from '../convert/check-record.ts';
import { createRecordReader, type RecordRead } from '../convert/read-record.ts';
import type { OrgSettings } from '../orgs/choose-org.ts';
import type { OwnedEntries } from './owned-entries.ts';
import { createRecordNumbers } from '../convert/record-numbers.ts';

/** Input of a provider, and how to read it. */
export interface OpenedSource {
  readonly provider: ProviderName;
  readonly options: ProviderOptions[ProviderName];
  readonly inputs: readonly Input[];
  readonly companions: Companions;
}

export interface UserSource extends OpenedSource {
  readonly policy: HashPolicy;
  /** What becomes of the second user with a user name or id; `keep` leaves it to the service. */
  readonly duplicates: 'reject' | 'keep';
  /** Of a body: joined with its users. */
  readonly owned?: OwnedEntries | undefined;
  /** Where users go to several organizations; a body says it itself. */
  readonly orgs?: OrgSettings | undefined;
}

export interface SourceUser extends Omit<RecordRead, 'placement'> {
  /** Over all inputs, from 0. */
  readonly number: number;
  /** Where the source does not say it itself. */
  readonly org?: TargetOrg | undefined;
  /** The record of the source, for the rejects file and nothing else. */
  readonly raw: unknown;
}

export interface ReadUsersOptions {
  readonly notify?: (notice: Notice) => void;
  /** Called with every block of every input. */
  readonly onBytes?: (block: Uint8Array) => void;
}

/** Of the first record of a batch: its number over all inputs, and its index in its own. */
interface BatchStart {
  readonly number: number;
  readonly index: number;
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
  const keys = createKeys(source.duplicates === 'reject');
  const watch = (input: Input): Input => (onBytes === undefined ? input : withListener(input, onBytes));
  const companions = Object.fromEntries(
    Object.entries(source.companions).map(([flag, inputs]) => [flag, inputs.map(watch)]),
  );
  const readUser = (batch: RawBatch, at: number, raw: unknown, start: BatchStart): SourceUser => {
    const origin: Origin = { input: batch.input, index: start.index + at, id: '' };
    const number = start.number + at;
    const { placement, ...read } = readRecord(raw, origin, batch.context, at);
    const clash = read.record.kind === 'rejected' ? undefined : keys.claim(read.record, number);
    const record =
      clash === undefined ? read.record : rejectDuplicate(read.record, clash.what, places.find(clash.first));
    const source = raw instanceof BrokenRecord ? (raw.broken.text ?? '') : raw;
    return { ...read, record, number, org: placement?.org, raw: source };
  };
  try {
    const batches = provider.scan(source.inputs.map(watch), source.options, notify, {
      companions,
      openSpillFile,
    });
    for await (const batch of batches) {
      const values = [...parseBatch(batch)];
      const start = { number: places.next, index: places.advance(batch.input, values.length) };
      for (const [at, raw] of values.entries()) yield readUser(batch, at, raw, start);
    }
  } finally {
    keys.close();
  }
}

/** Tells whether two readings saw the same bytes. */
export function createInputHash(): {
  add(block: Uint8Array): void;
  finish(): { bytes: number; sha256: string };
} {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    add(block) {
      hash.update(block);
      bytes += block.length;
    },
    finish: () => ({ bytes, sha256: hash.digest('hex') }),
  };
}

type Key = 'id' | 'user name';

/** The target compares user names without regard to case. As in a body, the id of a record counts before its name. */
function createKeys(watchNames: boolean) {
  const seen = createTextMarks();
  return {
    /** The number of the first record with the same key. */
    claim(
      { id, userName }: UserRecord | MachineRecord,
      number: number,
    ): { what: Key; first: number } | undefined {
      // Whatever the rule: the service takes a service account under the id of a user, and both would be one.
      const sameId = id === '' ? -1 : seen.add(`id ${id}`, number);
      if (sameId !== -1) return { what: 'id', first: sameId };
      if (!watchNames) return undefined;
      const sameName = seen.add(`name ${userName.trim().toLowerCase()}`, number);
      return sameName === -1 ? undefined : { what: 'user name', first: sameName };
    },
    close: () => seen.close(),
  };
}

function rejectDuplicate(
  record: UserRecord | MachineRecord | Rejected,
  what: Key,
  first: { input: string; index: number },
): Rejected {
  const code = what === 'id' ? 'user-skipped:duplicate-id' : 'user-skipped:duplicate-username';
  return reject(record, code, `same ${what} as record ${first.index} of ${first.input}`);
}

function withListener(input: Input, onBytes: (block: Uint8Array) => void): Input {
  return {
    name: input.name,
    size: input.size,
    repeatable: input.repeatable,
    taken: () => input.taken(),
    async *blocks(rewrite) {
      for await (const block of input.blocks(rewrite)) {
        onBytes(block);
        yield block;
      }
    },
  };
}
