/** Finds ids of the source that users at the service have already: those are never sent. */
import { search } from '../../api/search.ts';
import type { Client } from '../../api/client.ts';
import { TextTable } from '../../compact/text-table.ts';
import { listUsersV2Response } from '../../wire/user-search.ts';
import { readCreation } from './create-user.ts';

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
    const isAsked = kind === 'machine' && (await readCreation(this.#client, id)) !== undefined;
    if (isAsked) this.#taken.add(id);
    else if (this.#waiting.push(id) >= idsAtOnce) await this.ask();
  }

  async ask(): Promise<void> {
    const userIds = this.#waiting;
    this.#waiting = [];
    if (userIds.length === 0) return;
    const body = { query: { limit: userIds.length }, queries: [{ inUserIdsQuery: { userIds } }] };
    const { result } = await this.#client.call(search('/v2/users', body, listUsersV2Response));
    for (const { userId } of result) if (!this.has(userId)) this.#taken.add(userId);
  }
}
