/**
 * Tells whose a row of a joined table is where rows know users by an id, by the id of a linked account or by an email, and
 * never guesses: a row that fits several users is none's, and of rows with different texts for one user none counts. All
 * rows are added first, then `judge` takes all users. The order of rows and users does not change an answer.
 */
import { RunLengthList, valueAt } from '../../compact/run-length-list.ts';
import { ClaimUsers } from './claim-users.ts';
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

export class Claims {
  readonly #rows: RowStore;
  readonly #connections = new RunLengthList<string>();
  /** Empty for sound rows. */
  readonly #problems = new RunLengthList<string>();
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

  /** An index for all users, in their order, for `judge`. */
  createUsers(): ClaimUsers {
    return new ClaimUsers(this.#rows.maker);
  }

  judge(users: ClaimUsers): void {
    this.#judgement = new Judgement(this.#rows, (row) => valueAt(this.#connections, row) ?? '', users);
  }

  /** Of the user at this place. Only after `judge`, as `outcomeOf`. */
  answerAt(slot: number): Answer {
    return this.#judgement!.answerAt(slot);
  }

  /** What became of a row. */
  outcomeOf(row: number): Outcome {
    return this.problemOf(row) === '' ? this.#judgement!.outcomeOf(row) : 'broken';
  }

  problemOf(row: number): string {
    return valueAt(this.#problems, row) ?? '';
  }

  close(): void {
    this.#rows.close();
  }
}
