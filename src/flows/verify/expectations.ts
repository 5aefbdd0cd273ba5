/** The people of a source in, what is to be found of each at the target out: about 130 bytes a person, no texts. */
import { randomInt } from 'node:crypto';
import { hashText } from '../../lib/hash-text.ts';
import { TextTable } from '../../lib/text-table.ts';
import { exportedFields, fields } from './fields.ts';

/** How far a person has been found. */
export const Found = { missing: 0, there: 1, twice: 2 } as const;

const metadataPlace = fields.indexOf('metadata');
const linksPlace = fields.indexOf('links');
const passwordPlace = fields.indexOf('password');

const chunkBits = 12;
const chunkSize = 1 << chunkBits;
const words = fields.length + 1 + exportedFields.length;
const maskWord = fields.length;
const seenWord = maskWord + 1;

/** People are numbered from 0 in the order in which they are expected. */
export class Expectations {
  size = 0;
  readonly #seed = randomInt(2 ** 32);
  readonly #names = new TextTable();
  readonly #ids = new TextTable();
  /** Ids at the target, and whose they are. */
  readonly #targetIds = new TextTable();
  readonly #targetPeople: number[] = [];
  readonly #aliases = new TextTable();
  readonly #aliasPeople: number[] = [];
  readonly #chunks: Uint32Array[] = [];
  readonly #found: Uint8Array[] = [];
  readonly #scratch = new Uint32Array(2);

  /** `id` may be empty. */
  add(id: string, userName: string, listed: readonly string[], hasPassword: boolean): number {
    const person = this.size++;
    if ((person & (chunkSize - 1)) === 0) {
      this.#chunks.push(new Uint32Array(chunkSize * words));
      this.#found.push(new Uint8Array(chunkSize));
    }
    this.#names.add(userName.trim().toLowerCase());
    if (id === '') this.#ids.skip();
    else this.#ids.add(id);
    for (const [place, text] of listed.entries()) this.#set(person, place, this.#hash(text));
    this.#set(person, passwordPlace, hasPassword ? 1 : 0);
    return person;
  }

  byId(id: string): number {
    return this.#ids.find(id);
  }

  byName(userName: string): number {
    return this.#names.find(userName.trim().toLowerCase());
  }

  /** A user of the target: by the id map, else by the own id, then by user name. */
  find(targetId: string, userName: string): number {
    const alias = this.#aliases.find(targetId);
    if (alias !== -1) return this.#aliasPeople[alias]!;
    const known = this.byId(targetId);
    return known === -1 ? this.byName(userName) : known;
  }

  /** The person with this id (or user name) in the source has that id at the target. */
  alias(oldId: string, newId: string): void {
    const byId = this.byId(oldId);
    const person = byId === -1 ? this.byName(oldId) : byId;
    if (person === -1 || newId === '') return;
    this.#aliasPeople[this.#aliases.add(newId)] = person;
  }

  byTargetId(id: string): number {
    const at = this.#targetIds.find(id);
    return at === -1 ? -1 : this.#targetPeople[at]!;
  }

  /** Notes the person as found under this id; returns false where somebody was found for them already. */
  meet(person: number, targetId: string): boolean {
    const found = this.#found[person >>> chunkBits]!;
    const at = person & (chunkSize - 1);
    if (found[at] !== Found.missing) {
      found[at] = Found.twice;
      return false;
    }
    found[at] = Found.there;
    this.#targetPeople[this.#targetIds.add(targetId)] = person;
    return true;
  }

  isFound(person: number): boolean {
    return this.#found[person >>> chunkBits]![person & (chunkSize - 1)] !== Found.missing;
  }

  /** `shown` has in each place every text that would be right. */
  compare(person: number, shown: readonly (readonly string[])[]): void {
    for (const [place, texts] of shown.entries()) {
      const expected = this.#get(person, place);
      if (!texts.some((text) => this.#hash(text) === expected)) this.#differ(person, place);
    }
  }

  /** In any order; `value` is base64. */
  expectMetadata(person: number, key: string, value: string): void {
    this.#addTo(person, metadataPlace, this.#hash(metadataText(key, value)));
  }

  expectLink(person: number, idpId: string, externalId: string): void {
    this.#addTo(person, linksPlace, this.#hash(`${idpId}\n${externalId}`));
  }

  seeMetadata(person: number, key: string, value: string): void {
    this.#addTo(person, seenWord, this.#hash(metadataText(key, value)));
  }

  seeLink(person: number, idpId: string, externalId: string): void {
    this.#addTo(person, seenWord + 1, this.#hash(`${idpId}\n${externalId}`));
  }

  seePassword(person: number): void {
    this.#set(person, seenWord + 2, 1);
  }

  /** After everything that an export shows was seen. A password that came later is no difference. */
  compareExported(person: number): void {
    if (this.#get(person, metadataPlace) !== this.#get(person, seenWord)) this.#differ(person, metadataPlace);
    if (this.#get(person, linksPlace) !== this.#get(person, seenWord + 1)) this.#differ(person, linksPlace);
    if (this.#get(person, passwordPlace) === 1 && this.#get(person, seenWord + 2) === 0) {
      this.#differ(person, passwordPlace);
    }
  }

  /** Names of the fields that are not as expected. */
  differences(person: number): string[] {
    const mask = this.#get(person, maskWord);
    return fields.filter((_, place) => (mask & (1 << place)) !== 0);
  }

  #differ(person: number, place: number): void {
    this.#set(person, maskWord, this.#get(person, maskWord) | (1 << place));
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

  #addTo(person: number, word: number, value: number): void {
    this.#set(person, word, this.#get(person, word) + value);
  }
}

/** Base64 is written in more than one way. */
function metadataText(key: string, value: string): string {
  return `${key}\n${Buffer.from(value, 'base64').toString('base64')}`;
}
