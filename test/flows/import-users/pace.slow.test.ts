/** Inside the limit: the whole run against the hosted service's rule, on a clock that moves by itself. */
import { expect, test } from 'vitest';
import { createFullServer } from '../../support/full-server.ts';
import { exchangeWith } from '../../support/service.ts';
import { bodyOf, createTarget, usersAt, userNames, runUsers } from '../../support/users-run.ts';

interface Seen {
  readonly at: number;
  readonly status: number;
}

/** Most requests within any `ms` milliseconds. */
function worst(requests: readonly Seen[], ms: number) {
  let most = 0;
  let from = 0;
  for (const [at, request] of requests.entries()) {
    while (request.at - requests[from]!.at >= ms) from += 1;
    most = Math.max(most, at - from + 1);
  }
  return most;
}

test.each([
  // Three minutes, the window of the ban.
  { rate: 45, allowed: 50, users: 8100 },
  { rate: 500, allowed: 500, users: 3000 },
])(
  'at $rate/s nearly all of the rate is used, and never more',
  async ({ rate, allowed, users }) => {
    const seen: Seen[] = [];
    const server = { ...createFullServer({ rate: allowed }), logged: [] };
    const exchange = exchangeWith(server, { took: () => 0 });
    const limits = [{ count: rate, windowMs: 1000 }];
    const target = createTarget(
      { server },
      {
        limits,
        send: async (request) => {
          const at = server.clock.now();
          const answer = await exchange(request);
          seen.push({ at, status: answer.status });
          return answer;
        },
      },
    );
    await runUsers(target, bodyOf(target.org, userNames(users)), { perSecond: rate, concurrency: 64 });
    expect(usersAt(target).size).toBe(users);
    expect(seen.filter(({ status }) => status === 429)).toEqual([]);
    expect(worst(seen, 1000)).toBeLessThanOrEqual(rate);
    expect(worst(seen, 60_000)).toBeLessThanOrEqual(60 * rate);
    const seconds = (seen.at(-1)!.at - seen[0]!.at) / 1000;
    expect((seen.length - 1) / seconds).toBeGreaterThanOrEqual(0.99 * rate);
  },
  120_000,
);
