/**
 * Finds records of a run with a user name or id that an earlier record or a user at the target has, and decides what
 * becomes of them. Takes about 50 bytes a record in memory.
 */
import { hashText } from '../../compact/hash-text.ts';
import { KeyTable, keyWords } from '../../compact/key-table.ts';
import { NumberList } from '../../compact/number-list.ts';
import { fieldRules } from '../../records/field-rules.ts';
import { cut, foldName } from '../../records/text.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { MachineRecord } from '../../records/user.ts';
import { type ConvertedBatch, type RecordDetail, row } from './batch.ts';
import type { RecordNumbers } from './record-numbers.ts';

export type DuplicateRule = 'reject' | 'keep' | 'suffix';

interface Duplicate {
  readonly detail: RecordDetail;
  /** An additional note, when the record is written. */
  readonly note?: ReasonCode;
  /** Replaces the record's element of `humanUsers`, if given; empty to remove it. */
  readonly element?: string;
}

/** What of a record was seen before. */
interface SeenBefore {
  readonly what: 'user name' | 'id';
  /** The running number of the first record with it. */
  readonly first: number;
}

interface Clash extends SeenBefore {
  readonly place: number;
}

/** A user that is at the target already. */
export interface KnownUser {
  readonly id: string;
  /** Absent if the user is gone and only the id stays taken. */
  readonly userName?: string;
}

/** Used instead of the number of a record, for a user at the target. */
const atTarget = 2 ** 32 - 2;
/** The same, for an id that is taken although no user has it. */
const takenId = 2 ** 32 - 3;
/** The last word of a key, so that an id differs from the user name with the same text. */
const nameKey = 1;
const idKey = 2;

/** Writes what duplicates are found by into the row of a user that begins at `at`. */
export function hashKeys(
  { userName, id }: Pick<MachineRecord, 'userName' | 'id'>,
  seed: number,
  words: Uint32Array,
  at = 0,
): void {
  if (userName !== '') hashText(foldName(userName), seed, words, at + row.name);
  if (id !== '') hashText(id, seed, words, at + row.id);
}

/** Why a record is left out, for the report. */
export function duplicateReason(
  what: SeenBefore['what'],
  { input, index }: ReturnType<RecordNumbers['find']>,
): { readonly code: ReasonCode; readonly detail: string } {
  return {
    code: what === 'id' ? 'user-skipped:duplicate-id' : 'user-skipped:duplicate-username',
    detail: `same ${what} as record ${index} of ${input}`,
  };
}

/** The names and ids of the records so far, by the words of their rows. */
export class SeenUsers {
  readonly #keys = new KeyTable();
  readonly #ordinals = new NumberList();
  readonly #key = new Uint32Array(keyWords);

  /** The ordinal of the first record with the same name; -1 for what is new and for none. */
  addName(rows: Uint32Array, at: number, ordinal: number): number {
    return this.#add(rows, at + row.name, nameKey, ordinal);
  }

  /** When the id was seen before, the name is not added. */
  add(rows: Uint32Array, at: number, ordinal: number): SeenBefore | undefined {
    const sameId = this.#add(rows, at + row.id, idKey, ordinal);
    if (sameId !== -1) return { what: 'id', first: sameId };
    const sameName = this.addName(rows, at, ordinal);
    return sameName === -1 ? undefined : { what: 'user name', first: sameName };
  }

  #add(rows: Uint32Array, at: number, kind: number, ordinal: number): number {
    const key = this.#key;
    key[0] = rows[at]!;
    key[1] = rows[at + 1]!;
    key[2] = kind;
    if (key[0] === 0 && key[1] === 0) return -1;
    const first = this.#keys.find(key, 0);
    if (first !== -1) return this.#ordinals.get(first)!;
    this.#keys.add(key, 0);
    this.#ordinals.push(ordinal);
    return -1;
  }
}

export class Duplicates {
  readonly #rule: DuplicateRule;
  readonly #seed: number;
  readonly #numbers: RecordNumbers;
  readonly #seen = new SeenUsers();

  constructor(rule: DuplicateRule, seed: number, numbers: RecordNumbers) {
    this.#rule = rule;
    this.#seed = seed;
    this.#numbers = numbers;
  }

