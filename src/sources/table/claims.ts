/**
 * Finds the user of each row of a joined table, in which rows name users by an id, by the id of a linked account or by an email.
 * It never guesses: a row that fits several users belongs to none, and if rows have different texts for one user, none
 * counts. `judge` is called once all rows and users are added. The order of rows and users does not change an answer.
 */
import { DictionaryColumn, growingWords, growTo } from '../../compact/columns.ts';
import { isKey, type Key, KeyTable, isSameKey, keyIfAny, keyIn } from '../../compact/key-table.ts';
import { createPieceStore, type OpenSpillFile, type PieceStore } from '../../compact/piece-store.ts';

/** What a user gets: the number of a row, or why it gets none. */
type Answer = number | 'none' | 'conflict' | 'ambiguous';

/** What became of a row: the user who has it and by which rank, or why no user has it. */
export type Outcome = Rank | 'repeated' | 'outranked' | 'conflicting' | 'ambiguous' | 'unmatched' | 'broken';

/** Mark of a user: two rows of the best rank contradict each other. */
const isContradicted = 1;
/** Mark of a user: a row of another user has the same email, so that the email alone proves nothing. */
const isShared = 2;
/** Mark of a user: a row may belong to this user or to another one. */
const isSuspected = 4;
/** Mark of a user: a row that knows this user by email has an id that is also on a row of another user. */
const isDisputed = 8;

/** Values in place of the rank of a row. */
const unmatched = 0;
const isAmbiguous = 6;

/** Value in place of a slot if the user is not known. */
const unknownSlot = -1;

export interface ClaimingRow {
  /** Stronger than `id` if a row has both. Empty if absent, like the other fields. */
  readonly alternateId: string;
  readonly id: string;
  /** Compared without changes. */
  readonly email: string;
  readonly connection: string;
  /** What the user gets. Secret. */
  readonly text: string;
}

/** Words of the three keys of a row: of its alternate id, its id and its email. */
const rowWords = 6;

export class Claims {
  size = 0;
  readonly #texts: PieceStore;
  #keys = growingWords();
  readonly #connections = new DictionaryColumn<string>();
  /** All users are added to it in their order. Users and keys are forgotten once rows are judged. */
  users = new ClaimUsers();
  /** By slot: the best rank of a row, the first row with that rank, and marks. */
  #bestRanks = new Uint8Array();
  #bestRows = new Uint32Array();
  #marks = new Uint8Array();
  /** By row: its rank, and the slot of its user. */
  #ranks = new Uint8Array();
  #owners = new Uint32Array();

  constructor(openSpillFile?: OpenSpillFile) {
    this.#texts = createPieceStore(openSpillFile);
  }

  add({ alternateId, id, email, connection, text }: ClaimingRow) {
    this.#connections.set(this.size, connection);
    this.#addRow(text, [alternateId, id, email]);
  }

  /** Adds a row that belongs to no user because it has a problem. Unlike others, it has no connection. */
  addBroken() {
    this.#addRow('', []);
  }

