/**
 * Tells whose a row of a joined table is where rows know users by an id, by the id of a linked account or by an email, and
 * never guesses: a row that fits several users is none's, and of rows with different texts for one user none counts.
 *
 * Most users can be told at once: one row has their id, or none has any of their keys. For others all users must be known,
 * those who come later as well: `judge` takes them. The order of rows and users does not change an answer.
 */
import { keyWords } from '../../compact/key-table.ts';
import { RunLengthList, valueAt } from '../../compact/run-length-list.ts';
import { type Account, ClaimUsers } from './claim-users.ts';
import { type Answer, Judgement, type Outcome } from './judgement.ts';
import { type OpenSpillFile, RowStore } from './row-store.ts';

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

/** Columns of the rows, behind that of the alternate ids. */
const ids = 1;
const emails = 2;

/** Marks of a row. */
const isTaken = 1;
/** A user who was told by another row has the id as a linked one, or the email; marks the newest row that has it, too. */
const linksUser = 2;
const emailsUser = 4;

export class Claims {
  readonly #rows: RowStore;
  readonly #connections = new RunLengthList<string>();
  /** Empty for sound rows. */
  readonly #problems = new RunLengthList<string>();
  /** By row; made with the first question. */
  #marks = new Uint8Array(0);
  readonly #key = new Uint32Array(keyWords);
  #mayTell = true;
  #judgement: Judgement | undefined;

  constructor(openSpillFile?: OpenSpillFile) {
    this.#rows = new RowStore(openSpillFile, 3);
  }

  get size(): number {
    return this.#rows.keys.size;
  }

  add({ alternateId, id, email, connection, text }: ClaimingRow): void {
    this.#rows.add(text, alternateId, id, email);
    this.#connections.push(connection);
    this.#problems.push('');
    // Whose the other rows with that id are depends on users who may come later.
    if (alternateId !== '') this.#mayTell = false;
  }

  /** A row of no user, because of what is wrong with it. */
  addBroken(problem: string): void {
    this.#rows.add('');
    this.#connections.push('');
    this.#problems.push(problem);
  }

  text(row: number): string {
    return this.#rows.text(row);
  }

  /** Undefined where all users must be known. Only before `judge`. */
  tell({ id, email, linked }: Account): Answer | undefined {
    const { keys } = this.#rows;
    if (this.#marks.length !== this.size) this.#marks = new Uint8Array(this.size);
    if (!this.#mayTell) return undefined;
    const own = this.#find(id, ids);
    if (own !== -1 && keys.findBefore(own, this.#key, 0, ids) !== -1) return undefined;
    let isLinked = false;
    for (const other of linked) {
      const row = this.#find(other, ids);
      if (row === -1) continue;
      this.#marks[row]! |= linksUser;
      isLinked = true;
    }
    const byEmail = this.#find(email, emails);
    if (own !== -1) {
      this.#marks[own]! |= isTaken;
      if (byEmail !== -1) this.#marks[byEmail]! |= emailsUser;
      return own;
    }
    if (isLinked) return undefined;
    if (byEmail === -1) return 'none';
    const isAnothers =
      (this.#marks[byEmail]! & isTaken) !== 0 && keys.findBefore(byEmail, this.#key, 0, emails) === -1;
    return isAnothers ? 'none' : undefined;
  }

  /** Whether `tell` was not enough to know what became of each row. */
  get needsUsers(): boolean {
    if (this.#judgement !== undefined) return false;
    const { keys } = this.#rows;
    const isMarked = (row: number, column: number, mark: number): boolean => {
      keys.keyOf(row, this.#key, 0, column);
      const newest = keys.find(this.#key, 0, column);
      return newest !== -1 && (this.#marks[newest]! & mark) !== 0;
    };
    for (const [row, mark] of this.#marks.entries()) {
      if ((mark & isTaken) !== 0) continue;
      if (isMarked(row, ids, linksUser) || isMarked(row, emails, emailsUser)) return true;
    }
    return false;
  }

  /** An index for all users, in their order, for `judge`. */
  createUsers(): ClaimUsers {
    return new ClaimUsers(this.#rows.maker);
  }

  judge(users: ClaimUsers): void {
    this.#judgement = new Judgement(this.#rows, (row) => valueAt(this.#connections, row) ?? '', users);
  }

  /** Of the user at this place; undefined before `judge`. */
  answerAt(slot: number): Answer | undefined {
    return this.#judgement?.answerAt(slot);
  }

  /** What became of a row, after the last user was asked for. */
  outcomeOf(row: number): Outcome {
    if (this.problemOf(row) !== '') return 'broken';
    if (this.#judgement !== undefined) return this.#judgement.outcomeOf(row);
    return (this.#marks[row]! & isTaken) === 0 ? 'unmatched' : 2;
  }

  problemOf(row: number): string {
    return valueAt(this.#problems, row) ?? '';
  }

  close(): void {
    this.#rows.close();
  }

  /** The newest row with the key, which is in `#key` then; or -1. */
  #find(text: string, column: number): number {
    if (text === '') return -1;
    this.#rows.maker.ofText(text, this.#key, 0);
    return this.#rows.keys.find(this.#key, 0, column);
  }
}
