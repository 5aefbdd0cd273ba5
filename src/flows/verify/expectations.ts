/** The people of a source in, what is to be found of each at the target out: hashes and numbers, no texts. */
import { randomInt } from 'node:crypto';
import { hashText } from '../../lib/hash-text.ts';
import { NumberTexts } from '../../lib/number-texts.ts';
import { TextTable } from '../../lib/text-table.ts';
import { detailFields, fields, type DetailField } from './fields.ts';

/** How a user of the target was met. */
export type Meeting = 'expected' | 'again' | 'extra';

const place = Object.fromEntries(detailFields.map((field) => [field, fields.indexOf(field)])) as Record<
  DetailField,
  number
>;

const chunkBits = 12;
const chunkSize = 1 << chunkBits;
/** Behind the fields: what is seen of the details, which fields differ, which nobody knows, and the flags. */
const seenWord = fields.length;
const differWord = seenWord + detailFields.length;
const unknownWord = differWord + 1;
const flagsWord = unknownWord + 1;
const words = flagsWord + 1;

const Flag = { found: 1, exported: 2, machine: 4, hasPassword: 8 } as const;
/** Above the flags, of each detail: the source has something to compare. */
const firstWanted = 4;
/** Above these, the number of the organization. */
const orgBits = 8;

/** People are numbered from 0 in the order in which they are expected. */
export class Expectations {
  size = 0;
  found = 0;
  readonly #seed = randomInt(2 ** 32);
  readonly #names = new TextTable();
  readonly #ids = new TextTable();
  /** Everybody who was listed, and whom of the source they are; -1 for nobody. */
  readonly #listed = new TextTable();
  readonly #listedPeople: number[] = [];
  readonly #aliases = new TextTable();
  readonly #aliasPeople: number[] = [];
  /** Ids at the target, where they are not those of the source. */
  readonly #targetIds = new NumberTexts();
  readonly #chunks: Uint32Array[] = [];
  readonly #scratch = new Uint32Array(2);

  /** `id` may be empty. */
  add(id: string, userName: string, listed: readonly string[], { isMachine = false } = {}): number {
    const person = this.size++;
    if ((person & (chunkSize - 1)) === 0) this.#chunks.push(new Uint32Array(chunkSize * words));
    this.#names.add(userName.trim().toLowerCase());
    if (id === '') this.#ids.skip();
    else this.#ids.add(id);
    for (const [at, text] of listed.entries()) this.#set(person, at, this.#hash(text));
    if (isMachine) this.#raise(person, Flag.machine);
    return person;
  }

  byId(id: string): number {
    return this.#ids.find(id);
  }

  /** A user of the target: by the id map, else by the own id, then by user name. */
  find(targetId: string, userName: string): number {
    const alias = this.#aliases.find(targetId);
    if (alias !== -1) return this.#aliasPeople[alias]!;
    const known = this.byId(targetId);
    return known === -1 ? this.#byName(userName) : known;
  }

  /** The person with this id (or user name) in the source has that id at the target. */
  alias(oldId: string, newId: string): void {
    const byId = this.byId(oldId);
    const person = byId === -1 ? this.#byName(oldId) : byId;
    if (person === -1 || newId === '') return;
    this.#aliasPeople[this.#aliases.add(newId)] = person;
    this.#targetIds.set(person, newId);
  }

  /** The id at the target of a person whose id in the source is `id`, as far as it is known. */
  targetId(person: number, id: string): string {
    return this.#targetIds.get(person) ?? id;
  }

  byTargetId(id: string): number {
    const at = this.#listed.find(id);
    return at === -1 ? -1 : this.#listedPeople[at]!;
  }

  /** Notes a listed user. Pages overlap where people come and go meanwhile: nobody counts twice. */
  meet(targetId: string, userName: string, org: number): Meeting {
    if (this.#listed.find(targetId) !== -1) return 'again';
    const person = this.find(targetId, userName);
    const expected = person !== -1 && !this.isFound(person);
    this.#listedPeople[this.#listed.add(targetId)] = expected ? person : -1;
    if (!expected) return 'extra';
    this.found += 1;
    this.#raise(person, Flag.found | (org << orgBits));
    if (this.byId(targetId) !== person) this.#targetIds.set(person, targetId);
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
    return this.#get(person, flagsWord) >>> orgBits;
  }

  /** `shown` has in each place every text that would be right. */
  compare(person: number, shown: readonly (readonly string[])[]): void {
    for (const [at, texts] of shown.entries()) {
      const expected = this.#get(person, at);
      if (!texts.some((text) => this.#hash(text) === expected)) this.#mark(person, differWord, at);
    }
  }

  /** `entries` in any order; a password is one entry, whatever it is. */
  expect(person: number, field: DetailField, entry: string): void {
    this.#raise(person, wanted(field));
    this.#add(person, place[field], this.#hash(entry));
  }

  /** Whether the source has something to compare. */
  wants(person: number, field: DetailField): boolean {
    return this.#has(person, wanted(field));
  }

  see(person: number, field: DetailField, entry: string): void {
    this.#add(person, seenWord + detailFields.indexOf(field), this.#hash(entry));
  }

  /** Before details of these people are seen anew: what an export told that broke off does not count. */
  forget(person: number): void {
    for (const at of detailFields.keys()) this.#set(person, seenWord + at, 0);
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

  /** Once everything of this field was seen. A password that came later is no difference. */
  compareDetail(person: number, field: DetailField): void {
    const expected = this.#get(person, place[field]);
    const seen = this.#get(person, seenWord + detailFields.indexOf(field));
    const passwordIsThere = expected === 0 || seen !== 0 || this.hasPassword(person);
    const same = field === 'password' ? passwordIsThere : expected === seen;
    if (!same) this.#mark(person, differWord, place[field]);
  }

  /** Nobody can know whether this field is as expected. */
  doubt(person: number, field: DetailField): void {
    this.#mark(person, unknownWord, place[field]);
  }

  /** Names of the fields that are not as expected. */
  differences(person: number): string[] {
    return named(this.#get(person, differWord));
  }

  unknown(person: number): string[] {
    return named(this.#get(person, unknownWord));
  }

  #byName(userName: string): number {
    return this.#names.find(userName.trim().toLowerCase());
  }

  #mark(person: number, word: number, at: number): void {
    this.#set(person, word, this.#get(person, word) | (1 << at));
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

  #add(person: number, word: number, value: number): void {
    this.#set(person, word, this.#get(person, word) + value);
  }
}

function wanted(field: DetailField): number {
  return 1 << (firstWanted + detailFields.indexOf(field));
}

function named(mask: number): string[] {
  return fields.filter((_, at) => (mask & (1 << at)) !== 0);
}

/** Base64 is written in more than one way. */
export function metadataEntry(key: string, value: string): string {
  return `${key}\n${Buffer.from(value, 'base64').toString('base64')}`;
}

export function linkEntry(idpId: string, externalId: string): string {
  return `${idpId}\n${externalId}`;
}

/** Which one it is does not count: the service replaces the hash at the first login. */
export const passwordEntry = 'a password';
