/**
 * Finds records of a run with a user name or id that an earlier record or a user at the target has, and decides what to do with
 * them. Takes 32 to 40 bytes a record in memory.
 */
import { hashText, type Key, keyIn, KeyTable, noKey } from '../../compact/key-table.ts';
import { fieldRules } from '../../lib/field-rules.ts';
import { cut, foldName } from '../../records/text.ts';
import { deriveId, type MachineRecord, reject } from '../../records/user.ts';
import type { Written } from '../records/check-record.ts';
import type { CheckedRecord } from '../records/read-record.ts';
import { type ConvertedBatch, row } from './batch.ts';

export type DuplicateRule = 'reject' | 'keep' | 'suffix';

/** What a record has in common with an earlier one. */
interface Clash {
  readonly place: number;
  readonly what: 'user name' | 'id';
  /** Number of the first record with it. */
  readonly first: number;
}

/** A user that already exists at the target. */
export interface KnownUser {
  readonly id: string;
  /** Absent if the user is gone and only the id stays taken. */
  readonly userName?: string;
}

/** Writes the hashes that identify duplicates into the row of a user. */
export function hashKeys(
  { userName, id }: Pick<MachineRecord, 'userName' | 'id'>,
  seed: number,
  words: Uint32Array,
) {
  if (userName !== '') hashText(foldName(userName), seed, words, row.name);
  if (id !== '') hashText(id, seed, words, row.id);
}

/** Adds a key. Returns the first entry with the same key, after which later ones are not found, or -1 if it is new. */
function addNew(table: KeyTable, key: Key) {
  const same = table.find(key);
  table.add(same === -1 ? key : noKey);
  return same;
}

export function createDuplicates(rule: DuplicateRule, seed: number, numbers: RecordNumbers) {
  /** Ids and names of the records so far, as the words of their rows. */
  const ids = new KeyTable();
  const names = new KeyTable();
  /** Number of users at the target, which come before all records. Of some, only the id is left. */
  let registered = 0;
  const gone = new Set<number>();
  /** Adds the next record. If its id was seen before, its name is not found later. */
  const add = (rows: Uint32Array, place: number): Clash | undefined => {
    const at = place * row.words;
    const sameId = addNew(ids, keyIn(rows, at + row.id));
    const sameName = addNew(names, sameId === -1 ? keyIn(rows, at + row.name) : noKey);
    if (sameId !== -1) return { place, what: 'id', first: sameId };
    return sameName === -1 ? undefined : { place, what: 'user name', first: sameName };
  };
  /** Gives the record that was added last, whose own name is not found, a free name. */
  const freeName = (userName: string) => {
    const words = new Uint32Array(row.words);
    for (let number = 2; ; number++) {
      const name = addSuffix(userName, number);
      hashKeys({ userName: name, id: '' }, seed, words);
      const key = keyIn(words, row.name);
      if (names.find(key) !== -1) continue;
      names.set(ids.size - 1, key);
      return name;
    }
  };
  return {
    /** Adds the name and the id of a user who already exists at the target. */
    register: ({ id, userName = '' }: KnownUser) => {
      const words = new Uint32Array(row.words);
      hashKeys({ id, userName }, seed, words);
      if (userName === '') gone.add(registered);
      add(words, 0);
      registered = ids.size;
    },
    /**
     * Adds the names and ids of the records from the index `from` on, up to the first one that was seen before, and returns
     * that one.
     */
    addUntilClash({ rows, count }: Pick<ConvertedBatch, 'rows' | 'count'>, from: number) {
      for (let place = from; place < count; place++) {
        const clash = add(rows, place);
        if (clash !== undefined) return clash;
      }
      return undefined;
    },
    /**
     * Applies the rule to such a record, which it may change. To be called before later records are added, because it may add a
     * new name.
     */
    resolve({ what: found, first }: Clash, record: Written): CheckedRecord {
      // An id that was made from the name is equal if the name is.
      const what = record.notes.some(({ code }) => code === 'id:derived') ? 'user name' : found;
      if (first < registered) {
        return gone.has(first)
          ? reject(record, 'target:id-taken')
          : reject(record, 'target:user-exists', `same ${what}`);
      }
      const { input, index } = numbers.find(first - registered);
      const detail = `same ${what} as record ${index + 1} of ${input}`;
      if (rule === 'keep') {
        record.notes.push({ code: 'duplicate:kept', detail });
        return record;
      }
      if (what === 'id') return reject(record, 'user-skipped:duplicate-id', detail);
      if (rule === 'reject') return reject(record, 'user-skipped:duplicate-username', detail);
      record.userName = freeName(record.userName);
      if (found === 'id') record.id = deriveId(record.id, record.userName);
      record.notes.push({ code: 'duplicate:renamed', detail: `${detail}; now ${record.userName}` });
      return record;
    },
  };
}

/** Adds the suffix before the `@` of a user name that is an address, else at its end. */
function addSuffix(userName: string, number: number) {
  const suffix = `-${number}`;
  const at = userName.lastIndexOf('@');
  const local = at > 0 ? userName.slice(0, at) : userName;
  const domain = at > 0 ? userName.slice(at) : '';
  return `${cut(local, fieldRules.userName.max - suffix.length - domain.length)}${suffix}${domain}`;
}

type RecordNumbers = ReturnType<typeof createRecordNumbers>;

/** Keeps one entry for each input. All records of an input are numbered before those of the next. */
export function createRecordNumbers() {
  let next = 0;
  const inputs: { readonly input: string; readonly start: number }[] = [];
  return {
    /** Number of the next record. */
    get next() {
      return next;
    },
    /** Numbers the next `count` records of `input`. Returns the index of the first of them in that input. */
    advance(input: string, count: number) {
      if (inputs.at(-1)?.input !== input) inputs.push({ input, start: next });
      const index = next - inputs.at(-1)!.start;
      next += count;
      return index;
    },
    find(ordinal: number) {
      const { input, start } = inputs.findLast((one) => one.start <= ordinal)!;
      return { input, index: ordinal - start };
    },
  };
}
