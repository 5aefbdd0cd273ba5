/** Reads the users of an opened source one by one: each time in the same order and with the same numbers. */
import { createHash, randomInt } from 'node:crypto';
import { createSeenSet } from '../../compact/seen-set.ts';
import { hashText } from '../../compact/hash-text.ts';
import type { Input } from '../../lib/input.ts';
import type { SignInKind } from '../../records/sign-in.ts';
import { reject } from '../../records/user-draft.ts';
import type { MachineRecord, Origin, ReadResult, Rejected, UserRecord } from '../../records/user.ts';
import { BrokenRecord } from '../../sources/broken-record.ts';
import { parseBatch } from '../../sources/elements.ts';
import { loadProvider, type ProviderName, type ProviderOptions } from '../../sources/index.ts';
import type { Companions, Notice, RawBatch } from '../../sources/source.ts';
import { openSpillFile } from '../../storage/spill-file.ts';
import type { TargetOrg } from '../../records/organization.ts';
import type { HashRefusal } from '../convert/batch.ts';
import { checkRecord, type FirstLogin, type HashPolicy } from '../convert/check-record.ts';
import { realmOf } from '../convert/convert-batch.ts';
import { createPlacer } from '../convert/place-record.ts';
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

export interface SourceUser {
  /** Over all inputs, from 0. */
  readonly number: number;
  readonly record: UserRecord | MachineRecord | Rejected;
  /** Where the source does not say it itself. */
  readonly org?: TargetOrg | undefined;
  /** Why the target would refuse the hash of the source. */
  readonly refusal: HashRefusal | undefined;
  readonly algorithm: string;
  /** Of a user whose password is to be checked at the first login. */
  readonly atFirstLogin?: FirstLogin | undefined;
  readonly signIn?: SignInKind | undefined;
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
  const place = createPlacer(source, provider);
  const places = createRecordNumbers();
  const keys = createKeys(source.duplicates === 'reject');
  const watch = (input: Input): Input => (onBytes === undefined ? input : withListener(input, onBytes));
  const companions = Object.fromEntries(
    Object.entries(source.companions).map(([flag, inputs]) => [flag, inputs.map(watch)]),
  );
  const read = (batch: RawBatch, at: number, raw: unknown, start: BatchStart): SourceUser => {
    const origin: Origin = { input: batch.input, index: start.index + at, id: '' };
    const number = start.number + at;
    const broken = raw instanceof BrokenRecord;
    const found = broken
      ? raw.reject(origin)
      : withIndex(reader(raw, origin, batch.context, at), origin.index);
    const { record: placed = found, org } =
      found.kind === 'rejected' ? {} : place(raw, source.owned?.join(found) ?? found, realmOf(batch.context));
    const judged: Omit<SourceUser, 'number' | 'org' | 'raw'> =
      placed.kind === 'human'
        ? checkRecord(placed, source.policy)
        : { record: placed, algorithm: 'none', refusal: undefined };
    const clash = judged.record.kind === 'rejected' ? undefined : keys.claim(judged.record, number);
    const homed = org === undefined ? judged.record : { ...judged.record, orgId: org.orgId };
    const record = clash === undefined ? homed : rejectDuplicate(homed, clash.what, places.find(clash.first));
    return {
      number,
      record,
      org,
      refusal: judged.refusal,
      algorithm: judged.algorithm,
      atFirstLogin: judged.atFirstLogin,
      signIn: judged.signIn,
      raw: broken ? (raw.broken.text ?? '') : raw,
    };
  };
  try {
    const batches = provider.scan(source.inputs.map(watch), source.options, notify, {
      companions,
      openSpillFile,
    });
    for await (const batch of batches) {
      const values = [...parseBatch(batch)];
      const start = { number: places.next, index: places.advance(batch.input, values.length) };
      for (const [at, raw] of values.entries()) yield read(batch, at, raw, start);
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

function withIndex<Read extends ReadResult>(read: Read, index: number): Read {
  return read.origin.index === index ? read : { ...read, origin: { ...read.origin, index } };
}

type Key = 'id' | 'user name';

/** The target compares user names without regard to case. As in a body, the id of a record counts before its name. */
function createKeys(watch: boolean) {
  const seen = createSeenSet({ openSpillFile });
  const words = new Uint32Array(2);
  const seed = randomInt(2 ** 32);
  const add = (key: string, number: number): number => {
    hashText(key, seed, words, 0);
    return seen.add(words[0]!, words[1]!, number);
  };
  return {
    /** The number of the first record with the same key. */
    claim(
      { id, userName }: UserRecord | MachineRecord,
      number: number,
    ): { what: Key; first: number } | undefined {
      if (!watch) return undefined;
      const sameId = id === '' ? -1 : add(`id ${id}`, number);
      if (sameId !== -1) return { what: 'id', first: sameId };
      const sameName = add(`name ${userName.trim().toLowerCase()}`, number);
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
