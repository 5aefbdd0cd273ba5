/** Looks up users at the service: holders of ids that the source uses, who are never sent again, and users to be changed. */
import { setImmediate } from 'node:timers/promises';
import type { Client } from '../../api/client.ts';
import { createdAt, listUsersById, readUserV2, isThere } from '../reconcile/find-users.ts';
import { readRemovals } from '../reconcile/event-log.ts';
import type { UserV2 } from '../../wire/user.ts';
import { memoized } from '../../lib/strings.ts';
import { TextTable } from '../../compact/key-table.ts';

export function createServiceUsers(client: Client) {
  let waiting = new Set<string>();
  let listed: Promise<readonly UserV2[]> | undefined;
  /** Lists the users who were asked for in this turn of the event loop. */
  const list = async () => {
    await setImmediate();
    const ids = [...waiting];
    [waiting, listed] = [new Set(), undefined];
    return listUsersById(client, ids);
  };
  return {
    /** Returns undefined if no user has the id. Throws `ApiError`. */
    async find(id: string) {
      waiting.add(id);
      listed ??= list();
      return (await listed).find(({ userId }) => userId === id) ?? readUserV2(client, id);
    },
  };
}

/** Number of ids in one query. */
const idsAtOnce = 500;

export type TakenIds = ReturnType<typeof createTakenIds>;

/** A user of the source who is to keep its id. */
interface Keeper {
  readonly kind: 'human' | 'machine';
  /** Organization of the user. */
  readonly org: string;
  /** Is called if the id is taken, so that the user is not sent. */
  readonly onTaken: () => void;
}

export function createTakenIds(client: Client) {
  /** Ids of users in the organization of the source's user. */
  const taken = new TextTable();
  /** Ids of users in other organizations. */
  const elsewhere = new TextTable();
  let waiting = new Map<string, Keeper>();
  const take = ({ userId, details }: UserV2, { org, onTaken }: Keeper) => {
    (details?.resourceOwner === org ? taken : elsewhere).add(userId);
    onTaken();
  };
  /** By organization. Lists still show users who were just deleted, by an undo for example. */
  const removalsOf = memoized((org) => readRemovals(client, [org]));
  const ask = async () => {
    const asked = waiting;
    waiting = new Map();
    if (asked.size === 0) return;
    for (const user of await listUsersById(client, [...asked.keys()])) {
      const isRemoved = await removalsOf(user.details?.resourceOwner ?? '');
      const keeper = asked.get(user.userId);
      if (keeper !== undefined && !isRemoved(user.userId, createdAt(user))) take(user, keeper);
    }
  };
  return {
    /** Right only after `ask`, which looks up the ids added last. */
    has: (id: string) => taken.find(id) !== -1,
    isElsewhere: (id: string) => elsewhere.find(id) !== -1,
    get counts() {
      return { existing: taken.size, elsewhere: elsewhere.size };
    },
    async add(id: string, keeper: Keeper) {
      // The service lets a service account take a user's id, and lists lag. So each of these ids is looked up directly.
      const user = keeper.kind === 'machine' ? await readUserV2(client, id) : undefined;
      if (user !== undefined && isThere(user)) take(user, keeper);
      else if (waiting.set(id, keeper).size >= idsAtOnce) await ask();
    },
    ask,
  };
}
