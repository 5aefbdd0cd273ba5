/** Users that the service has: whose ids the source uses, which are never sent again, and those that will be changed. */
import type { Client } from '../../api/client.ts';
import { listUsersById, readUserV2, isThere } from '../reconcile/find-users.ts';
import type { UserV2 } from '../../wire/user.ts';
import { TextTable } from '../../compact/text-table.ts';

interface Asked {
  readonly id: string;
  readonly resolve: (user: UserV2 | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export class ServiceUsers {
  readonly #client: Client;
  #asked: Asked[] = [];

  constructor(client: Client) {
    this.#client = client;
  }

  /** Undefined for an id that no user has. Throws `ApiError`. */
  find(id: string): Promise<UserV2 | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#asked.push({ id, resolve, reject }) === 1) setImmediate(() => void this.#ask());
    });
  }

  async #ask(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    try {
      const listed = await listUsersById(
        this.#client,
        asked.map(({ id }) => id),
      );
      const found = new Map(listed.map((user) => [user.userId, user]));
      for (const { id, resolve, reject } of asked) {
        const user = found.get(id);
        if (user === undefined) readUserV2(this.#client, id).then(resolve, reject);
        else resolve(user);
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}

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
