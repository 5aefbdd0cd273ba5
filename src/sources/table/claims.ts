/**
 * Finds the user of each row of a joined table, in which rows name users by an id, by the id of a linked account or by an email.
 * It never guesses: a row that fits several users belongs to none, and if rows have different texts for one user, none
 * counts. `judge` is called once all rows and users are added. The order of rows and users does not change an answer.
 */
import { DictionaryColumn, growingWords, growTo, NumberList } from '../../compact/columns.ts';
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
    /** Rows that know their user by email, by their id. */
    const orphans = new KeyTable();
    const orphanRows = new NumberList();
    for (let row = 0; row < this.size; row++) {
      const keyOf = (place: number) => keyIn(this.#keys, rowWords * row + 2 * place);
      const [alternate, id, email] = [keyOf(0), keyOf(1), keyOf(2)];
      const known = users.matchIds(alternate, id);
      const match =
        known.rank === unmatched ? users.matchEmail(email, this.#connections.get(row) ?? '') : known;
      this.#record(row, match);
      if (known.rank !== unmatched || match.rank === unmatched) {
        this.#markShared(match, email);
        continue;
      }
      const own = isKey(alternate) ? alternate : id;
      const other = orphanRows.get(orphans.find(own));
      if (other !== undefined) this.#markDisputed(row, other);
      orphans.add(own);
      orphanRows.push(row);
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

  #record(row: number, { slots, rank }: Match) {
    this.#ranks[row] = rank;
    // The outcome of a row is reported with the earliest record of its user.
    this.#owners[row] = slots.at(-1) ?? 0;
    for (const slot of slots)
      if (rank === isAmbiguous) this.#marks[slot]! |= isSuspected;
      else this.#considerRow(slot, row, rank);
  }

  #considerRow(slot: number, row: number, rank: number) {
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
  #markShared({ slots, rank }: Match, email: Key) {
    const isOwn = rank !== isAmbiguous && slots.some((slot) => this.users.hasEmail(slot, email));
    if (!isOwn) for (const slot of this.users.withEmail(email)) this.#marks[slot]! |= isShared;
  }

  /** Marks users whose rows were found by email and share an id. No user has that id, and on two rows it proves nothing. */
  #markDisputed(...rows: readonly [number, number]) {
    const [owner, other] = rows.map((row) =>
      this.#ranks[row] === isAmbiguous ? undefined : this.#owners[row],
    );
    if (owner === other) return;
    for (const slot of [owner, other])
      if (slot !== undefined)
        for (const record of this.users.recordsOf(slot)) this.#marks[record]! |= isDisputed;
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

/** The user of a row. Several slots are the records of one user, the earliest last. If it is ambiguous, they are those of several users. */
interface Match {
  readonly slots: readonly number[];
  readonly rank: Rank | typeof unmatched | typeof isAmbiguous;
}

const noMatch: Match = { slots: [], rank: unmatched };

/** An index of users. The slot of a user is its place among all records, readable or not. */
class ClaimUsers {
  readonly #ids = new KeyTable();
  readonly #emails = new KeyTable();
  readonly #linked = new KeyTable();
  readonly #linkedTo: number[] = [];
  /** Connections by slot. Nearly all users have the same ones. */
  readonly #connections = new DictionaryColumn<readonly string[]>(JSON.stringify);

  get size() {
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
  matchIds(alternate: Key, id: Key): Match {
    for (const [rank, key] of [[1, alternate] as const, [2, id] as const]) {
      const slots = this.#ids.findAll(key);
      if (slots.length > 0) return { slots, rank };
    }
    for (const key of [alternate, id]) {
      const slots = this.#linked.findAll(key).map((entry) => this.#linkedTo[entry]!);
      if (slots.length > 0) return this.#unlessSeveral({ slots, rank: 3 });
    }
    return noMatch;
  }

  /** Finds a user by email and connection, or by the email alone if nothing speaks against it. */
  matchEmail(email: Key, connection: string): Match {
    const slots = this.withEmail(email);
    const same =
      connection === '' ? [] : slots.filter((slot) => this.#connections.get(slot)?.includes(connection));
    if (same.length > 0) return this.#unlessSeveral({ slots: same, rank: 4 });
    const match = this.#unlessSeveral({ slots, rank: 5 });
    const isRefuted = match.rank === 5 && slots.some((slot) => this.#speaksAgainst(slot, connection));
    return slots.length === 0 || isRefuted ? noMatch : match;
  }

  #unlessSeveral({ slots, rank }: Match): Match {
    const [first = 0, ...others] = slots;
    const isOneUser = others.every((slot) => isSameKey(this.#ids.keyAt(first), this.#ids.keyAt(slot)));
    return { slots, rank: isOneUser ? rank : isAmbiguous };
  }

  withEmail(email: Key) {
    return this.#emails.findAll(email);
  }

  hasEmail(slot: number, email: Key) {
    return isSameKey(this.#emails.keyAt(slot), email);
  }

  /** Returns the slots of all records of the user at `slot`, including `slot` itself. */
  recordsOf(slot: number) {
    const slots = this.#ids.findAll(this.#ids.keyAt(slot));
    return slots.length === 0 ? [slot] : slots;
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
