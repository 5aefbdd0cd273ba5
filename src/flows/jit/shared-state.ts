/**
 * State that several receivers share through Redis or Valkey: migrated users and password tries. If the store is down, each
 * receiver goes on with its own journal and counts.
 */
import type { Clock } from '../../lib/clock.ts';
import { codeOf, type SharedStore } from '../../storage/redis.ts';
import { createBreaker, inTime } from './breaker.ts';
import { forgetAfter, type GuessLimits, type GuessRule } from './guess-limits.ts';
import { type Migrated, type MigratedUser, sampleSize } from './migrated-users.ts';

export type SharedState = ReturnType<typeof createSharedState>;

/** Counts a try, or returns 0 if the key has to wait. Uses the store's clock, which all receivers share. */
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

/** How long a login waits for the store (ms). */
const answersWithin = 500;

/** Time (ms) after which a receiver that is writing a password counts as dead. */
const longestWrite = 5000;

class StoreLate extends Error {
  readonly code = 'ETIMEDOUT';
}

interface SharedStateOptions {
  /** URL of the service. Several services may share one store. */
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
    /** Runs work alone among all receivers. If the store does not answer, it does not wait for other receivers. */
    async alone<Value>(userId: string, work: () => Promise<Value>) {
      const key = `${prefix}:{user:${userId}}:writing`;
      while ((await ask('SET', key, '1', 'NX', 'PX', String(longestWrite))) === null) await clock.sleep(50);
      const until = clock.monotonic() + longestWrite;
      try {
        return await work();
      } finally {
        // After that time the key may belong to another receiver.
        if (clock.monotonic() < until) await ask('DEL', key);
      }
    },
    /** `name` keeps the keys of users and addresses apart. */
    limits(own: GuessLimits, name: string, { free, firstDelay, longestDelay }: GuessRule): GuessLimits {
      const rule = [free, firstDelay, longestDelay, forgetAfter].map(String);
      // In a cluster, the text in braces selects the node.
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
    /** Returns a few migrated users; none if the store does not answer. */
    async firstMigrated() {
      const { users } = await readPage(store, migratedKey, '0', sampleSize).catch(() => ({ users: [] }));
      return users.slice(0, sampleSize);
    },
    /** Calls `each` for every user, in no order. Throws if the store does not answer. */
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

/** Reads about `count` users from `cursor` on. `next` is the cursor of the next page, 0 at the end. */
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

/** The returned function resolves to undefined if the store did not answer. */
function createAsk(store: SharedStore, clock: Clock, onProblem: (code: string) => void): SharedStore['send'] {
  const breaker = createBreaker(clock);
  return async (...command) => {
    if (!breaker.enter()) return undefined;
    try {
      const answer = await inTime(clock, answersWithin, store.send(...command), () => new StoreLate());
      breaker.worked();
      return answer;
    } catch (error) {
      // A missing connection fails at once and costs no time, so only slow answers open the breaker.
      if (error instanceof StoreLate) breaker.failed();
      else breaker.left();
      onProblem(codeOf(error));
      return undefined;
    }
  };
}
