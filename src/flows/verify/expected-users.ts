/** What is expected of each user at the target: hashes and numbers, no texts. */
import { randomInt } from 'node:crypto';
import { hashText } from '../../compact/hash-text.ts';
import { NumberList } from '../../compact/number-list.ts';
import { IdColumn } from '../../compact/id-column.ts';
import { TextTable } from '../../compact/text-table.ts';
import {
  askedFields,
  detailFields,
  fields,
  initialState,
  listedFields,
  statePlace,
  stateTexts,
  type DetailField,
} from './fields.ts';
import { DetailSums } from './detail-sums.ts';

/** How a user of the target was met. */
export type Meeting = 'expected' | 'again' | 'extra';

const chunkBits = 12;
const chunkSize = 1 << chunkBits;
/** Of each user: a hash of what the list should show, in two words; sums of details; the organization; the flags. */
const listedWord = 0;
const sumWords = { metadata: 2, links: 3, grants: 4 } as const;
const orgWord = 5;
const flagsWord = 6;
const words = 7;

const Flag = {
  found: 1,
  exported: 2,
  machine: 4,
  hasPassword: 8,
  listedDiffers: 16,
  stateDiffers: 32,
  mayBeUnverified: 64,
} as const;
/** Above these, of each detail: the source has something to compare, it differs, it cannot be known. */
const firstExpected = 7;
const firstDiffers = firstExpected + detailFields.length;
const firstUnknown = firstDiffers + detailFields.length;
/** Then the expected state, by its index in `stateTexts`. */
const stateBits = firstUnknown + detailFields.length;
/** Then whether something is unknown because a list of details is behind. */
const lateFlag = 1 << (stateBits + 2);
/** Whether the user is in the initial state at the target. */
const initialFlag = 1 << (stateBits + 3);

/** Stands for a user of the target that is not in the source. */
const extraUser = 2 ** 32 - 1;

interface Traits {
  readonly isMachine?: boolean;
  /** The address is verified in the source, and may arrive unverified. */
  readonly mayBeUnverified?: boolean;
}

/** Users are numbered from 0 in the order of the source: 70 to 115 bytes each, up to 180 with a new id. */
export class ExpectedUsers {
  size = 0;
  found = 0;
  readonly #seed = randomInt(2 ** 32);
  readonly #names = new TextTable();
  readonly #ids = new TextTable();
  /** Ids at the target that differ from the source: of the id map, of users found by name, of extra users. */
  readonly #others = new TextTable();
  readonly #otherUsers = new NumberList();
  readonly #targetIds = new IdColumn();
  readonly #chunks: Uint32Array[] = [];
  readonly #seen = new DetailSums();
  /** For users whose list entry differs: a hash of each field that the list shows. */
  readonly #shown = new NumberList();
  readonly #scratch = new Uint32Array(2);

  /** `id` may be empty. */
  add(id: string, userName: string, listed: readonly string[], traits: Traits = {}): number {
    const user = this.size++;
    if ((user & (chunkSize - 1)) === 0) this.#chunks.push(new Uint32Array(chunkSize * words));
    this.#names.add(userName.trim().toLowerCase());
    if (id === '') this.#ids.skip();
    else this.#ids.add(id);
    this.#expectListed(user, listed);
    this.#raise(user, stateTexts.indexOf(listed[statePlace] ?? '') << stateBits);
    if (traits.isMachine) this.#raise(user, Flag.machine);
    if (traits.mayBeUnverified) this.#raise(user, Flag.mayBeUnverified);
    return user;
  }

  byId(id: string): number {
    return this.#ids.find(id);
  }

  /** By the id map, else by the id of the source, then by user name; -1 for none. */
  find(targetId: string, userName: string): number {
    const other = this.#byOther(targetId);
    if (other !== undefined && other !== extraUser) return other;
    const known = this.byId(targetId);
    return known === -1 ? this.#byName(userName) : known;
  }

  /** The user with this id (or user name) in the source has that id at the target. */
  alias(oldId: string, newId: string): void {
    const byId = this.byId(oldId);
    const user = byId === -1 ? this.#byName(oldId) : byId;
    if (user === -1 || newId === '') return;
    this.#addOther(newId, user);
    this.#targetIds.set(user, newId);
  }

  /** The id at the target of a user whose id in the source is `id`, as far as it is known. */
  targetId(user: number, id: string): string {
    return this.#targetIds.get(user) ?? id;
  }

  /** -1 for a user that was not listed or is not in the source. */
  byTargetId(id: string): number {
    const other = this.#byOther(id);
    const user = other ?? this.byId(id);
    return user !== extraUser && user !== -1 && this.#isFoundAs(user, id) ? user : -1;
  }

