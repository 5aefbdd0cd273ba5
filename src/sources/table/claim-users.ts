/** An index of all users, in which the rows of joined tables find theirs: about 36 bytes per user, and no texts. */
import { isSameKey, type Key, keyIfAny, KeyTable } from '../../compact/key-table.ts';
import { DictionaryColumn } from '../../compact/columns.ts';

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
export type Rank = 1 | 2 | 3 | 4 | 5;

/** The user of a row. There is at least one slot. Several slots are the records of one user, the earliest last. */
export interface Match {
  readonly slots: readonly number[];
  readonly rank: Rank;
}

/** A row fits several users, and nothing tells which of them is meant. */
export interface Ambiguity {
  readonly ambiguous: readonly number[];
}

/** An index of users. The slot of a user is its place among all records, readable or not. */
export class ClaimUsers {
  readonly #seed: number;
  readonly #ids = new KeyTable();
  readonly #emails = new KeyTable();
  readonly #linked = new KeyTable();
  readonly #linkedTo: number[] = [];
  /** Connections by slot. Nearly all users have the same ones. */
  readonly #connections = new DictionaryColumn<readonly string[]>((names) => JSON.stringify(names));

  /** `seed` must be the seed of the hashes in the rows. */
  constructor(seed: number) {
    this.#seed = seed;
  }

  get size(): number {
    return this.#ids.size;
  }

  add({ id, email, linked, connections }: Account) {
    const slot = this.#ids.add(keyIfAny(id, this.#seed));
    this.#emails.add(keyIfAny(email, this.#seed));
    for (const other of linked) {
      this.#linked.add(keyIfAny(other, this.#seed));
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