  #addRow(text: string, keys: readonly string[]) {
    this.#texts.add(text);
    const at = rowWords * this.size++;
    this.#keys = growTo(this.#keys, at + rowWords);
    this.#keys.set(keys.flatMap(keyIfAny), at);
  }

  text(row: number) {
    return this.#texts.get(row).toString('utf8');
  }

  close() {
    this.#texts.close();
  }

  judge() {
    const { users } = this;
    this.#bestRanks = new Uint8Array(users.size);
    this.#bestRows = new Uint32Array(users.size);
    this.#marks = new Uint8Array(users.size);
    this.#ranks = new Uint8Array(this.size);
    this.#owners = new Uint32Array(this.size);
    const orphans = new Orphans();
    for (let row = 0; row < this.size; row++) {
      const keyOf = (place: number) => keyIn(this.#keys, rowWords * row + 2 * place);
      const [alternate, id, email] = [keyOf(0), keyOf(1), keyOf(2)];
      const known = users.matchIds(alternate, id);
      const match = known ?? users.matchEmail(email, this.#connections.get(row) ?? '');
      if (match !== undefined) this.#record(row, match);
      if (known !== undefined || match === undefined) this.#markShared(match, email);
      if (known === undefined && match !== undefined)
        this.#markDisputed(orphans, isKey(alternate) ? alternate : id, match);
    }
    this.users = new ClaimUsers();
    this.#keys = growingWords();
  }

  /** Returns the answer for the user at this slot. May be called only after `judge`, like `outcomeOf`. */
  answerAt(slot: number): Answer {
    const rank = this.#bestRanks[slot]!;
    const has = (mark: number) => (this.#marks[slot]! & mark) !== 0;
    if (rank === 0) return has(isSuspected) ? 'ambiguous' : 'none';
    if (rank >= 4 && has(isDisputed)) return 'conflict';
    if (rank === 5 && has(isContradicted | isShared)) return 'ambiguous';
    return has(isContradicted) ? 'conflict' : this.#bestRows[slot]!;
  }

  outcomeOf(row: number): Outcome {
    const rank = this.#ranks[row]!;
    if (!this.#connections.has(row)) return 'broken';
    if (rank === unmatched) return 'unmatched';
    if (rank === isAmbiguous) return 'ambiguous';
    const owner = this.#owners[row]!;
    if (rank > this.#bestRanks[owner]!) return 'outranked';
    const answer = this.answerAt(owner);
    if (typeof answer === 'string') return answer === 'conflict' ? 'conflicting' : 'ambiguous';
    return answer === row ? (rank as Rank) : 'repeated';
  }

  #record(row: number, match: Match | Ambiguity) {
    if ('ambiguous' in match) {
      this.#ranks[row] = isAmbiguous;
      for (const slot of match.ambiguous) this.#marks[slot]! |= isSuspected;
      return;
    }
    const { slots, rank } = match;
    this.#ranks[row] = rank;
    // The outcome of a row is reported with the earliest record of its user.
    this.#owners[row] = slots.at(-1)!;
    for (const slot of slots) this.#considerRow(slot, row, rank);
  }

  #considerRow(slot: number, row: number, rank: Rank) {
    const best = this.#bestRanks[slot]!;
    if (best === 0 || rank < best) {
      this.#bestRanks[slot] = rank;
      this.#bestRows[slot] = row;
      this.#marks[slot]! &= ~isContradicted;
    } else if (rank === best && this.text(row) !== this.text(this.#bestRows[slot]!)) {
      this.#marks[slot]! |= isContradicted;
    }
  }

  /** Marks users whose email is on a row of another user, or of none, so that the email is not unique. */
  #markShared(match: Match | Ambiguity | undefined, email: Key) {
    const owners = match !== undefined && 'slots' in match ? match.slots : [];
    if (!isKey(email) || owners.some((slot) => this.users.hasEmail(slot, email))) return;
    for (const slot of this.users.withEmail(email)) this.#marks[slot]! |= isShared;
  }

  /** Marks users whose rows were found by email and share an id. No user has that id, and on two rows it proves nothing. */
  #markDisputed(orphans: Orphans, id: Key, match: Match | Ambiguity) {
    const slot = 'slots' in match ? match.slots.at(-1)! : unknownSlot;
    const other = orphans.claim(id, slot);
    if (other === slot) return;
    for (const disputed of [slot, other])
      if (disputed !== unknownSlot)
        for (const record of this.users.recordsOf(disputed)) this.#marks[record]! |= isDisputed;
  }
}

class Orphans {
  readonly #ids = new KeyTable();
  readonly #slots: number[] = [];

  /** Returns the slot of the first row with the same id, or `slot` if no other row has it. */
  claim(id: Key, slot: number) {
    if (!isKey(id)) return slot;
    const entry = this.#ids.find(id);
    if (entry !== -1) return this.#slots[entry]!;
    this.#ids.add(id);
    this.#slots.push(slot);
    return slot;
  }
}

/** What rows may know about a user. */
export interface Account {
  /** Empty if the user has none. */
  readonly id: string;
  /** Compared without changes. Empty if the user has none. */
  readonly email: string;
  /** Ids of further accounts that are linked to this one. */
  readonly linked: readonly string[];
  /**
   * Connections in which the user has an account with a password. Undefined if that is not known, empty if there are
   * none.
   */
  readonly connections: readonly string[] | undefined;
}

/**
 * How a row knows its user, the strongest first: 1 by the first of its ids, 2 by the second, 3 by the id of a linked
 * account, 4 by email and connection, 5 by the email alone.
 */
type Rank = 1 | 2 | 3 | 4 | 5;

/** The user of a row. There is at least one slot. Several slots are the records of one user, the earliest last. */
interface Match {
  readonly slots: readonly number[];
  readonly rank: Rank;
}

/** A row fits several users, and nothing tells which of them is meant. */
interface Ambiguity {
  readonly ambiguous: readonly number[];
}

/** An index of users. The slot of a user is its place among all records, readable or not. */
class ClaimUsers {
  readonly #ids = new KeyTable();
  readonly #emails = new KeyTable();
  readonly #linked = new KeyTable();
  readonly #linkedTo: number[] = [];
  /** Connections by slot. Nearly all users have the same ones. */
  readonly #connections = new DictionaryColumn<readonly string[]>(JSON.stringify);

  get size(): number {
    return this.#ids.size;
  }

  add({ id, email, linked, connections }: Account) {
    const slot = this.#ids.add(keyIfAny(id));
    this.#emails.add(keyIfAny(email));
    for (const other of linked) {
      this.#linked.add(keyIfAny(other));
      this.#linkedTo.push(slot);
    }
    if (connections !== undefined) this.#connections.set(slot, connections);
  }

  /** Finds a user by the ids of a row, else by the ids of linked accounts. */
  matchIds(alternate: Key, id: Key): Match | Ambiguity | undefined {
    const keys = [alternate, id];
    for (const [at, key] of keys.entries()) {
      const slots = this.#ids.findAll(key);
      if (slots.length > 0) return { slots, rank: at === 0 ? 1 : 2 };
    }
    for (const key of keys) {
      const slots = this.#linked.findAll(key).map((entry) => this.#linkedTo[entry]!);
      if (slots.length > 0) return this.#isOneUser(slots) ? { slots, rank: 3 } : { ambiguous: slots };
    }
    return undefined;
  }

  /** Finds a user by email and connection, or by the email alone if nothing speaks against it. */
  matchEmail(email: Key, connection: string): Match | Ambiguity | undefined {
    const slots = this.withEmail(email);
    if (slots.length === 0) return undefined;
    const same =
      connection === '' ? [] : slots.filter((slot) => this.#connections.get(slot)?.includes(connection));
    if (same.length > 0) return this.#isOneUser(same) ? { slots: same, rank: 4 } : { ambiguous: same };
    if (!this.#isOneUser(slots)) return { ambiguous: slots };
    return slots.some((slot) => this.#speaksAgainst(slot, connection)) ? undefined : { slots, rank: 5 };
  }

  withEmail(email: Key): readonly number[] {
    return this.#emails.findAll(email);
  }

  hasEmail(slot: number, email: Key) {
    return isSameKey(this.#emails.keyAt(slot), email);
  }

  /** Returns the slots of all records of the user at `slot`, including `slot` itself. */
  recordsOf(slot: number): readonly number[] {
    const slots = this.#ids.findAll(this.#ids.keyAt(slot));
    return slots.length === 0 ? [slot] : slots;
  }

  #isOneUser([first = 0, ...others]: readonly number[]) {
    return others.every((slot) => isSameKey(this.#ids.keyAt(first), this.#ids.keyAt(slot)));
  }

  /**
   * Reports whether a row cannot belong to a user: no account of the user has a password, or those that have are of other
   * connections.
   */
  #speaksAgainst(slot: number, connection: string) {
    const known = this.#connections.get(slot);
    return known !== undefined && (known.length === 0 || connection !== '');
  }
}