  /** Notes a listed user. Pages overlap where users are added meanwhile, so none counts twice. */
  meet(targetId: string, userName: string, org: number): Meeting {
    const other = this.#byOther(targetId);
    if (other === extraUser) return 'again';
    const user = this.find(targetId, userName);
    if (user !== -1 && this.#isFoundAs(user, targetId)) return 'again';
    if (user === -1 || this.isFound(user)) {
      this.#addOther(targetId, extraUser);
      return 'extra';
    }
    this.found += 1;
    this.#raise(user, Flag.found);
    this.#set(user, orgWord, org);
    const isOwnId = this.byId(targetId) === user;
    if (!isOwnId && other === undefined) this.#addOther(targetId, user);
    if (!isOwnId || this.#targetIds.get(user) !== undefined) this.#targetIds.set(user, targetId);
    return 'expected';
  }

  isFound(user: number): boolean {
    return this.#has(user, Flag.found);
  }

  isMachine(user: number): boolean {
    return this.#has(user, Flag.machine);
  }

  /** Index of the organization in which the user was found. */
  orgOf(user: number): number {
    return this.#get(user, orgWord);
  }

  /** `shown` has for each field every text that would be right: several for the state, and for an unverified address. */
  compare(user: number, shown: readonly (readonly string[])[]): void {
    const state = this.#stateOf(user);
    if (!(shown[statePlace] ?? []).includes(state)) this.#raise(user, Flag.stateDiffers);
    if (state === 'active' && shown[statePlace]?.includes(initialState)) this.#raise(user, initialFlag);
    const which = this.#has(user, Flag.mayBeUnverified) ? -1 : 0;
    const texts = shown.map((each) => each.at(which) ?? '');
    hashText(joinTexts(texts), this.#seed, this.#scratch, 0);
    const same =
      this.#get(user, listedWord) === this.#scratch[0] &&
      this.#get(user, listedWord + 1) === this.#scratch[1];
    if (same) return;
    this.#raise(user, Flag.listedDiffers);
    this.#set(user, listedWord, this.#shown.push(...texts.map((text) => this.#hash(text))));
  }

  #stateOf(user: number): string {
    return stateTexts[(this.#get(user, flagsWord) >>> stateBits) & 3] ?? '';
  }

  /** Why a user who is active in the source cannot sign in at the target; empty where nothing is known against it. */
  blockedBy(user: number): string {
    if (this.#has(user, initialFlag)) return 'cannot sign in: initial, has to answer an email first';
    if (!this.#has(user, Flag.stateDiffers) || this.#stateOf(user) !== 'active') return '';
    return 'cannot sign in: locked or deactivated at the target';
  }

  #expectListed(user: number, listed: readonly string[]): void {
    hashText(joinTexts(listed), this.#seed, this.#scratch, 0);
    this.#set(user, listedWord, this.#scratch[0]!);
    this.#set(user, listedWord + 1, this.#scratch[1]!);
  }

  /** Whether the entry in the list is not as expected. */
  differsInList(user: number): boolean {
    return this.#has(user, Flag.listedDiffers | Flag.stateDiffers);
  }

  countDiffering(): number {
    let count = 0;
    for (let user = 0; user < this.size; user++) if (this.differsInList(user)) count += 1;
    return count;
  }

  /** As before it was met: the list was behind. `listed` is what is expected of it. */
  unmeet(user: number, listed: readonly string[]): void {
    this.found -= 1;
    this.#lower(user, Flag.found | Flag.listedDiffers | Flag.stateDiffers | initialFlag);
    this.#expectListed(user, listed);
  }

  /** In any order; a password is one entry, whatever it is. */
  expect(user: number, field: DetailField, entry: string): void {
    this.#raise(user, detailFlag(firstExpected, field));
    // There is one password or none, and which one does not count.
    if (field === 'password') return;
    const word = sumWords[field];
    this.#set(user, word, this.#get(user, word) + this.#hash(entry));
  }

  /** Whether the source has something to compare. */
  wants(user: number, field: DetailField): boolean {
    return this.#has(user, detailFlag(firstExpected, field));
  }

  /** From an export, which has its own order. */
  see(user: number, field: DetailField, entry: string): void {
    this.#seen.add(user, field, this.#hash(entry));
  }

  /** Before the details of a user are read again: an export that broke off does not count. */
  forget(user: number): void {
    this.#seen.forget(user);
    this.#lower(user, Flag.exported);
  }

  /** The list shows since when a user has a password; it shows nothing of users without one, nor do older services. */
  proveHasPassword(user: number): void {
    this.#raise(user, Flag.hasPassword);
  }

  hasPassword(user: number): boolean {
    return this.#has(user, Flag.hasPassword);
  }

  seeExported(user: number): void {
    this.#raise(user, Flag.exported);
  }

  isExported(user: number): boolean {
    return this.#has(user, Flag.exported);
  }

  /** Once the whole export was read. */
  compareExported(user: number): void {
    for (const field of askedFields) this.#compareSum(user, field, this.#seen.sum(user, field));
  }

  /** Before the grants of all users are read again. */
  forgetGrants(): void {
    for (let user = 0; user < this.size; user++) this.#seen.forget(user, ['grants']);
  }

  /** Once all grants were seen. */
  compareGrants(user: number): void {
    this.#compareSum(user, 'grants', this.#seen.sum(user, 'grants'));
  }

  /** `entries` must be complete. */
  compareDetail(user: number, field: DetailField, entries: readonly string[]): void {
    const sum = entries.reduce((sum, entry) => (sum + this.#hash(entry)) >>> 0, 0);
    this.#compareSum(user, field, sum);
  }

  differsIn(user: number, field: DetailField): boolean {
    return this.#has(user, detailFlag(firstDiffers, field));
  }

  /** It cannot be known whether this field is as expected. */
  doubt(user: number, field: DetailField): void {
    this.#lower(user, detailFlag(firstDiffers, field));
    this.#raise(user, detailFlag(firstUnknown, field));
  }

  /** It is not known yet. */
  postpone(user: number, field: DetailField): void {
    this.doubt(user, field);
    this.#raise(user, lateFlag);
  }

  isPostponed(user: number): boolean {
    return this.#has(user, lateFlag);
  }

  /** All users were found, nothing differs, and nothing is unknown. */
  areAllSame(): boolean {
    const details = (2 ** (stateBits - firstDiffers) - 1) << firstDiffers;
    const problems = details | Flag.listedDiffers | Flag.stateDiffers | initialFlag;
    for (let user = 0; user < this.size; user++) if (this.#has(user, problems)) return false;
    return this.found === this.size;
  }

  /** Names of the fields that differ. `listed` is what was expected of the list, from the source again. */
  differences(user: number, listed: () => readonly string[]): string[] {
    const differs = (flag: number): boolean => this.#has(user, flag);
    const ofList = differs(Flag.listedDiffers) ? this.#listedDifferences(user, listed()) : [];
    const state = differs(Flag.stateDiffers) ? [fields[statePlace]] : [];
    const details = detailFields.filter((field) => differs(detailFlag(firstDiffers, field)));
    const all = new Set<string | undefined>([...ofList, ...state, ...details]);
    return fields.filter((field) => all.has(field));
  }

  unknown(user: number): string[] {
    return detailFields.filter((field) => this.#has(user, detailFlag(firstUnknown, field)));
  }

  #listedDifferences(user: number, expected: readonly string[]): string[] {
    const place = this.#get(user, listedWord);
    return listedFields.filter(
      (_, at) => at !== statePlace && this.#shown.get(place + at) !== this.#hash(expected[at] ?? ''),
    );
  }

  /** A password that was set later is no difference. */
  #compareSum(user: number, field: DetailField, seen: number): void {
    const same =
      field === 'password'
        ? seen !== 0 || this.hasPassword(user) || !this.wants(user, field)
        : seen === this.#get(user, sumWords[field]);
    if (same) this.#lower(user, detailFlag(firstDiffers, field));
    else this.#raise(user, detailFlag(firstDiffers, field));
  }

  #byOther(targetId: string): number | undefined {
    const at = this.#others.find(targetId);
    return at === -1 ? undefined : this.#otherUsers.get(at);
  }

  #addOther(targetId: string, user: number): void {
    this.#others.add(targetId);
    this.#otherUsers.push(user);
  }

  #isFoundAs(user: number, targetId: string): boolean {
    if (!this.isFound(user)) return false;
    const known = this.#targetIds.get(user);
    return known === undefined ? this.byId(targetId) === user : known === targetId;
  }

  #byName(userName: string): number {
    return this.#names.find(userName.trim().toLowerCase());
  }

  #raise(user: number, flags: number): void {
    this.#set(user, flagsWord, this.#get(user, flagsWord) | flags);
  }

  #lower(user: number, flags: number): void {
    this.#set(user, flagsWord, this.#get(user, flagsWord) & ~flags);
  }

  #has(user: number, flag: number): boolean {
    return (this.#get(user, flagsWord) & flag) !== 0;
  }

  #hash(text: string): number {
    hashText(text, this.#seed, this.#scratch, 0);
    return this.#scratch[0]!;
  }

  #get(user: number, word: number): number {
    return this.#chunks[user >>> chunkBits]![(user & (chunkSize - 1)) * words + word]!;
  }

  #set(user: number, word: number, value: number): void {
    this.#chunks[user >>> chunkBits]![(user & (chunkSize - 1)) * words + word] = value;
  }
}

/** Different lists of texts give different results. */
function joinTexts(listed: readonly string[]): string {
  let text = '';
  for (const [at, field] of listed.entries()) if (at !== statePlace) text += `${field.length} ${field}`;
  return text;
}

function detailFlag(first: number, field: DetailField): number {
  return 1 << (first + detailFields.indexOf(field));
}
