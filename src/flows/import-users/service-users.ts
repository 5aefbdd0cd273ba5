/** Reads the users that will be changed from the service; those asked for together come in one request. */
import type { Client } from '../../api/client.ts';
import { listUsersById, readUserV2 } from '../reconcile/find-users.ts';
import type { UserV2 } from '../../wire/user.ts';

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
