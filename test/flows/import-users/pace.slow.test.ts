/** Inside the limit: the whole run against the hosted service's rule, on a clock that moves by itself. */
import { expect, test } from 'vitest';
import type { Send } from '../../../src/api/send.ts';
import { mostWithin } from '../../support/clock.ts';
import { createFullServer } from '../../support/full-server.ts';
import { exchangeWith } from '../../support/service.ts';
import { bodyOf, createTarget, usersAt, userNames, runUsers } from '../../support/users-run.ts';

test.each([
  // Three minutes, the window of the ban.
  { rate: 45, allowed: 50, users: 8100 },
  { rate: 500, allowed: 500, users: 3000 },
])(
  'import-users at $rate/s uses at least 99 percent of the rate and never exceeds it',
  async ({ rate, allowed, users }) => {
    const seen: { at: number; status: number }[] = [];
    const server = createFullServer({ rate: allowed });
    const exchange = exchangeWith(server, { took: () => 0 });
    const send: Send = async (request) => {
      const at = server.clock.now();
      const answer = await exchange(request);
      seen.push({ at, status: answer.status });
      return answer;
    };
    const target = createTarget({
      server,
      client: { limits: [{ count: rate, windowMs: 1000 }], send },
    });
    await runUsers(target, bodyOf(target.org, userNames(users)), { perSecond: rate, concurrency: 64 });
    expect(usersAt(target).size).toBe(users);
    expect(seen.filter(({ status }) => status === 429)).toEqual([]);
    const times = seen.map(({ at }) => at);
    expect(mostWithin(1000, times)).toBeLessThanOrEqual(rate);
    expect(mostWithin(60_000, times)).toBeLessThanOrEqual(60 * rate);
    const seconds = (seen.at(-1)!.at - seen[0]!.at) / 1000;
    expect((seen.length - 1) / seconds).toBeGreaterThanOrEqual(0.99 * rate);
  },
  120_000,
);
