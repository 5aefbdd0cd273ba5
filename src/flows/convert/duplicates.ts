/**
 * Finds records of a run with a user name or id that an earlier record or a user at the target has, and decides what
 * becomes of them. Takes about 10 bytes a record in memory, and 24 in a temporary file.
 */
import { SeenSet } from '../../compact/seen-set.ts';
import { hashText } from '../../compact/hash-text.ts';
import { fieldRules } from '../../records/field-rules.ts';
import { cut, foldName } from '../../records/text.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { MachineRecord, Note } from '../../records/user.ts';
import { openSpillFile } from '../../storage/spill-file.ts';
import { type ConvertedBatch, type RecordDetail, row } from './batch.ts';
import type { RecordNumbers, RecordPosition } from './record-numbers.ts';

export type DuplicateRule = 'reject' | 'keep' | 'suffix';

export interface Duplicate {
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
  /** Absent for an id that no user has any more, and that stays taken. */
  readonly userName?: string;
}

export interface Duplicates {
  register(user: KnownUser): void;
  /**
   * Adds the names and ids of the records from the index `from` on, up to the first one that was seen before, and
   * returns that one. The first record of the batch has the running number `ordinal`.
   */
  addUntilClash(batch: ConvertedBatch, from: number, ordinal: number): Clash | undefined;
  /** Applies the rule to such a record. To be called before later records are added, because it may add a new name. */
  resolve(batch: ConvertedBatch, clash: Clash, ordinal: number, detail: RecordDetail | undefined): Duplicate;
  /** Frees the memory; nothing can be added any more. Harmless when called again. */
  close(): void;
}

/** Stands for a user at the target, instead of the running number of a record. */
const atTarget = 2 ** 32 - 2;
/** The same for an id that no user has. */
const takenId = 2 ** 32 - 3;
/** Inverts the first word of an id's hash, so that an id differs from the user name with the same text. */
const idMask = -1;

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
  { input, index }: RecordPosition,
): { readonly code: ReasonCode; readonly detail: string } {
  return {
    code: what === 'id' ? 'user-skipped:duplicate-id' : 'user-skipped:duplicate-username',
    detail: `same ${what} as record ${index} of ${input}`,
  };
}

/** The names and ids of the records so far, by the words of their rows. */
export function createSeenUsers(share: () => number = () => Number.NaN) {
  /** Of users at the target. */
  let registered = 0;
  const seen = new SeenSet({
    openSpillFile,
    expect: () => registered + (seen.size - registered) / share(),
  });
  /** The ordinal of the first record with the same; -1 for what is new and for none. */
  const add = (hi: number, lo: number, mask: number, ordinal: number): number =>
    hi === 0 && lo === 0 ? -1 : seen.add(hi ^ mask, lo | 0, ordinal);
  const addName = (rows: Uint32Array, at: number, ordinal: number): number =>
    add(rows[at + row.name]!, rows[at + row.name + 1]!, 0, ordinal);
  return {
    /** All that was added until now is at the target. */
    endRegistered(): void {
      registered = seen.size;
    },
    addName,
    /** When the id was seen before, the name is not added. */
    add(rows: Uint32Array, at: number, ordinal: number): SeenBefore | undefined {
      const sameId = add(rows[at + row.id]!, rows[at + row.id + 1]!, idMask, ordinal);
      if (sameId !== -1) return { what: 'id', first: sameId };
      const sameName = addName(rows, at, ordinal);
      return sameName === -1 ? undefined : { what: 'user name', first: sameName };
    },
    close: () => seen.close(),
  };
}

/** `share` is how much of the input has been read, from 0 to 1; NaN where that is not known. */
export function createDuplicates(
  rule: DuplicateRule,
  seed: number,
  recordNumbers: RecordNumbers,
  share: () => number,
): Duplicates {
  const seen = createSeenUsers(share);

  return {
    register({ id, userName = '' }) {
      const words = new Uint32Array(row.words);
      hashKeys({ id, userName }, seed, words);
      seen.add(words, 0, userName === '' ? takenId : atTarget);
      seen.endRegistered();
    },
    addUntilClash({ rows, count }, from, ordinal) {
      for (let place = from; place < count; place++) {
        const before = seen.add(rows, place * row.words, ordinal + place);
        if (before !== undefined) return { place, ...before };
      }
      return undefined;
    },
    resolve(batch, clash, ordinal, known) {
      const { place } = clash;
      const detail = known ?? describe(batch, place);
      if (clash.first === atTarget) return refuse(detail, 'target:user-exists', `same ${clash.what}`);
      if (clash.first === takenId) return refuse(detail, 'target:id-taken', '');
      const { code, detail: text } = duplicateReason(clash.what, recordNumbers.find(clash.first));
      if (rule === 'keep')
        return { detail: withNote(detail, 'duplicate:kept', text), note: 'duplicate:kept' };
      if (rule === 'suffix' && clash.what === 'user name')
        return rename(batch, place, ordinal + place, detail, text);
      return refuse(detail, code, text);
    },
    close: () => seen.close(),
  };

  function rename(
    batch: ConvertedBatch,
    place: number,
    ordinal: number,
    detail: RecordDetail,
    text: string,
  ): Duplicate {
    const words = new Uint32Array(row.words);
    let name = detail.userName;
    for (let number = 2, free = false; !free; number++) {
      name = addSuffix(detail.userName, number);
      hashKeys({ userName: name, id: '' }, seed, words);
      free = seen.addName(words, 0, ordinal) === -1;
    }
    const renamed = withNote({ ...detail, userName: name }, 'duplicate:renamed', `${text}; now ${name}`);
    const note = 'duplicate:renamed';
    if (detail.machine === undefined)
      return { detail: renamed, note, element: setUserName(elementAt(batch, place), name) };
    return { detail: { ...renamed, machine: setUserName(detail.machine, name) }, note };
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

function withNote(detail: RecordDetail, code: ReasonCode, text: string): RecordDetail {
  const note: Note = { code, detail: text };
  return { ...detail, notes: [...detail.notes, note] };
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

/** Restores the detail of a record from its element in the body. */
function describe(batch: ConvertedBatch, place: number): RecordDetail {
  const { userId, user } = JSON.parse(elementAt(batch, place).slice(1)) as Element;
  const remarks = batch.remarks[batch.rows[place * row.words + row.remarks]! - 1];
  const notes = remarks?.codes.map((code) => ({ code })) ?? [];
  const { userName, email } = user;
  return { place, id: userId ?? userName, userName, email: email?.email ?? '', notes };
}

/** Replaces the user name in an element, which has a comma before it. */
function setUserName(element: string, userName: string): string {
  const parsed = JSON.parse(element.slice(1)) as Element;
  return `,${JSON.stringify({ ...parsed, user: { ...parsed.user, userName } })}`;
}
