/**
 * The user names and ids of a whole run in, as hashes; what becomes of a record whose name or id is taken out.
 * Memory: about 10 bytes a record, and 24 in a temporary file.
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
  /** What is noted of it besides, where it is written all the same. */
  readonly note?: ReasonCode;
  /**
   * What stands in the place of the record's element of `humanUsers` (nothing: no bytes), or undefined for no change.
   */
  readonly element?: string;
}

/** A record that comes second. */
export interface Taken {
  readonly place: number;
  readonly what: 'user name' | 'id';
  /** The running number of the record that came first. */
  readonly first: number;
}

export interface Duplicates {
  /** Takes the name and the id of somebody who is at the target already. */
  register(person: { readonly id: string; readonly userName: string }): void;
  /**
   * Claims names and ids of the records from the place `from` on, up to the first whose name or id is taken: that is
   * what comes out. The first record of the batch has the running number `ordinal`.
   */
  claim(batch: ConvertedBatch, from: number, ordinal: number): Taken | undefined;
  /** What becomes of such a record. To be asked before the ones behind it are claimed: it may get another name. */
  settle(batch: ConvertedBatch, taken: Taken, ordinal: number, detail: RecordDetail | undefined): Duplicate;
  /** Nothing can be claimed any more. Harmless when called again. */
  close(): void;
}

/** In place of a record's number: not a record of this run, but somebody at the target. */
const atTarget = 2 ** 32 - 2;
/** Turns the bits of an id's first word, so that no id is taken for the user name with the same text. */
const idMask = -1;
/** Records whose memory is waited for at once: of more than so many, the first would be forgotten again. */
const atOnce = 64;

/** `share` is how much of the input has been read, from 0 to 1; NaN where that is not known. */
export function createDuplicates(
  rule: DuplicateRule,
  seed: number,
  places: RecordNumbers,
  share: () => number,
): Duplicates {
  let registered = 0;
  const claims = createSeenSet({
    openSpillFile,
    expect: () => registered + (claims.size - registered) / share(),
  });

  return {
    register({ id, userName }) {
      const words = new Uint32Array(row.words);
      hashText(userName.toLowerCase(), seed, words, row.name);
      if (id !== '') hashText(id, seed, words, row.id);
      if (claimId(words, 0, atTarget) === -1) claimName(words, 0, atTarget);
      registered = claims.size;
    },
    claim({ rows, count }, from, ordinal) {
      for (let place = from; place < count; place++) {
        if (place % atOnce === 0) prefetch(rows, place, Math.min(atOnce, count - place));
        // Where the id is taken, the name is not claimed.
        const idHolder = claimId(rows, place * row.words, ordinal + place);
        if (idHolder !== -1) return { place, what: 'id', first: idHolder };
        const nameHolder = claimName(rows, place * row.words, ordinal + place);
        if (nameHolder !== -1) return { place, what: 'user name', first: nameHolder };
      }
      return undefined;
    },
    settle(batch, taken, ordinal, known) {
      const { place } = taken;
      const detail = known ?? describe(batch, place);
      if (taken.first === atTarget) return refuse(detail, 'target:user-exists', `same ${taken.what}`);
      const first = places.find(taken.first);
      const text = `same ${taken.what} as record ${first.index} of ${first.input}`;
      if (rule === 'keep')
        return { detail: withNote(detail, 'duplicate:kept', text), note: 'duplicate:kept' };
      if (rule === 'suffix' && taken.what === 'user name')
        return rename(batch, place, ordinal + place, detail, text);
      const code = taken.what === 'id' ? 'user-skipped:duplicate-id' : 'user-skipped:duplicate-username';
      return refuse(detail, code, text);
    },
    close: () => claims.close(),
  };

  function prefetch(rows: Uint32Array, from: number, count: number): void {
    claims.prefetch(rows, from * row.words + row.name, row.words, count);
    claims.prefetch(rows, from * row.words + row.id, row.words, count, idMask);
  }

  /** The first holder; -1 when it is new, and when there is none to claim. */
  function claimId(rows: Uint32Array, at: number, ordinal: number): number {
    const hi = rows[at + row.id]!;
    const lo = rows[at + row.id + 1]!;
    return hi === 0 && lo === 0 ? -1 : claims.claim(hi ^ idMask, lo | 0, ordinal);
  }

  function claimName(rows: Uint32Array, at: number, ordinal: number): number {
    const hi = rows[at + row.name]!;
    const lo = rows[at + row.name + 1]!;
    return hi === 0 && lo === 0 ? -1 : claims.claim(hi | 0, lo | 0, ordinal);
  }

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
      free = claimName(words, 0, ordinal) === -1;
    }
    const renamed = withNote({ ...detail, userName: name }, 'duplicate:renamed', `${text}; now ${name}`);
    const note = 'duplicate:renamed';
    if (detail.machine === undefined)
      return { detail: renamed, note, element: setUserName(elementAt(batch, place), name) };
    return { detail: { ...renamed, machine: setUserName(detail.machine, name) }, note };
  }
}

function refuse({ place, id, userName }: RecordDetail, code: ReasonCode, text: string): Duplicate {
  return { element: '', detail: { place, id, userName, notes: [], rejected: { code, detail: text } } };
}

/** Before the `@` of a user name that is an address, else at its end. */
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
  readonly user: { readonly userName: string };
}

function elementAt(batch: ConvertedBatch, place: number): string {
  const at = place * row.words;
  const start = place === 0 ? 0 : batch.rows[at - row.words + row.end];
  return Buffer.from(batch.body.subarray(start, batch.rows[at + row.end])).toString('utf8');
}

/** What is known of a record from what is written of it. */
function describe(batch: ConvertedBatch, place: number): RecordDetail {
  const { userId, user } = JSON.parse(elementAt(batch, place).slice(1)) as Element;
  const remarks = batch.remarks[batch.rows[place * row.words + row.remarks]! - 1];
  const notes = remarks?.codes.map((code) => ({ code })) ?? [];
  return { place, id: userId ?? user.userName, userName: user.userName, notes };
}

/** An element with a comma before it in, the same with another user name out. */
function setUserName(element: string, userName: string): string {
  const parsed = JSON.parse(element.slice(1)) as Element;
  return `,${JSON.stringify({ ...parsed, user: { ...parsed.user, userName } })}`;
}
