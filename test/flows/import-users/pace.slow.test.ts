/** Inside the limit: the whole run against the hosted service's rule, on a clock that moves by itself. */
import { expect, test } from 'vitest';
import { createFullServer } from '../../support/full-server.ts';
import { createTestFolder } from '../../support/folder.ts';
import { bodyOf, createTarget, usersAt, sampleUser, runUsers } from '../../support/users-run.ts';

interface Seen {
  readonly at: number;
  readonly status: number;
}

/** Most requests within any `ms` milliseconds. */
function worst(requests: readonly Seen[], ms: number): number {
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
  { rate: 45, allowed: 50, sampleUsers: 8100 },
  { rate: 500, allowed: 500, sampleUsers: 3000 },
])(
  'at $rate/s nearly all of the rate is used, and never more',
  async ({ rate, allowed, sampleUsers }) => {
    const seen: Seen[] = [];
    const server = { ...createFullServer({ rate: allowed }), logged: [] };
    const target = createTarget(
      { server },
      {
        limits: [{ count: rate, windowMs: 1000 }],
        send: async (request) => {
          const at = server.clock.now();
          const answer = await server.app.request(request.url.slice('http://localhost'.length), {
            method: request.method,
            headers: { ...request.headers },
            ...(request.body === undefined ? {} : { body: request.body }),
          });
          seen.push({ at, status: answer.status });
          return { status: answer.status, headers: {}, text: await answer.text() };
        },
      },
    );
    const body = bodyOf(
      target.org,
      Array.from({ length: sampleUsers }, (_, at) => sampleUser(`user-${at}`)),
    );
    await runUsers(target, body, { folder: createTestFolder(), perSecond: rate, concurrency: 64 });
    expect(usersAt(target).size).toBe(sampleUsers);
    expect(seen.filter(({ status }) => status === 429)).toEqual([]);
    expect(worst(seen, 1000)).toBeLessThanOrEqual(rate);
    expect(worst(seen, 60_000)).toBeLessThanOrEqual(60 * rate);
    const seconds = (seen.at(-1)!.at - seen[0]!.at) / 1000;
    expect((seen.length - 1) / seconds).toBeGreaterThanOrEqual(0.99 * rate);
  },
  120_000,
);
