/** An opened source in, its people one by one out, each time in the same order and with the same numbers. */
import { createHash, randomInt } from 'node:crypto';
import { createFingerprints } from '../../lib/fingerprints.ts';
import { hashText } from '../../lib/hash-text.ts';
import type { Input } from '../../lib/input.ts';
import { reject } from '../../records/person.ts';
import type { MachineRecord, Origin, ReadResult, Rejected, UserRecord } from '../../records/user.ts';
import { BrokenRecord, isUnread, parseBatch } from '../../sources/elements.ts';
import { loadProvider, type ProviderName, type ProviderOptions } from '../../sources/index.ts';
import type { Companions, Notice, RawBatch } from '../../sources/source.ts';
import { openShelf } from '../../storage/shelf.ts';
import type { HashRefusal } from '../batch.ts';
import { judgeRecord, type HashPolicy } from '../judge-record.ts';
import { createPlaces } from '../places.ts';

export interface PeopleSource {
  readonly provider: ProviderName;
  readonly options: ProviderOptions[ProviderName];
  readonly inputs: readonly Input[];
  readonly companions: Companions;
  readonly policy: HashPolicy;
  /** What becomes of the second one with a user name; `keep` leaves it to the service. */
  readonly duplicates: 'reject' | 'keep';
}

export interface Person {
  /** Over all inputs, from 0. */
  readonly number: number;
  readonly record: UserRecord | MachineRecord | Rejected;
  /** Why the target would not take the hash of the source. */
  readonly refusal: HashRefusal | undefined;
  readonly family: string;
  /** As the source has it; for the rejects file and nothing else. */
  readonly raw: unknown;
}

export interface ReadPeopleOptions {
  readonly notify: (notice: Notice) => void;
  /** Told every block of every input. */
  readonly onBytes?: (block: Uint8Array) => void;
}

/** Throws `InputError` for an input that cannot be read to its end. */
export async function* readPeople(source: PeopleSource, options: ReadPeopleOptions): AsyncGenerator<Person> {
  for await (const batch of readInBatches(source, options)) yield* batch;
}

/** As `readPeople`, without a promise a person: each batch has to be taken to its end before the next one. */
export async function* readInBatches(
  source: PeopleSource,
  { notify, onBytes }: ReadPeopleOptions,
): AsyncGenerator<Iterable<Person>> {
  const provider = await loadProvider(source.provider);
  const reader = provider.reader(source.options);
  const places = createPlaces();
  const names = createNames(source.duplicates === 'reject');
  const watch = (input: Input): Input => (onBytes === undefined ? input : listenTo(input, onBytes));
  const companions = Object.fromEntries(
    Object.entries(source.companions).map(([flag, inputs]) => [flag, inputs.map(watch)]),
  );
  const read = (batch: RawBatch, place: number, raw: unknown, first: number, firstIndex: number): Person => {
    const origin: Origin = { input: batch.input, index: firstIndex + place, id: '' };
    const number = first + place;
    const broken = raw instanceof BrokenRecord;
    const found = broken
      ? reject({ origin }, 'record:not-json', raw.problem)
      : withIndex(reader(raw, origin, batch.context, place), origin.index);
    const judged =
      found.kind === 'human'
        ? judgeRecord(found, source.policy)
        : { record: found, family: 'none', refusal: undefined };
    const earlier = judged.record.kind === 'rejected' ? -1 : names.claim(judged.record.userName, number);
    const record = earlier === -1 ? judged.record : rejectDouble(judged.record, places.find(earlier));
    return { number, record, refusal: judged.refusal, family: judged.family, raw: broken ? raw.text : raw };
  };
  function* readBatch(batch: RawBatch): Generator<Person> {
    const values = parseBatch(batch);
    const first = places.next;
    const firstIndex = places.advance(batch.input, values.length);
    for (let place = 0; place < values.length; place++) {
      yield read(batch, place, values[place], first, firstIndex);
    }
  }
  try {
    for await (const batch of provider.scan(source.inputs.map(watch), source.options, notify, {
      companions,
    })) {
      if (isUnread(batch)) throw new Error('a batch was handed out unread, and nobody had asked for it');
      yield readBatch(batch);
    }
  } finally {
    names.close();
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

/** The target compares user names without regard to case. */
function createNames(watch: boolean): { claim(name: string, number: number): number; close(): void } {
  const names = createFingerprints({ openShelf });
  const words = new Uint32Array(2);
  const seed = randomInt(2 ** 32);
  return {
    claim(name, number) {
      if (!watch) return -1;
      hashText(name.trim().toLowerCase(), seed, words, 0);
      return names.claim(words[0]!, words[1]!, number);
    },
    close: () => names.close(),
  };
}

function rejectDouble(
  record: UserRecord | MachineRecord | Rejected,
  first: { input: string; index: number },
): Rejected {
  const text = `same user name as record ${first.index} of ${first.input}`;
  return reject(record, 'user-skipped:duplicate-username', text);
}

function listenTo(input: Input, onBytes: (block: Uint8Array) => void): Input {
  return {
    name: input.name,
    size: input.size,
    repeatable: input.repeatable,
    taken: () => input.taken(),
    async *blocks() {
      for await (const block of input.blocks()) {
        onBytes(block);
        yield block;
      }
    },
  };
}
