/**
 * Finds records of a run with a user name or id that an earlier record or a user at the target has, and decides what to do with
 * them. Takes 32 to 40 bytes a record in memory.
 */
import { hashText, type Key, keyIn, KeyTable, noKey } from '../../compact/key-table.ts';
import { fieldRules } from '../../lib/field-rules.ts';
import { cut, foldName } from '../../records/text.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import { deriveId, type MachineRecord } from '../../records/user.ts';
import { encodeListedUser, type ListedUser } from '../jit/user-list.ts';
import { type ConvertedBatch, type RecordDetail, row } from './batch.ts';

export type DuplicateRule = 'reject' | 'keep' | 'suffix';

interface Duplicate {
  readonly detail: RecordDetail;
  /** Additional note if the record is written. */
  readonly note?: ReasonCode;
  /** Replacement of the record's element of `humanUsers`, if given. Empty to remove it. */
  readonly element?: string;
}

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

/** Writes the hashes that identify duplicates into the row of a user that begins at `at`. */
export function hashKeys(
  { userName, id, names = '' }: Pick<MachineRecord, 'userName' | 'id' | 'names'>,
  seed: number,
  words: Uint32Array,
  at = 0,
) {
  if (userName !== '') hashText(foldName(names + userName), seed, words, at + row.name);
  if (id !== '') hashText(id, seed, words, at + row.id);
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
  /** Returns why such a record is left out if no rule keeps it. `isDerived`: its id, which is equal if the name is, was made from the name. */
  const explain = ({ what: found, first }: Clash, isDerived: boolean): Reason => {
    const what = isDerived ? 'user name' : found;
    if (first < registered)
      return gone.has(first)
        ? { code: 'target:id-taken', detail: '' }
        : { code: 'target:user-exists', detail: `same ${what}` };
    const { input, index } = numbers.find(first - registered);
    return {
      code: what === 'id' ? 'user-skipped:duplicate-id' : 'user-skipped:duplicate-username',
      detail: `same ${what} as record ${index + 1} of ${input}`,
    };
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
    explain,
    /** Applies the rule to such a record. To be called before later records are added, because it may add a new name. */
    resolve(
      batch: ConvertedBatch,
      clash: Clash,
      known: RecordDetail | undefined,
      isDerived = false,
    ): Duplicate {
      const { place, what, first } = clash;
      const detail = known ?? describe(batch, place);
      const { code, detail: text } = explain(clash, isDerived);
      if (first >= registered && rule === 'keep') return withNote(detail, 'duplicate:kept', text);
      if (rule !== 'suffix' || code !== 'user-skipped:duplicate-username') return refuse(detail, code, text);
      const userName = freeName(detail.userName);
      const written = detail.machine ?? elementAt(batch, place);
      return rename(detail, written, userName, { isNewId: what === 'id', text });
    },
  };
}

interface Reason {
  readonly code: ReasonCode;
  readonly detail: string;
}

/** Gives a record, whose element is `written`, another name, and another id if that was made from the name. */
function rename(
  detail: RecordDetail,
  written: string,
  userName: string,
  { isNewId, text }: { readonly isNewId: boolean; readonly text: string },
): Duplicate {
  const { userId = '' } = JSON.parse(written.slice(1)) as Element;
  const id = isNewId ? deriveId(userId, userName) : userId;
  const withId = (json: string) => json.replaceAll(JSON.stringify(userId), JSON.stringify(id));
  const element = withId(setUserName(written, userName));
  const { machine, metadata, grants, atFirstLogin: line } = detail;
  const renamed: RecordDetail = {
    ...detail,
    userName,
    ...(machine && { machine: element }),
    ...(metadata && { metadata: withId(metadata) }),
    ...(grants && { grants: grants.map((grant) => ({ ...grant, element: withId(grant.element) })) }),
    ...(line && {
      atFirstLogin: encodeListedUser({ ...(JSON.parse(line) as ListedUser), id, userName }),
    }),
  };
  return {
    ...withNote(renamed, 'duplicate:renamed', `${text}; now ${userName}`),
    ...(!machine && { element }),
  };
}

function refuse({ place, id, userName, email }: RecordDetail, code: ReasonCode, text: string): Duplicate {
  const detail = { place, id, userName, email, notes: [], rejected: { code, detail: text } };
  return { element: '', detail };
}

/** Adds the suffix before the `@` of a user name that is an address, else at its end. */
function addSuffix(userName: string, number: number) {
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

function elementAt(batch: ConvertedBatch, place: number) {
  const at = place * row.words;
  const start = place === 0 ? 0 : batch.rows[at - row.words + row.end];
  return Buffer.from(batch.body.subarray(start, batch.rows[at + row.end])).toString('utf8');
}

/** Rebuilds the detail of a record without notes, or in a run that does not list them, from its element in the body. */
function describe(batch: ConvertedBatch, place: number): RecordDetail {
  const { userId, user } = JSON.parse(elementAt(batch, place).slice(1)) as Element;
  const { userName, email } = user;
  return { place, id: userId ?? userName, userName, email: email?.email ?? '', notes: [] };
}

/** Replaces the user name in an element that starts with a comma. */
function setUserName(element: string, userName: string) {
  const parsed = JSON.parse(element.slice(1)) as Element;
  return `,${JSON.stringify({ ...parsed, user: { ...parsed.user, userName } })}`;
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
    find(ordinal: number): { readonly input: string; readonly index: number } {
      const { input, start } = inputs.findLast((one) => one.start <= ordinal)!;
      return { input, index: ordinal - start };
    },
  };
}