  register({ id, userName = '' }: KnownUser): void {
    const words = new Uint32Array(row.words);
    hashKeys({ id, userName }, this.#seed, words);
    this.#seen.add(words, 0, userName === '' ? takenId : atTarget);
  }

  /**
   * Adds the names and ids of the records from the index `from` on, up to the first one that was seen before, and
   * returns that one. The first record of the batch has the running number `ordinal`.
   */
  addUntilClash({ rows, count }: ConvertedBatch, from: number, ordinal: number): Clash | undefined {
    for (let place = from; place < count; place++) {
      const before = this.#seen.add(rows, place * row.words, ordinal + place);
      if (before !== undefined) return { place, ...before };
    }
    return undefined;
  }

  /** Applies the rule to such a record. To be called before later records are added, because it may add a new name. */
  resolve(
    batch: ConvertedBatch,
    { place, what, first }: Clash,
    ordinal: number,
    known: RecordDetail | undefined,
  ): Duplicate {
    const detail = known ?? describe(batch, place);
    if (first === atTarget) return refuse(detail, 'target:user-exists', `same ${what}`);
    if (first === takenId) return refuse(detail, 'target:id-taken', '');
    const { code, detail: text } = duplicateReason(what, this.#numbers.find(first));
    if (this.#rule === 'keep') return withNote(detail, 'duplicate:kept', text);
    if (this.#rule !== 'suffix' || what === 'id') return refuse(detail, code, text);
    const userName = this.#freeName(detail.userName, ordinal + place);
    const renamed = withNote({ ...detail, userName }, 'duplicate:renamed', `${text}; now ${userName}`);
    if (detail.machine === undefined)
      return { ...renamed, element: setUserName(elementAt(batch, place), userName) };
    const machine = setUserName(detail.machine, userName);
    return { ...renamed, detail: { ...renamed.detail, machine } };
  }

  #freeName(userName: string, ordinal: number): string {
    const words = new Uint32Array(row.words);
    for (let number = 2; ; number++) {
      const name = addSuffix(userName, number);
      hashKeys({ userName: name, id: '' }, this.#seed, words);
      if (this.#seen.addName(words, 0, ordinal) === -1) return name;
    }
  }
}

function refuse({ place, id, userName, email }: RecordDetail, code: ReasonCode, text: string): Duplicate {
  const detail = { place, id, userName, email, notes: [], rejected: { code, detail: text } };
  return { element: '', detail };
}

/** Adds the suffix before the `@` of a user name that is an address, else at its end. */
function addSuffix(userName: string, number: number): string {
  const suffix = `-${number}`;
  const at = userName.lastIndexOf('@');
  const local = at > 0 ? userName.slice(0, at) : userName;
  const domain = at > 0 ? userName.slice(at) : '';
  return `${cut(local, fieldRules.userName.max - suffix.length - domain.length)}${suffix}${domain}`;
}

function withNote(detail: RecordDetail, note: ReasonCode, text: string): Duplicate {
  return { detail: { ...detail, notes: [...detail.notes, { code: note, detail: text }] }, note };
}

interface Element {
  readonly userId?: string;
  readonly user: { readonly userName: string; readonly email?: { readonly email: string } };
}

function elementAt(batch: ConvertedBatch, place: number): string {
  const at = place * row.words;
  const start = place === 0 ? 0 : batch.rows[at - row.words + row.end];
  return Buffer.from(batch.body.subarray(start, batch.rows[at + row.end])).toString('utf8');
}

/** Restores the detail of a record without notes, or in a run that does not list them, from its element in the body. */
function describe(batch: ConvertedBatch, place: number): RecordDetail {
  const { userId, user } = JSON.parse(elementAt(batch, place).slice(1)) as Element;
  const { userName, email } = user;
  return { place, id: userId ?? userName, userName, email: email?.email ?? '', notes: [] };
}

/** Replaces the user name in an element, which has a comma before it. */
function setUserName(element: string, userName: string): string {
  const parsed = JSON.parse(element.slice(1)) as Element;
  return `,${JSON.stringify({ ...parsed, user: { ...parsed.user, userName } })}`;
}
