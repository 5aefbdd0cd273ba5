/**
 * One rate for several processes, kept in Redis or Valkey: the steady interval of GCRA, and a log of the last requests.
 * The store's clock is used, so the clocks of the machines may differ.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { IdportError } from '../errors.ts';
import { createQuickestRequest, type Limit } from './sliding-window.ts';

/** Turn of one request. Release it when the response has arrived or will not come. */
export interface SharedTurn {
  release(): void;
}

export type SharedRate = ReturnType<typeof createSharedRate>;

interface SharedRateOptions {
  readonly send: (...command: readonly [string, ...string[]]) => Promise<unknown>;
  /** Address of the service whose rate is shared. */
  readonly service: string;
  /** Must be the same in all processes. */
  readonly limits: readonly Limit[];
  readonly clock: Clock;
  /** Time in milliseconds that replaces the store's clock in tests. */
  readonly time?: () => number;
}

/** Turns of a process that died become free after this time (ms). A running process renews its turns. */
const lease = 3000;
const renewEvery = 1000;
/** How long to retry if the store does not answer (ms). */
const patience = 60_000;
const pauseBetween = 500;

/**
 * `slots` has for each turn the time until which it is taken: the end of its lease while there is no response, then the latest
 * time at which the service can have counted the request (see `createRequestLog`). A turn is due if a window has passed since
 * the request `count` before it, and the steady interval is over. Turns that no process took in time are made up for within
 * `slack` ms. After a longer rest or a pause, the interval starts again. Returns 0 for a turn, otherwise the milliseconds to
 * wait.
 */
const script = `
local slots, state = KEYS[1], KEYS[2]
local now = tonumber(ARGV[1])
if now == nil then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
local verb, ms = ARGV[2], tonumber(ARGV[3])
if verb == 'renew' then
  for at = 4, #ARGV do redis.call('ZADD', slots, 'XX', now + ms, ARGV[at]) end
  return 0
end
if verb == 'release' then
  redis.call('ZADD', slots, 'XX', now - ms, ARGV[4])
  return 0
end
local slack, recovery, poll = 1000, 60000, 20
local paused = tonumber(redis.call('HGET', state, 'paused') or 0)
if verb == 'pause' then
  paused = math.max(paused, now + ms)
  redis.call('HSET', state, 'paused', paused, 'due', paused + slack)
  redis.call('PEXPIRE', state, math.ceil(ms) + 600000)
  return 0
end
local due = tonumber(redis.call('HGET', state, 'due') or 0)
if due < now then due = now + slack end
local wait = math.max(paused, due - slack) - now
local interval, longest = 0, 0
for at = 5, #ARGV, 2 do
  local count, window = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  interval, longest = math.max(interval, window / count), math.max(longest, window)
  local taken = tonumber(redis.call('ZREVRANGE', slots, count - 1, count - 1, 'WITHSCORES')[2])
  if taken ~= nil and taken > now then
    wait = math.max(wait, poll)
  elseif taken ~= nil then
    wait = math.max(wait, taken + window - now)
  end
end
if wait > 0 then return math.ceil(wait) end
local since = now - paused
if since < recovery then interval = interval * 2 / (1 + since / recovery) end
redis.call('ZREMRANGEBYSCORE', slots, '-inf', now - longest)
redis.call('ZADD', slots, now + ms, ARGV[4])
redis.call('HSET', state, 'due', due + interval)
redis.call('PEXPIRE', slots, math.ceil(longest) + 600000)
redis.call('PEXPIRE', state, math.ceil(longest) + 600000)
return 0
`;

export function createSharedRate({ send, service, limits, clock, time }: SharedRateOptions) {
  const process = randomBytes(6).toString('base64url');
  const keys = ['slots', 'state'].map((name) => `idport:rate:{${service}}:${name}`);
  const quickest = createQuickestRequest();
  const open = new Set<string>();
  const closed = new AbortController();
  let turns = 0;
  let renews = false;

  const ask = (verb: string, ms: number, ...rest: string[]) =>
    send('EVAL', script, '2', ...keys, time === undefined ? '' : String(time()), verb, String(ms), ...rest);
  /** Does not wait for the store. If the store cannot be reached, the lease ends by itself. */
  const tell = (verb: string, ms: number, ...rest: string[]) =>
    void ask(verb, ms, ...rest).catch(() => undefined);

  async function renewOpen() {
    if (renews) return;
    renews = true;
    while (open.size > 0 && !closed.signal.aborted) {
      await clock.sleep(renewEvery, closed.signal, { background: true }).catch(() => undefined);
      if (open.size > 0) tell('renew', lease, ...open);
    }
    renews = false;
  }

  function beginTurn(id: string): SharedTurn {
    const sentAt = clock.monotonic();
    open.add(id);
    void renewOpen();
    return {
      release() {
        if (!open.delete(id)) return;
        const now = clock.monotonic();
        quickest.add(now - sentAt, now);
        tell('release', quickest.ms(), id);
      },
    };
  }

  async function takeOrWait() {
    const id = `${process}:${++turns}`;
    const wait = Number(
      await ask('take', lease, id, ...limits.flatMap(({ count, windowMs }) => [`${count}`, `${windowMs}`])),
    );
    return wait === 0 ? beginTurn(id) : wait;
  }

  return {
    /** Returns a turn, or the milliseconds after which to ask again. Throws `rate-store:unreachable` and `rate-store:refused`. */
    async take(): Promise<SharedTurn | number> {
      const until = clock.monotonic() + patience;
      for (;;) {
        try {
          return await takeOrWait();
        } catch (cause) {
          const refusal = refusalOf(cause);
          if (refusal !== undefined) throw refused(refusal, keys, cause);
          if (clock.monotonic() >= until) {
            throw new IdportError(
              'rate-store:unreachable',
              'the store of --rate-store does not answer',
              'Without it the rate of all processes cannot be kept. Check the address and the store.',
              cause,
            );
          }
          await clock.sleep(pauseBetween, closed.signal);
        }
      }
    },
    /** Gives no process a turn for `ms` milliseconds. For a minute after that, the interval is up to twice as long. */
    pause: (ms: number) => tell('pause', ms),
    close: () => closed.abort(),
  };
}

/** Returns the code of an error that repeating does not fix: from the access list, a key of another type, or the script. */
function refusalOf(cause: unknown) {
  const { message } = cause as Error;
  return /^(?:WRONGTYPE|NOPERM|NOAUTH|WRONGPASS)\b|^ERR(?= .*(?:script|unknown command))/i.exec(message)?.[0];
}

function refused(code: string, keys: readonly string[], cause: unknown) {
  const named = keys.join(' and ');
  const hints: Readonly<Record<string, string>> = {
    WRONGTYPE: `Something else wrote ${named}: delete these keys, or use another database.`,
    ERR: `Its user needs EVAL, and TIME, ZADD, ZREVRANGE, ZREMRANGEBYSCORE, HGET, HSET and PEXPIRE on ${named}.`,
  };
  return new IdportError(
    'rate-store:refused',
    `the store of --rate-store refuses a command: ${code}`,
    hints[code] ?? 'Check the user and the password of its address, and what that user may do.',
    cause,
  );
}
