/** One rate for several processes through a real Redis or Valkey, whose clock the test moves. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSharedRate, type SharedTurn } from '../../src/api/shared-rate.ts';
import type { Limit } from '../../src/api/sliding-window.ts';
import { openSharedStore } from '../../src/storage/redis.ts';
import { createFakeClock, mostWithin } from '../support/clock.ts';
import { redisCommand, startRedis } from '../support/local-program.ts';
import { seededRandom } from '../support/seeded-random.ts';

async function openRates(processes: number, limits: readonly Limit[]) {
  const { port } = await startRedis();
  const clock = createFakeClock();
  const store = await openSharedStore('--rate-store', `redis://127.0.0.1:${port}`, {
    onProblem: () => undefined,
    // The machine may be busy, and no answer is what the test is about.
    timeout: 60_000,
  });
  onTestFinished(() => store.close());
  const service = 'https://id.example.com';
  const rates = Array.from({ length: processes }, () =>
    createSharedRate({
      send: (...command) => store.send(...command),
      service,
      limits,
      clock,
      time: () => clock.now(),
    }),
  );
  onTestFinished(() => rates.forEach((rate) => rate.close()));
  return { clock, rates };
}

interface Sent {
  readonly process: number;
  readonly at: number;
}

/** All processes ask as soon as they may, until `until` (ms); each request is counted by the service after a latency. */
async function sendAll(
  { clock, rates }: Awaited<ReturnType<typeof openRates>>,
  until: number,
  {
    latency,
    dies = () => Infinity,
    stall = { from: 0, until: 0 },
  }: {
    latency: () => number;
    dies?: (process: number) => number;
    /** Meanwhile the machine does nothing. */
    stall?: { from: number; until: number };
  },
) {
  const counted: Sent[] = [];
  const events: { at: number; act: () => Promise<void> }[] = [];
  const plan = (ms: number, act: () => Promise<void>) => {
    const at = clock.monotonic() + ms;
    events.push({ at: at >= stall.from && at < stall.until ? stall.until : at, act });
  };
  const ask = async (process: number): Promise<void> => {
    if (clock.monotonic() >= dies(process)) return;
    const turn = await rates[process]!.take();
    if (typeof turn === 'number') return plan(turn, () => ask(process));
    const ms = latency();
    plan(ms / 2, async () => void counted.push({ process, at: clock.monotonic() }));
    plan(ms, () => respond(process, turn));
    plan(0, () => ask(process));
  };
  const respond = async (process: number, turn: SharedTurn) => {
    if (clock.monotonic() < dies(process)) turn.release();
  };
  for (const process of rates.keys()) plan(process, () => ask(process));
  for (;;) {
    events.sort((a, b) => a.at - b.at);
    const event = events.shift();
    if (event === undefined || event.at > until) return counted;
    if (event.at > clock.monotonic()) await clock.advance(event.at - clock.monotonic());
    await event.act();
  }
}

const mostInAnySecond = (sent: readonly Sent[]) =>
  mostWithin(
    1000,
    sent.map(({ at }) => at),
  );

describe.skipIf(redisCommand === undefined)(
  'a rate that four processes share (needs redis-server or valkey-server)',
  () => {
    const perSecond: Limit = { count: 45, windowMs: 1000 };
    const sendFor = async (until: number, how: Parameters<typeof sendAll>[2]) => {
      const sent = await sendAll(await openRates(4, [perSecond]), until, how);
      expect(mostInAnySecond(sent)).toBeLessThanOrEqual(45);
      return sent;
    };

    it('is used to 99 percent by all, and never exceeded in any second', async () => {
      const random = seededRandom(7);
      const sent = await sendFor(10_000, { latency: () => 2 + 8 * random() });
      expect(sent.length).toBeGreaterThan(0.99 * 450 - 2);
      for (const process of [0, 1, 2, 3])
        expect(sent.filter((one) => one.process === process).length).toBeGreaterThan(50);
    });

    it('is used although answers take long', async () => {
      const random = seededRandom(8);
      const sent = await sendFor(20_000, { latency: () => 300 + 8 * random() });
      // From when enough latencies are known.
      expect(sent.filter(({ at }) => at >= 10_000).length).toBeGreaterThan(0.95 * 450);
    });

    it('goes to the others if one process dies', async () => {
      const dies = (process: number) => (process === 2 ? 3000 : Infinity);
      const sent = await sendFor(12_000, { latency: () => 20, dies });
      expect(sent.filter(({ process, at }) => process === 2 && at > 3010)).toEqual([]);
      expect(sent.filter(({ at }) => at >= 8000 && at < 12_000).length).toBeGreaterThan(0.97 * 180);
    });

    it('catches up after a stall of all processes', async () => {
      const stall = { from: 5000, until: 5500 };
      const sent = await sendFor(10_000, { latency: () => 2, stall });
      // Without it the 22 turns of half a second would be lost.
      expect(sent.length).toBeGreaterThan(450 - 12);
    });

    it('pauses for all if one is told to wait, and resumes slowly', async () => {
      const scene = await openRates(2, [perSecond]);
      scene.rates[0]!.pause(5000);
      const sent = await sendAll(scene, 7000, { latency: () => 2 });
      expect(Math.min(...sent.map(({ at }) => at))).toBeGreaterThanOrEqual(5000);
      expect(sent.length).toBeLessThan(60);
    });
  },
);

it.each([
  [
    'WRONGTYPE Operation against a key holding the wrong kind of value script: 1f, on @user_script:9.',
    /delete these keys/,
  ],
  ["NOPERM this user has no permissions to run the 'eval' command", /what that user may do/],
  ['ERR ACL failure in script: User has no permissions to run the zadd command', /needs EVAL/],
  ['ERR Error running script (call to f_1f): @user_script:3: boom', /needs EVAL/],
])('createSharedRate fails at once if the store refuses: %s', async (message, hint) => {
  const clock = createFakeClock();
  const send = () => Promise.reject(new Error(message));
  const turn = createSharedRate({ send, service: 'x', limits: [], clock }).take();
  await expect(turn).rejects.toMatchObject({ code: 'rate-store:refused', hint });
});

it('createSharedRate fails if the store does not answer for a minute', async () => {
  const clock = createFakeClock();
  const send = () => Promise.reject(new Error('Socket closed unexpectedly'));
  const rate = createSharedRate({ send, service: 'x', limits: [], clock });
  const turn = rate.take();
  turn.catch(() => undefined);
  await clock.advance(61_000);
  await expect(turn).rejects.toMatchObject({ code: 'rate-store:unreachable' });
});
