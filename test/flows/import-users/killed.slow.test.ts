/** The one-by-one import killed at every request, before and after the service has seen it, and gone on with. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { stillActive } from '../../../src/flows/resume/journal-users.ts';
import { loadJournal } from '../../../src/journal/load.ts';
import { State } from '../../../src/journal/states.ts';
import { createService } from '../../support/service.ts';
import { createTestFolder } from '../../support/folder.ts';
import { bodyOf, createTarget, usersAt, sampleUser, runUsers, type Target } from '../../support/users-run.ts';

const count = 7;
const bodyFor = (org: string): string =>
  bodyOf(
    org,
    Array.from({ length: count }, (_, at) =>
      sampleUser(`user-${at}`, {}, at % 3 === 0 ? { state: 'USER_STATE_INACTIVE' } : {}),
    ),
    { userMetadata: [{ id: 'old-user-1', key: 'k', value: 'dg==' }] },
  );

/** A service that stops to exist for its client at request number `at`. */
function killedAt(at: number, seen: 'before' | 'after', onKill: () => void): Target {
  let sent = 0;
  let dead = false;
  const never = new Promise<never>(() => {});
  const inner = createService();
  const target = createTarget(
    { server: inner.server },
    {
      send: async (request) => {
        if (dead) return never;
        const number = sent++;
        if (number === at && seen === 'before') {
          dead = true;
          onKill();
          return never;
        }
        const answer = await inner.server.app.request(request.url.slice('http://localhost'.length), {
          method: request.method,
          headers: { ...request.headers },
          ...(request.body === undefined ? {} : { body: request.body }),
        });
        // A service never stamps two writes with the same time.
        await inner.server.clock.advance(1);
        if (dead) return never;
        if (number === at) {
          dead = true;
          onKill();
          return never;
        }
        return { status: answer.status, headers: {}, text: await answer.text() };
      },
    },
  );
  return target;
}

/** Kills a run, goes on with what is in its journal then, and looks whether every user is there once. */
async function killAndResume(at: number, seen: 'before' | 'after', torn: number): Promise<boolean> {
  const first = createTestFolder();
  const second = createTestFolder();
  const journal = join(second, 'users.journal');
  let kill: () => void = () => {};
  const killed = new Promise<void>((resolve) => {
    kill = resolve;
  });
  const target = killedAt(at, seen, () => {
    copyFileSync(join(first, 'users.journal'), journal);
    kill();
  });
  const body = bodyFor(target.org);
  const ended = runUsers(target, body, { folder: first, concurrency: 3 });
  const outcome = await Promise.race([killed.then(() => 'killed'), ended.then(() => 'ended')]);
  expect(outcome).toBe('killed');
  // A line that was being written when the process died.
  const whole = readFileSync(journal);
  if (torn > 0)
    writeFileSync(journal, Buffer.concat([whole, Buffer.from('{"intent":99,"at":1,"ent').subarray(0, torn)]));
  const wanted = (name: string): string => (Number(name.slice(5)) % 3 === 0 ? 'inactive' : 'active');
  const wrong = [...usersAt(target)].filter(([name, { status }]) => status !== wanted(name));
  const told = stillActive(await loadJournal(journal)).length;
  expect(told).toBeGreaterThanOrEqual(wrong.length);
  expect(told).toBeLessThanOrEqual(3);
  const again = createTarget({ server: target.server });
  const { tally, followUpsFailed } = await runUsers(again, body, {
    folder: second,
    resume: true,
    concurrency: 3,
  });
  expect(tally).toMatchObject({ read: count, written: count, skipped: 0, rejected: 0 });
  expect(followUpsFailed).toBe(0);
  const there = usersAt(again);
  expect([...there.keys()].toSorted()).toEqual(Array.from({ length: count }, (_, at) => `user-${at}`));
  for (const [name, { status }] of there) expect(status).toBe(wanted(name));
  const loaded = await loadJournal(journal);
  expect(loaded).toMatchObject({ finished: true, open: [] });
  expect(stillActive(loaded)).toEqual([]);
  expect(loaded.states.count(State.created, 0, count)).toBe(count);
  expect(there.get('user-1')!.more?.metadata).toHaveProperty('k');
  const rows = readFileSync(join(second, 'ids.csv'), 'utf8').trim().split('\n').slice(1);
  expect(rows.toSorted()).toEqual([...there].map(([name, { id }]) => `old-${name},${id},created`).toSorted());
  return true;
}

// The first three requests ask for the ids, the organization and the newest user; users, a look at the first, and states follow.
const before = 3;
const requests = before + count + 2 + 3;

test('killed before the service has seen a request', async () => {
  for (let at = before; at < requests; at++) {
    await expect(killAndResume(at, 'before', 0)).resolves.toBe(true);
  }
});

test('killed after the service has done it and before the answer is written down', async () => {
  for (let at = before; at < requests; at++) {
    await expect(killAndResume(at, 'after', 0)).resolves.toBe(true);
  }
});

test('killed anywhere, with the last line of the journal torn', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: before, max: requests - 1 }),
      fc.constantFrom('before' as const, 'after' as const),
      fc.integer({ min: 0, max: 24 }),
      killAndResume,
    ),
    { numRuns: 50 },
  );
});

test('who was there before the run stays theirs, where it was killed before it had written that down', async () => {
  const target = createTarget();
  const theirs = ['ann', 'bob'].map((name) =>
    sampleUser(name, {}, { state: 'USER_STATE_INACTIVE', userId: `id-${name}` }),
  );
  for (const { userId, user } of theirs) {
    const human = {
      profile: { givenName: 'A', familyName: 'B' },
      email: { email: user.email.email, isVerified: true },
    };
    const body = { organizationId: target.org, userId, username: user.userName, human };
    await target.client.call({ method: 'POST', path: '/v2/users/new', body });
  }
  await target.server.clock.advance(1000);
  const body = bodyOf(target.org, [...theirs, sampleUser('ours')]);
  const folder = createTestFolder();
  await runUsers(target, body, { folder });
  const journal = join(folder, 'users.journal');
  const lines = readFileSync(journal, 'utf8').split('\n');
  const intents = lines.filter((line, at) => at === 0 || /"entries":\[\[[012],/.test(line));
  writeFileSync(journal, `${intents.join('\n')}\n`);
  const { tally } = await runUsers(target, body, { folder, resume: true });
  expect(tally).toMatchObject({ read: 3, written: 1, skipped: 2 });
  const there = usersAt(target);
  expect([there.get('ann')!.status, there.get('bob')!.status]).toEqual(['active', 'active']);
  expect(readFileSync(join(folder, 'ids.csv'), 'utf8')).toContain('id-ann,id-ann,existed');
});
