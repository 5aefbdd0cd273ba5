/** Reads users of the service for those who are to be changed: those who are asked for together, in one request. */
import { search } from '../../api/search.ts';
import type { Client } from '../../api/client.ts';
import { listUsersV2Response } from '../../wire/user-search.ts';
import { getUserV2Response, type UserV2 } from '../../wire/user.ts';

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
      const userIds = asked.map(({ id }) => id);
      const body = { query: { limit: userIds.length }, queries: [{ inUserIdsQuery: { userIds } }] };
      const { result } = await this.#client.call(search('/v2/users', body, listUsersV2Response));
      const found = new Map(result.map((user) => [user.userId, user]));
      for (const { id, resolve, reject } of asked) {
        const user = found.get(id);
        if (user === undefined) this.read(id).then(resolve, reject);
        else resolve(user);
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  /** Lists lag, and have lost users. */
  async read(id: string): Promise<UserV2 | undefined> {
    const path = `/v2/users/${encodeURIComponent(id)}`;
    const end = await this.#client.attempt({ method: 'GET', path, answer: getUserV2Response });
    if (end.ok) return end.value.user;
    if (end.error.verdict === 'refused') return undefined;
    throw end.error;
  }
}
