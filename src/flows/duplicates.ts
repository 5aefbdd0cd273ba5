/**
 * The user names and ids of a whole run in, as hashes; what becomes of a record whose name or id is taken out.
 * Memory: about 26 bytes a record.
 */
import { createFingerprints } from '../lib/fingerprints.ts';
import { hashText } from '../lib/hash-text.ts';
import { fieldRules } from '../records/field-rules.ts';
import { cut } from '../records/text.ts';
import type { ReasonCode } from '../records/reasons.ts';
import type { Note } from '../records/user.ts';
import type { ConvertedBatch, RecordDetail } from './batch.ts';
import type { Places } from './places.ts';

export type DuplicateRule = 'reject' | 'keep' | 'suffix';

export interface Duplicate {
  readonly detail: RecordDetail;
  /** What stands in the place of the record's element of `humanUsers` (nothing: no bytes), or undefined for no change. */
  readonly element?: string;
}

export interface Duplicates {
  /** Takes the name and the id of somebody who is at the target already. */
  register(person: { readonly id: string; readonly userName: string }): void;
  /** A batch whose records are to be found one after the other comes next. */
  foresee(batch: ConvertedBatch): void;
  /** Claims name and id of a record that would be written; undefined when both are new. */
  find(
    batch: ConvertedBatch,
    place: number,
    ordinal: number,
    detail: RecordDetail | undefined,
  ): Duplicate | undefined;
}

interface Taken {
  readonly what: 'user name' | 'id';
  readonly first: number;
}

/** In place of a record's number: not a record of this run, but somebody at the target. */
const atTarget = 2 ** 32 - 2;

export function createDuplicates(rule: DuplicateRule, seed: number, places: Places): Duplicates {
  const names = createFingerprints();
  const ids = createFingerprints();

  return {
    register({ id, userName }) {
      const words = new Uint32Array(4);
      hashText(userName.toLowerCase(), seed, words, 0);
      if (id !== '') hashText(id, seed, words, 2);
      claim(words, 0, atTarget);
    },
    foresee({ keys, count }) {
      names.foresee(keys, 0, 4, count);
      ids.foresee(keys, 2, 4, count);
    },
    find(batch, place, ordinal, known) {
      const taken = claim(batch.keys, place * 4, ordinal);
      if (taken === undefined) return undefined;
      const detail = known ?? describe(batch, place);
      if (taken.first === atTarget) return refuse(detail, 'target:user-exists', `same ${taken.what}`);
      const first = places.find(taken.first);
      const text = `same ${taken.what} as record ${first.index} of ${first.input}`;
      if (rule === 'keep') return { detail: withNote(detail, 'duplicate:kept', text) };
      if (rule === 'suffix' && taken.what === 'user name') return rename(batch, place, ordinal, detail, text);
      const code = taken.what === 'id' ? 'user-skipped:duplicate-id' : 'user-skipped:duplicate-username';
      return refuse(detail, code, text);
    },
  };

  /** Where the id is taken, the name is not claimed. */
  function claim(keys: Uint32Array, at: number, ordinal: number): Taken | undefined {
    const idHigh = keys[at + 2] ?? 0;
    const idLow = keys[at + 3] ?? 0;
    if (idHigh !== 0 || idLow !== 0) {
      const first = ids.claim(idHigh, idLow, ordinal);
      if (first !== -1) return { what: 'id', first };
    }
    const first = names.claim(keys[at] ?? 0, keys[at + 1] ?? 0, ordinal);
    return first === -1 ? undefined : { what: 'user name', first };
  }

  function rename(
    batch: ConvertedBatch,
    place: number,
    ordinal: number,
    detail: RecordDetail,
    text: string,
  ): Duplicate {
    const words = new Uint32Array(2);
    let name = detail.userName;
    for (let number = 2, free = false; !free; number++) {
      name = addSuffix(detail.userName, number);
      hashText(name.toLowerCase(), seed, words, 0);
      free = names.claim(words[0] ?? 0, words[1] ?? 0, ordinal) === -1;
    }
    const renamed = withNote({ ...detail, userName: name }, 'duplicate:renamed', `${text}; now ${name}`);
    if (detail.machine === undefined)
      return { detail: renamed, element: setUserName(elementAt(batch, place), name) };
    return { detail: { ...renamed, machine: setUserName(detail.machine, name) } };
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
  const start = place === 0 ? 0 : (batch.ends[place - 1] ?? 0);
  return Buffer.from(batch.body.subarray(start, batch.ends[place])).toString('utf8');
}

/** The names of a record that had nothing to say until now. */
function describe(batch: ConvertedBatch, place: number): RecordDetail {
  const { userId, user } = JSON.parse(elementAt(batch, place).slice(1)) as Element;
  return { place, id: userId ?? user.userName, userName: user.userName, notes: [] };
}

/** An element with a comma before it in, the same with another user name out. */
function setUserName(element: string, userName: string): string {
  const parsed = JSON.parse(element.slice(1)) as Element;
  return `,${JSON.stringify({ ...parsed, user: { ...parsed.user, userName } })}`;
}
