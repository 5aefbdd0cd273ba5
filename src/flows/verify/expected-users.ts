/** The people of a source in, what is to be found of each at the target out: hashes and numbers, no texts. */
import { randomInt } from 'node:crypto';
import { hashText } from '../../lib/hash-text.ts';
import { NumberList } from '../../lib/number-list.ts';
import { NumberTexts } from '../../lib/number-texts.ts';
import { TextTable } from '../../lib/text-table.ts';
import { detailFields, fields, listedFields, statePlace, stateTexts, type DetailField } from './fields.ts';
import { SeenDetails } from './detail-sums.ts';

/** How a user of the target was met. */
export type Meeting = 'expected' | 'again' | 'extra';

const chunkBits = 12;
const chunkSize = 1 << chunkBits;
/** Of each person: a hash of what the list should show, in two words; sums of details; the organization; the flags. */
const listedWord = 0;
const sumWords = { metadata: 2, links: 3 } as const;
const orgWord = 4;
const flagsWord = 5;
const words = 6;

const Flag = {
  found: 1,
  exported: 2,
  machine: 4,
  hasPassword: 8,
  listedDiffers: 16,
  stateDiffers: 32,
} as const;
/** Above these, of each detail: the source has something to compare, it differs, nobody knows. */
const firstWanted = 6;
const firstDiffers = firstWanted + detailFields.length;
const firstUnknown = firstDiffers + detailFields.length;
/** Then the state that is expected, by its place in `stateTexts`. */
const stateBits = firstUnknown + detailFields.length;

/** In the place of a person: a user of the target who is nobody of the source. */
const nobody = 2 ** 32 - 1;

/** People are numbered from 0 in the order of the source: 65 to 110 bytes each, up to 175 under a new id. */
export class Expectations {
  size = 0;
  found = 0;
  readonly #seed = randomInt(2 ** 32);
  readonly #names = new TextTable();
  readonly #ids = new TextTable();
  /** Ids at the target that are not those of the source: of the id map, of who was found by name, of who is extra. */
  readonly #others = new TextTable();
  readonly #otherPeople = new NumberList();
  readonly #targetIds = new NumberTexts();
  readonly #chunks: Uint32Array[] = [];
  readonly #seen = new SeenDetails();
  /** What the list shows of those for whom it is not what was expected: a hash of each field. */
  readonly #shown = new NumberList();
  readonly #scratch = new Uint32Array(2);

