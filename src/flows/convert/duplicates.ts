/**
 * Finds records of a run with a user name or id that an earlier record or a user at the target has, and decides what
 * becomes of them. Takes about 10 bytes a record in memory, and 24 in a temporary file.
 */
import { createSeenSet } from '../../compact/seen-set.ts';
import { hashText } from '../../compact/hash-text.ts';
import { fieldRules } from '../../records/field-rules.ts';
import { cut } from '../../records/text.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { Note } from '../../records/user.ts';
import { openSpillFile } from '../../storage/spill-file.ts';
import { type ConvertedBatch, type RecordDetail, row } from './batch.ts';
import type { RecordNumbers } from './record-numbers.ts';

export type DuplicateRule = 'reject' | 'keep' | 'suffix';

export interface Duplicate {
  readonly detail: RecordDetail;
  /** An additional note, when the record is written. */
  readonly note?: ReasonCode;
  /** Replaces the record's element of `humanUsers`, if given; empty to remove it. */
  readonly element?: string;
}

/** A record whose user name or id was seen before. */
export interface Clash {
  readonly place: number;
  readonly what: 'user name' | 'id';
  /** The running number of the first record with it. */
  readonly first: number;
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

/** The names and ids of the records so far, by the words of a batch's rows. */
function createSeenUsers(share: () => number) {
  /** Of users at the target. */
  let registered = 0;
  const seen = createSeenSet({
    openSpillFile,
    expect: () => registered + (seen.size - registered) / share(),
  });
  return {
    /** All that was added until now is at the target. */
    endRegistered(): void {
      registered = seen.size;
    },
    /** The ordinal of the first record with the same id; -1 for a new id and for none. */
    addId(rows: Uint32Array, at: number, ordinal: number): number {
      const hi = rows[at + row.id]!;
      const lo = rows[at + row.id + 1]!;
      return hi === 0 && lo === 0 ? -1 : seen.add(hi ^ idMask, lo | 0, ordinal);
    },
    addName(rows: Uint32Array, at: number, ordinal: number): number {
      const hi = rows[at + row.name]!;
      const lo = rows[at + row.name + 1]!;
      return hi === 0 && lo === 0 ? -1 : seen.add(hi | 0, lo | 0, ordinal);
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
    register({ id, userName }) {
      const words = new Uint32Array(row.words);
      if (id !== '') hashText(id, seed, words, row.id);
      if (userName === undefined) {
        seen.addId(words, 0, takenId);
      } else {
        hashText(userName.toLowerCase(), seed, words, row.name);
        if (seen.addId(words, 0, atTarget) === -1) seen.addName(words, 0, atTarget);
      }
      seen.endRegistered();
    },
    addUntilClash({ rows, count }, from, ordinal) {
      for (let place = from; place < count; place++) {
        // When the id is a duplicate, the name is not added.
        const sameId = seen.addId(rows, place * row.words, ordinal + place);
        if (sameId !== -1) return { place, what: 'id', first: sameId };
        const sameName = seen.addName(rows, place * row.words, ordinal + place);
        if (sameName !== -1) return { place, what: 'user name', first: sameName };
      }
      return undefined;
    },
    resolve(batch, clash, ordinal, known) {
      const { place } = clash;
      const detail = known ?? describe(batch, place);
      if (clash.first === atTarget) return refuse(detail, 'target:user-exists', `same ${clash.what}`);
      if (clash.first === takenId) return refuse(detail, 'target:id-taken', '');
      const first = recordNumbers.find(clash.first);
      const text = `same ${clash.what} as record ${first.index} of ${first.input}`;
      if (rule === 'keep')
        return { detail: withNote(detail, 'duplicate:kept', text), note: 'duplicate:kept' };
      if (rule === 'suffix' && clash.what === 'user name')
        return rename(batch, place, ordinal + place, detail, text);
      const code = clash.what === 'id' ? 'user-skipped:duplicate-id' : 'user-skipped:duplicate-username';
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
      hashText(name.toLowerCase(), seed, words, row.name);
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
