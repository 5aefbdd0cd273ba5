/** Looks up users at the service: holders of ids that the source uses, who are never sent again, and users to be changed. */
import type { Client } from '../../api/client.ts';
import { listUsersById, readUserV2, isThere } from '../reconcile/find-users.ts';
import type { UserV2 } from '../../wire/user.ts';
import { TextTable } from '../../compact/key-table.ts';

interface Asked {
  readonly id: string;
  readonly resolve: (user: UserV2 | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export function createServiceUsers(client: Client) {
  let waiting: Asked[] = [];
  const ask = async () => {
    const asked = waiting;
    waiting = [];
    try {
      const listed = await listUsersById(
        client,
        asked.map(({ id }) => id),
      );
      const found = new Map(listed.map((user) => [user.userId, user]));
      for (const { id, resolve, reject } of asked) {
        const user = found.get(id);
        if (user === undefined) readUserV2(client, id).then(resolve, reject);
        else resolve(user);
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  };
  return {
    /** Returns undefined if no user has the id. Throws `ApiError`. */
    find: (id: string): Promise<UserV2 | undefined> =>
      new Promise((resolve, reject) => {
        if (waiting.push({ id, resolve, reject }) === 1) setImmediate(() => void ask());
      }),
  };
}

/** Number of ids in one query. */
const idsAtOnce = 500;

export type TakenIds = ReturnType<typeof createTakenIds>;

export function createTakenIds(client: Client) {
  const taken = new TextTable();
  let waiting = new Map<string, number>();
  let requests = 0;
  /** Right only after `ask`, which looks up the ids added last. */
  const has = (id: string) => taken.find(id) !== -1;
  const ask = async () => {
    const asked = waiting;
    waiting = new Map();
    if (asked.size === 0) return;
    for (const { userId } of await listUsersById(client, [...asked.keys()])) {
      if (has(userId)) continue;
      taken.add(userId);
      requests += asked.get(userId) ?? 0;
    }
  };
  const isAtService = async (id: string) => {
    const user = await readUserV2(client, id);
    return user !== undefined && isThere(user);
  };
  return {
    has,
    get size() {
      return taken.size;
    },
    /** Number of requests that would have sent the users with taken ids. */
    get requests() {
      return requests;
    },
    async add(id: string, kind: 'human' | 'machine', toSend: number) {
      // The service lets a service account take a user's id, and lists lag. So each of these ids is looked up directly.
      const isAsked = kind === 'machine' && (await isAtService(id));
      if (isAsked) {
        taken.add(id);
        requests += toSend;
      } else if (waiting.set(id, toSend).size >= idsAtOnce) await ask();
    },
    ask,
  };
}
