/**
 * Index of all users of a run by id, email and connection: about 46 bytes a user, no texts.
 * A user's slot is its place among all records of the run, readable or not.
 */
import { isKey, KeyMaker, KeyTable, keyWords } from '../../../compact/key-table.ts';
import { type RunLengths, valueAt } from '../../../compact/run-length-list.ts';
import { alternateKey, emailKey, lineKeyWords, objectKey, type PasswordKeys } from './password-lines.ts';
import { type Connections, type UserKeyBatch, userKeyWords } from './user-keys.ts';

/**
 * How a line was joined, the strongest first: 1 alternate id, 2 object id, 3 the id of a linked account,
 * 4 email and connection, 5 the email alone.
 */
export type Rank = 1 | 2 | 3 | 4 | 5;

/** Whom a line belongs to. */
export interface Match {
  /** Never empty; several slots are records of one user that stands there more than once, the earliest last. */
  readonly slots: readonly number[];
  readonly rank: Rank;
}

/** What the line knows is true of several users, and nothing tells which of them is meant. */
export interface Ambiguity {
  readonly ambiguous: readonly number[];
}

/** Columns of the table of users. */
const ids = 0;
const emails = 1;

/** What `connections` holds for a user besides places in the list of names. */
const unknownConnections = 0;
const noConnection = 1;
const severalConnections = 2;
const firstName = 3;

const chunkBits = 18;
const chunkMask = (1 << chunkBits) - 1;

export class UserIndex {
  readonly maker = new KeyMaker();
  /** By slot; its columns are the keys of `UserKeyBatch`. */
  readonly #users = new KeyTable(2);
  readonly #linked = new KeyTable();
  readonly #linkedTo: number[] = [];
  readonly #connections: Uint16Array[] = [];
  readonly #connectionNumbers = new Map<string, number>();
  readonly #connectionLists = new Map<number, readonly string[]>();
  readonly #key = new Uint32Array(keyWords);

  get size(): number {
    return this.#users.size;
  }

