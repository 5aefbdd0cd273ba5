/**
 * What receivers that run side by side share through Redis or Valkey: who has migrated, and tries of passwords. Each
 * goes on with its own journal and counts while the store is away.
 */
import type { Clock } from '../../lib/clock.ts';
import { codeOf, type SharedStore } from '../../storage/redis.ts';
import { createBreaker, inTime } from './breaker.ts';
import { forgetAfter, type GuessLimits, type GuessRule } from './guess-limits.ts';
import { type Migrated, type MigratedUser, sampleSize } from './migrated-users.ts';

export type SharedState = ReturnType<typeof createSharedState>;

/** Counts a try; 0 where the key has to wait. Delays end by the store's clock, which all receivers have in common. */
const takeScript = `
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
local wrong = redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
local beyond = wrong - tonumber(ARGV[1])
if beyond > 0 then
  local delay = math.min(tonumber(ARGV[3]), tonumber(ARGV[2]) * 2 ^ math.min(beyond - 1, 40))
  redis.call('SET', KEYS[2], '1', 'PX', string.format('%.0f', delay))
end
return 1`;

const giveBackScript = `
redis.call('DEL', KEYS[2])
if tonumber(redis.call('GET', KEYS[1]) or '0') > 1 then return redis.call('DECR', KEYS[1]) end
return redis.call('DEL', KEYS[1])`;

/** How long a login waits for the store (ms), and only a few of them while it does not answer. */
const answersWithin = 500;

/** After so long (ms) a receiver that writes a password counts as gone. */
const longestWrite = 5000;

class StoreLate extends Error {
  readonly code = 'ETIMEDOUT';
}

interface SharedStateOptions {
  /** The address of the service: several of them may share one store. */
  readonly service: string;
  readonly clock: Clock;
  readonly onProblem: (code: string) => void;
}

export function createSharedState(store: SharedStore, { service, clock, onProblem }: SharedStateOptions) {
  const prefix = `idport:jit:${new URL(service).host}`;
  const migratedKey = `${prefix}:migrated`;
  const ask = createAsk(store, clock, onProblem);
  return {
    get isConnected() {
      return store.isConnected;
    },
    migrated: (own: Migrated): Migrated => ({
      async has(id) {
        if (await own.has(id)) return true;
        const by = await ask('HGET', migratedKey, id);
        return typeof by === 'string';
      },
      async add(user) {
        await own.add(user);
        await ask('HSETNX', migratedKey, user.id, `${user.at} ${user.by}`);
      },
    }),
    /** Where the store does not answer, without waiting for other receivers. */
    async alone<Value>(userId: string, work: () => Promise<Value>) {
      const key = `${prefix}:{user:${userId}}:writing`;
      while ((await ask('SET', key, '1', 'NX', 'PX', String(longestWrite))) === null) await clock.sleep(50);
      const until = clock.monotonic() + longestWrite;
      try {
        return await work();
      } finally {
        // Later it may be that of another receiver.
        if (clock.monotonic() < until) await ask('DEL', key);
      }
    },
    /** `name` tells users from addresses. */
    limits(own: GuessLimits, name: string, { free, firstDelay, longestDelay }: GuessRule): GuessLimits {
      const rule = [free, firstDelay, longestDelay, forgetAfter].map(String);
      // What stands in braces decides about the node of a cluster.
      const keysOf = (key: string) => {
        const tag = `${prefix}:{${name}:${key}}`;
        return [`${tag}:tries`, `${tag}:wait`];
      };
      return {
        async take(key) {
          if (!(await own.take(key))) return false;
          const mayAsk = (await ask('EVAL', takeScript, '2', ...keysOf(key), ...rule)) !== 0;
          if (!mayAsk) await own.giveBack(key);
          return mayAsk;
        },
        async giveBack(key) {
          await own.giveBack(key);
          await ask('EVAL', giveBackScript, '2', ...keysOf(key));
        },
        async forget(key) {
          await own.forget(key);
          await ask('DEL', ...keysOf(key));
        },
      };
    },
    /** Some users, none where there are none or the store does not answer. */
    async firstMigrated() {
      const { users } = await readPage(store, migratedKey, '0', sampleSize).catch(() => ({ users: [] }));
      return users.slice(0, sampleSize);
    },
    /** Each user once, in no order. Throws where the store does not answer. */
    async readMigrated(each: (user: MigratedUser) => void) {
      let cursor = '0';
      do {
        const { next, users } = await readPage(store, migratedKey, cursor, 1000);
        users.forEach(each);
        cursor = next;
      } while (cursor !== '0');
    },
    close: () => store.close(),
  };
}

/** About so many users from `cursor` on; the next page begins at `next`, which is 0 at the end. */
async function readPage(store: SharedStore, key: string, cursor: string, count: number) {
  const answer = await store.send('HSCAN', key, cursor, 'COUNT', String(count));
  const [next, cells] = answer as [string, string[]];
  const users: MigratedUser[] = [];
  for (let place = 0; place + 1 < cells.length; place += 2) {
    const [at = '', by = ''] = cells[place + 1]!.split(' ');
    users.push({ id: cells[place]!, at, by });
  }
  return { next, users };
}

/** Resolves to undefined where the store did not answer. */
function createAsk(store: SharedStore, clock: Clock, onProblem: (code: string) => void): SharedStore['send'] {
  const breaker = createBreaker(clock);
  return async (...command) => {
    if (!breaker.enter()) return undefined;
    try {
      const answer = await inTime(clock, answersWithin, store.send(...command), () => new StoreLate());
      breaker.worked();
      return answer;
    } catch (error) {
      // Without a connection it says so at once, and shares again as soon as it has one.
      if (error instanceof StoreLate) breaker.failed();
      else breaker.left();
      onProblem(codeOf(error));
      return undefined;
    }
  };
}
