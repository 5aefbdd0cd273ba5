/** Finds ids of the source that users at the service have already: those are never sent. */
import type { Client } from '../../api/client.ts';
import { TextTable } from '../../compact/text-table.ts';
import { isThere, listUsersById, readUserV2 } from '../reconcile/find-users.ts';

/** In one query. */
const idsAtOnce = 500;

export class TakenIds {
  readonly #client: Client;
  readonly #taken = new TextTable();
  #waiting: string[] = [];

  constructor(client: Client) {
    this.#client = client;
  }

  /** Right once everything that was added is asked. */
  has(id: string): boolean {
    return this.#taken.find(id) !== -1;
  }

  get size(): number {
    return this.#taken.size;
  }

  /** Throws `ApiError`. */
  async add(id: string, kind: 'human' | 'machine'): Promise<void> {
    // The service takes a service account under the id of a user, and lists lag: so each of these is asked exactly.
    const isAsked = kind === 'machine' && (await this.#isThere(id));
    if (isAsked) this.#taken.add(id);
    else if (this.#waiting.push(id) >= idsAtOnce) await this.ask();
  }

  async #isThere(id: string): Promise<boolean> {
    const user = await readUserV2(this.#client, id);
    return user !== undefined && isThere(user);
  }

  async ask(): Promise<void> {
    const userIds = this.#waiting;
    this.#waiting = [];
    if (userIds.length === 0) return;
    for (const { userId } of await listUsersById(this.#client, userIds))
      if (!this.has(userId)) this.#taken.add(userId);
  }
}