  /** The next slots. */
  add(users: UserKeyBatch): void {
    const first = this.size;
    for (let place = 0; place < users.count; place++) {
      const slot = this.#users.add(users.words, place * userKeyWords);
      if ((slot & chunkMask) === 0) this.#connections.push(new Uint16Array(chunkMask + 1));
    }
    this.#addConnections(first, users.connections);
    for (const { place, id } of users.linked) {
      this.maker.ofText('', id, this.#key, 0);
      this.#linked.add(this.#key, 0);
      this.#linkedTo.push(first + place);
    }
  }

  /** The slots of a user id. */
  findUser(id: string): readonly number[] {
    this.maker.ofText('', id, this.#key, 0);
    return slotsOf(this.#users, this.#key, 0, ids);
  }

  /** All records of the user at `slot`, that one included. */
  recordsOf(slot: number): readonly number[] {
    this.#users.keyOf(slot, this.#key, 0, ids);
    const slots = slotsOf(this.#users, this.#key, 0, ids);
    return slots.length === 0 ? [slot] : slots;
  }

  /**
   * The slot of the user whom the object id of the line names, and whose email it has, where that is all there is to
   * know: of most lines. Otherwise -1.
   */
  ownerOf({ words }: PasswordKeys, place: number): number {
    const at = place * lineKeyWords;
    if (isKey(words, at + alternateKey)) return -1;
    const slot = this.#users.findOnly(words, at + objectKey, ids);
    return slot !== -1 && this.#users.has(slot, words, at + emailKey, emails) ? slot : -1;
  }

  /** By the ids that the line holds, in the order of their strength. */
  matchIds({ words }: PasswordKeys, place: number): Match | Ambiguity | undefined {
    const at = place * lineKeyWords;
    const alternate = slotsOf(this.#users, words, at + alternateKey, ids);
    if (alternate.length > 0) return { slots: alternate, rank: 1 };
    const object = slotsOf(this.#users, words, at + objectKey, ids);
    if (object.length > 0) return { slots: object, rank: 2 };
    if (this.#linked.size === 0) return undefined;
    for (const key of [alternateKey, objectKey]) {
      const slots = slotsOf(this.#linked, words, at + key).map((entry) => this.#linkedTo[entry]!);
      if (slots.length > 0) return this.#isOneUser(slots) ? { slots, rank: 3 } : { ambiguous: slots };
    }
    return undefined;
  }

  /** By the email and the connection, or by the email alone where nothing speaks against it. */
  matchEmail(lines: PasswordKeys, place: number): Match | Ambiguity | undefined {
    const slots = this.findEmail(lines, place);
    if (slots.length === 0) return undefined;
    const connection = valueAt(lines.connections, place) ?? '';
    const same = connection === '' ? [] : slots.filter((slot) => this.#has(slot, connection));
    if (same.length > 0) return this.#isOneUser(same) ? { slots: same, rank: 4 } : { ambiguous: same };
    if (!this.#isOneUser(slots)) return { ambiguous: slots };
    return slots.some((slot) => this.#speaksAgainst(slot, connection)) ? undefined : { slots, rank: 5 };
  }

  /** The slots of users with the email of the line. */
  findEmail({ words }: PasswordKeys, place: number): readonly number[] {
    return slotsOf(this.#users, words, place * lineKeyWords + emailKey, emails);
  }

  /** Whether the user at `slot` has the email of the line, or the line has none. */
  hasEmail(slot: number, { words }: PasswordKeys, place: number): boolean {
    return this.#users.has(slot, words, place * lineKeyWords + emailKey, emails);
  }

  /** Whether all these slots are records of one user id. */
  #isOneUser(slots: readonly number[]): boolean {
    const [first = 0, ...others] = slots;
    return others.every((slot) => this.#users.same(first, slot, ids));
  }

  #addConnections(first: number, { values, ends }: RunLengths<Connections>): void {
    let slot = first;
    values.forEach((names, run) => {
      for (const end = first + ends[run]!; slot < end; slot++) {
        this.#connections[slot >>> chunkBits]![slot & chunkMask] = this.#encodeConnections(slot, names);
      }
    });
  }

  #encodeConnections(slot: number, names: Connections): number {
    if (names === undefined) return unknownConnections;
    if (names.length === 0) return noConnection;
    const [name = ''] = names;
    const number = names.length === 1 ? this.#numberOf(name) : undefined;
    if (number !== undefined) return number;
    this.#connectionLists.set(slot, names);
    return severalConnections;
  }

  /** Undefined when 65,000 names are taken: such a user keeps a list of its own. */
  #numberOf(name: string): number | undefined {
    const known = this.#connectionNumbers.get(name);
    if (known !== undefined) return known;
    const next = this.#connectionNumbers.size + firstName;
    if (next > 0xffff) return undefined;
    this.#connectionNumbers.set(name, next);
    return next;
  }

  #has(slot: number, connection: string): boolean {
    const code = this.#connections[slot >>> chunkBits]![slot & chunkMask]!;
    if (code === severalConnections) return this.#connectionLists.get(slot)?.includes(connection) ?? false;
    return code >= firstName && code === this.#connectionNumbers.get(connection);
  }

  /** A user without a database account has no password; one of another connection has another. */
  #speaksAgainst(slot: number, connection: string): boolean {
    const code = this.#connections[slot >>> chunkBits]![slot & chunkMask]!;
    if (code === unknownConnections) return false;
    return code === noConnection || connection !== '';
  }
}

const noSlots: readonly number[] = [];

/** The newest first. */
function slotsOf(table: KeyTable, words: Uint32Array, at: number, column = 0): readonly number[] {
  let entry = table.find(words, at, column);
  if (entry === -1) return noSlots;
  const slots: number[] = [];
  for (; entry !== -1; entry = table.findBefore(entry, words, at, column)) slots.push(entry);
  return slots;
}
