/**
 * Finds the user of each row of a joined table, where rows name users by an id, by the id of a linked account or by an email.
 * It never guesses: a row that fits several users belongs to none, and where rows have different texts for one user, none
 * counts. All rows are added first, then `judge` gets all users. The order of rows and users does not change an answer.
 */
import { DictionaryColumn } from '../../compact/columns.ts';
import { ClaimUsers, type Ambiguity, type Match, type Rank } from './claim-users.ts';
import { RowStore } from './row-store.ts';
import { isKey, type Key, KeyTable } from '../../compact/key-table.ts';
import type { OpenSpillFile } from '../../compact/piece-store.ts';

/** What a user gets: the number of a row, or why it gets none. */
export type Answer = number | 'none' | 'conflict' | 'ambiguous';

/** What became of a row: the user who has it and by which rank, or why no user has it. */
export type Outcome = Rank | 'repeated' | 'outranked' | 'conflicting' | 'ambiguous' | 'unmatched' | 'broken';

/** Marks of a user. Two rows of the best rank contradict each other. */
const isContradicted = 1;
/** A row of another user has the email, too: it alone proves nothing. */
const isShared = 2;
/** A row may be this user's, or another user's. */
const isSuspected = 4;
/** A row that knows this user by the email has an id that is also on a row of another user. */
const isDisputed = 8;

/** In place of the rank of a row. */
const unmatched = 0;
const isAmbiguous = 6;

/** In place of a slot where the user is not known. */
const unknownSlot = -1;

export interface ClaimingRow {
  /** Stronger than `id`, where a row has both. Empty where it is absent, as the others. */
  readonly alternateId: string;
  readonly id: string;
  /** Compared as it is. */
  readonly email: string;
  readonly connection: string;
  /** What the user gets; secret. */
  readonly text: string;
}

export class Claims {
  readonly #rows: RowStore;
  readonly #connections = new DictionaryColumn<string>((name) => name);
  /** Of rows that are not sound. */
  readonly #problems = new DictionaryColumn<string>((problem) => problem);
  #users: ClaimUsers;
  /** By slot: the best rank of a row, the first row that has it, and marks. */
  #bestRanks = new Uint8Array();
  #bestRows = new Uint32Array();
  #marks = new Uint8Array();
  /** By row: its rank, and the slot of its user. */
  #ranks = new Uint8Array();
  #owners = new Uint32Array();

  constructor(openSpillFile?: OpenSpillFile) {
    this.#rows = new RowStore(openSpillFile, 3);
    this.#users = this.createUsers();
  }

  get size(): number {
    return this.#rows.keys[0]!.size;
  }

  add({ alternateId, id, email, connection, text }: ClaimingRow): void {
    this.#connections.set(this.size, connection);
    this.#rows.add(text, alternateId, id, email);
  }

  /** A row of no user, because of what is wrong with it. */
  addBroken(problem: string): void {
    this.#problems.set(this.size, problem);
    this.#rows.add('');
  }

  text(row: number): string {
    return this.#rows.text(row);
  }

  problemOf(row: number): string {
    return this.#problems.get(row) ?? '';
  }

  close(): void {
    this.#rows.close();
  }

  /** An index for all users, in their order, for `judge`. */
  createUsers(): ClaimUsers {
    return new ClaimUsers(this.#rows.seed);
  }

  judge(users: ClaimUsers): void {
    this.#users = users;
    this.#bestRanks = new Uint8Array(users.size);
    this.#bestRows = new Uint32Array(users.size);
    this.#marks = new Uint8Array(users.size);
    this.#ranks = new Uint8Array(this.size);
    this.#owners = new Uint32Array(this.size);
    const orphans = new Orphans();
    for (let row = 0; row < this.size; row++) {
      const [alternate, id, email] = this.#rows.keys.map((table) => table.keyAt(row)) as [Key, Key, Key];
      const known = users.matchIds(alternate, id);
      const match = known ?? users.matchEmail(email, this.#connections.get(row) ?? '');
      if (match !== undefined) this.#record(row, match);
      if (known !== undefined || match === undefined) this.#markShared(match, email);
      if (known === undefined && match !== undefined)
        this.#markDisputed(orphans, isKey(alternate) ? alternate : id, match);
    }
  }

  /** Of the user at this place. Only after `judge`, as `outcomeOf`. */
  answerAt(slot: number): Answer {
    const rank = this.#bestRanks[slot]!;
    const has = (mark: number) => (this.#marks[slot]! & mark) !== 0;
    if (rank === 0) return has(isSuspected) ? 'ambiguous' : 'none';
    if (rank >= 4 && has(isDisputed)) return 'conflict';
    if (rank === 5 && has(isContradicted | isShared)) return 'ambiguous';
    return has(isContradicted) ? 'conflict' : this.#bestRows[slot]!;
  }

  /** What became of a row. */
  outcomeOf(row: number): Outcome {
    const rank = this.#ranks[row]!;
    if (this.problemOf(row) !== '') return 'broken';
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
    this.#owners[row] = firstOf(slots);
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

  /** The row of one user (or of none) has the email of another one, so that it is not unique. */
  #markShared(match: Match | Ambiguity | undefined, email: Key) {
    const owners = match !== undefined && 'slots' in match ? match.slots : [];
    if (!isKey(email) || owners.some((slot) => this.#users.hasEmail(slot, email))) return;
    for (const slot of this.#users.withEmail(email)) this.#marks[slot]! |= isShared;
  }

  /** No user has the id of a row that was found by its email: where two rows have that id, it proves nothing. */
  #markDisputed(orphans: Orphans, id: Key, match: Match | Ambiguity) {
    const slot = 'slots' in match ? firstOf(match.slots) : unknownSlot;
    const other = orphans.claim(id, slot);
    if (other === slot) return;
    for (const disputed of [slot, other])
      if (disputed !== unknownSlot)
        for (const record of this.#users.recordsOf(disputed)) this.#marks[record]! |= isDisputed;
  }
}

class Orphans {
  readonly #ids = new KeyTable();
  readonly #slots: number[] = [];

  /** The slot of the first row with the same id, which is `slot` for a row that comes alone. */
  claim(id: Key, slot: number): number {
    if (!isKey(id)) return slot;
    const entry = this.#ids.find(id);
    if (entry !== -1) return this.#slots[entry]!;
    this.#ids.add(id);
    this.#slots.push(slot);
    return slot;
  }
}

/** The earliest of the records of one user: the one that a row's outcome is reported with. */
function firstOf(slots: readonly number[]) {
  return slots.length === 1 ? slots[0]! : Math.min(...slots);
}