  /** `id` may be empty. */
  add(id: string, userName: string, listed: readonly string[], { isMachine = false } = {}): number {
    const person = this.size++;
    if ((person & (chunkSize - 1)) === 0) this.#chunks.push(new Uint32Array(chunkSize * words));
    this.#names.add(userName.trim().toLowerCase());
    if (id === '') this.#ids.skip();
    else this.#ids.add(id);
    hashText(together(listed), this.#seed, this.#scratch, 0);
    this.#set(person, listedWord, this.#scratch[0]!);
    this.#set(person, listedWord + 1, this.#scratch[1]!);
    this.#raise(person, stateTexts.indexOf(listed[statePlace] ?? '') << stateBits);
    if (isMachine) this.#raise(person, Flag.machine);
    return person;
  }

  byId(id: string): number {
    return this.#ids.find(id);
  }

  /** A user of the target: by the id map, else by the own id, then by user name. */
  find(targetId: string, userName: string): number {
    const other = this.#byOther(targetId);
    if (other !== undefined && other !== nobody) return other;
    const known = this.byId(targetId);
    return known === -1 ? this.#byName(userName) : known;
  }

  /** The person with this id (or user name) in the source has that id at the target. */
  alias(oldId: string, newId: string): void {
    const byId = this.byId(oldId);
    const person = byId === -1 ? this.#byName(oldId) : byId;
    if (person === -1 || newId === '') return;
    this.#addOther(newId, person);
    this.#targetIds.set(person, newId);
  }

  /** The id at the target of a person whose id in the source is `id`, as far as it is known. */
  targetId(person: number, id: string): string {
    return this.#targetIds.get(person) ?? id;
  }

  /** -1 for whoever was not listed, or is nobody of the source. */
  byTargetId(id: string): number {
    const other = this.#byOther(id);
    const person = other ?? this.byId(id);
    return person !== nobody && person !== -1 && this.#isFoundAs(person, id) ? person : -1;
  }

  /** Notes a listed user. Pages overlap where people come and go meanwhile: nobody counts twice. */
  meet(targetId: string, userName: string, org: number): Meeting {
    const other = this.#byOther(targetId);
    if (other === nobody) return 'again';
    const person = this.find(targetId, userName);
    if (person !== -1 && this.#isFoundAs(person, targetId)) return 'again';
    if (person === -1 || this.isFound(person)) {
      this.#addOther(targetId, nobody);
      return 'extra';
    }
    this.found += 1;
    this.#raise(person, Flag.found);
    this.#set(person, orgWord, org);
    const isOwnId = this.byId(targetId) === person;
    if (!isOwnId && other === undefined) this.#addOther(targetId, person);
    if (!isOwnId || this.#targetIds.get(person) !== undefined) this.#targetIds.set(person, targetId);
    return 'expected';
  }

  isFound(person: number): boolean {
    return this.#has(person, Flag.found);
  }

  isMachine(person: number): boolean {
    return this.#has(person, Flag.machine);
  }

  /** Where in the list of organizations the person was found. */
  orgOf(person: number): number {
    return this.#get(person, orgWord);
  }

  /** `shown` has in each place every text that would be right; more than one only in that of the state. */
  compare(person: number, shown: readonly (readonly string[])[]): void {
    const state = stateTexts[(this.#get(person, flagsWord) >>> stateBits) & 3] ?? '';
    if (!(shown[statePlace] ?? []).includes(state)) this.#raise(person, Flag.stateDiffers);
    const texts = shown.map(([text = '']) => text);
    hashText(together(texts), this.#seed, this.#scratch, 0);
    const same =
      this.#get(person, listedWord) === this.#scratch[0] &&
      this.#get(person, listedWord + 1) === this.#scratch[1];
    if (same) return;
    this.#raise(person, Flag.listedDiffers);
    this.#set(person, listedWord, this.#shown.push(...texts.map((text) => this.#hash(text))));
  }

  /** `entries` in any order; a password is one entry, whatever it is. */
  expect(person: number, field: DetailField, entry: string): void {
    this.#raise(person, detailFlag(firstWanted, field));
    // Of passwords there is one or none, and which one does not count.
    if (field === 'password') return;
    const word = sumWords[field];
    this.#set(person, word, this.#get(person, word) + this.#hash(entry));
  }

  /** Whether the source has something to compare. */
  wants(person: number, field: DetailField): boolean {
    return this.#has(person, detailFlag(firstWanted, field));
  }

  /** Of an export, which tells of everybody in an order of its own. */
  see(person: number, field: DetailField, entry: string): void {
    this.#seen.add(person, field, this.#hash(entry));
  }

  /** Before details of these people are seen anew: what an export told that broke off does not count. */
  forget(person: number): void {
    this.#seen.forget(person);
    this.#set(person, flagsWord, this.#get(person, flagsWord) & ~Flag.exported);
  }

  /** The list tells since when somebody has a password; of who has none it tells nothing, nor do older services. */
  proveHasPassword(person: number): void {
    this.#raise(person, Flag.hasPassword);
  }

  hasPassword(person: number): boolean {
    return this.#has(person, Flag.hasPassword);
  }

  seeExported(person: number): void {
    this.#raise(person, Flag.exported);
  }

  isExported(person: number): boolean {
    return this.#has(person, Flag.exported);
  }

  /** Once the export has told everything. */
  compareExported(person: number): void {
    for (const field of detailFields) this.#compareSum(person, field, this.#seen.sum(person, field));
  }

  /** `entries`: all that there are. */
  compareDetail(person: number, field: DetailField, entries: readonly string[]): void {
    const sum = entries.reduce((sum, entry) => (sum + this.#hash(entry)) >>> 0, 0);
    this.#compareSum(person, field, sum);
  }

  /** Nobody can know whether this field is as expected. */
  doubt(person: number, field: DetailField): void {
    this.#raise(person, detailFlag(firstUnknown, field));
  }

  /** Everybody was found, nothing of them differs, and nothing is unknown. */
  areAllSame(): boolean {
    const details = (2 ** (stateBits - firstDiffers) - 1) << firstDiffers;
    const troubles = details | Flag.listedDiffers | Flag.stateDiffers;
    for (let person = 0; person < this.size; person++) if (this.#has(person, troubles)) return false;
    return this.found === this.size;
  }

  /** Names of the fields that are not as expected. `listed` is what was expected of the list, from the source again. */
  differences(person: number, listed: () => readonly string[]): string[] {
    const differs = (flag: number): boolean => this.#has(person, flag);
    const ofList = differs(Flag.listedDiffers) ? this.#listedDifferences(person, listed()) : [];
    const state = differs(Flag.stateDiffers) ? [fields[statePlace]] : [];
    const details = detailFields.filter((field) => differs(detailFlag(firstDiffers, field)));
    const all = new Set<string | undefined>([...ofList, ...state, ...details]);
    return fields.filter((field) => all.has(field));
  }

  unknown(person: number): string[] {
    return detailFields.filter((field) => this.#has(person, detailFlag(firstUnknown, field)));
  }

  #listedDifferences(person: number, expected: readonly string[]): string[] {
    const place = this.#get(person, listedWord);
    return listedFields.filter(
      (_, at) => at !== statePlace && this.#shown.get(place + at) !== this.#hash(expected[at] ?? ''),
    );
  }

  /** A password that came later is no difference. */
  #compareSum(person: number, field: DetailField, seen: number): void {
    const same =
      field === 'password'
        ? seen !== 0 || this.hasPassword(person) || !this.wants(person, field)
        : seen === this.#get(person, sumWords[field]);
    if (!same) this.#raise(person, detailFlag(firstDiffers, field));
  }

  #byOther(targetId: string): number | undefined {
    const at = this.#others.find(targetId);
    return at === -1 ? undefined : this.#otherPeople.get(at);
  }

  #addOther(targetId: string, person: number): void {
    this.#others.add(targetId);
    this.#otherPeople.push(person);
  }

  #isFoundAs(person: number, targetId: string): boolean {
    if (!this.isFound(person)) return false;
    const known = this.#targetIds.get(person);
    return known === undefined ? this.byId(targetId) === person : known === targetId;
  }

  #byName(userName: string): number {
    return this.#names.find(userName.trim().toLowerCase());
  }

  #raise(person: number, flags: number): void {
    this.#set(person, flagsWord, this.#get(person, flagsWord) | flags);
  }

  #has(person: number, flag: number): boolean {
    return (this.#get(person, flagsWord) & flag) !== 0;
  }

  #hash(text: string): number {
    hashText(text, this.#seed, this.#scratch, 0);
    return this.#scratch[0]!;
  }

  #get(person: number, word: number): number {
    return this.#chunks[person >>> chunkBits]![(person & (chunkSize - 1)) * words + word]!;
  }

  #set(person: number, word: number, value: number): void {
    this.#chunks[person >>> chunkBits]![(person & (chunkSize - 1)) * words + word] = value;
  }
}

/** So that no two lists of texts give the same one. */
function together(listed: readonly string[]): string {
  let text = '';
  for (const [at, field] of listed.entries()) if (at !== statePlace) text += `${field.length} ${field}`;
  return text;
}

function detailFlag(first: number, field: DetailField): number {
  return 1 << (first + detailFields.indexOf(field));
}
