/** Whose a user is, after lost answers, with clocks of the service that are minutes apart and lists that lag. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestFolder } from '../../support/folder.ts';
import { countsOf, inRequestsOf, type ServiceOptions } from '../../support/service.ts';
import { rollBack } from '../../support/undo-run.ts';
import {
  bodyOf,
  createTarget,
  importBy,
  metadataOf,
  sampleUser,
  userNames,
  usersAt,
  type Target,
  createLagging,
  type Way,
  ways,
} from '../../support/users-run.ts';

const count = 30;
const names = userNames(count);

/** Every third answer to a request that creates users is lost after the service has done it. */
function losing(): NonNullable<ServiceOptions['fault']> {
  let creating = 0;
  return ({ url, method }) =>
    method === 'POST' && /\/(?:users\/new|import)$/.test(url) && creating++ % 3 === 0 ? 'lost' : undefined;
}

const states = ['inactive', 'active'] as const;
const users = names.map((name, at) =>
  sampleUser(name, {}, { state: `USER_STATE_${states[at % 2]!.toUpperCase()}` }),
);

/** Imports all users, and returns the path of the journal. */
async function importAll(way: Way, target: Target, folder = createTestFolder()) {
  const body = bodyOf(target.org, users, metadataOf(...names));
  const end = await importBy(way, target, body, { folder, size: inRequestsOf(7) });
  const { written: created, skipped: existed } = countsOf(end);
  return { path: join(folder, 'users.journal'), created, existed };
}

function withoutTimes(path: string) {
  const text = readFileSync(path, 'utf8');
  const old = text.replaceAll(/,"(?:newestBefore|writtenAt)":\d+/g, '');
  expect(old).not.toBe(text);
  writeFileSync(path, old);
}

const allGone = { there: count, deleted: count, changed: 0, foreign: 0 };
const offsets = [-120_000, -90_000, -1000, -100, 0, 100, 600, 1000, 90_000, 120_000];
const apart = ways.flatMap((way) => offsets.map((dateAhead) => ({ way, dateAhead })));

/** Where a run before has created them all. */
async function findsNone(...run: Parameters<typeof importAll>) {
  const { path, ...counts } = await importAll(...run);
  expect(counts).toEqual({ created: 0, existed: count });
  expect(await rollBack(run[1], path)).toMatchObject({ there: 0, deleted: 0 });
}

describe.each(apart)(
  'ownership, $way, with Date headers $dateAhead ms ahead of user timestamps',
  ({ way, dateAhead }) => {
    it('users whose answers were lost belong to the run, get all their data, and undo deletes them', async () => {
      const target = createTarget({ dateAhead, fault: losing() });
      const before = usersAt(target).size;
      const { path, ...counts } = await importAll(way, target);
      expect(counts).toEqual({ created: count, existed: 0 });
      const there = usersAt(target);
      expect(there.size).toBe(before + count);
      for (const [at, name] of names.entries()) {
        const user = there.get(name)!;
        expect(user.status).toBe(states[at % 2]);
        expect(Object.keys(user.metadata ?? {})).toEqual(['k']);
      }
      await target.clock.sleep(3_600_000);
      expect(await rollBack(target, path)).toMatchObject(allGone);
      expect(usersAt(target).size).toBe(before);
    });

    it('undo also accepts the journal of an earlier version', async () => {
      const target = createTarget({ dateAhead });
      const { path } = await importAll(way, target);
      withoutTimes(path);
      await target.clock.sleep(3_600_000);
      expect(await rollBack(target, path)).toMatchObject(allGone);
    });

    it('users of the previous run do not belong to the run', async () => {
      const first = createTarget({ dateAhead });
      await importAll(way, first);
      const before = [...usersAt(first).keys()];
      const second = createTarget({ server: first.server, dateAhead, fault: losing() });
      await findsNone(way, second);
      expect([...usersAt(first).keys()]).toEqual(before);
    });

    it('undo keeps a user who changed after the run', async () => {
      const target = createTarget({ dateAhead });
      const { path } = await importAll(way, target);
      await target.clock.sleep(10_000);
      const changed = [...usersAt(target).values()].find(({ status }) => status === 'active')!;
      await target.server.call(`POST /management/v1/users/${changed.id}/_lock`, {}, { orgId: target.org });
      const counts = await rollBack(target, path);
      expect(counts).toMatchObject({ deleted: count - 1 });
      expect(counts.changed).toBe(1);
    });
  },
);

describe.each(ways.flatMap((way) => [2000, 30_000, 120_000].map((lag) => ({ way, lag }))))(
  'ownership, $way, with lists that lag by $lag ms',
  ({ way, lag }) => {
    it('users whose answers were lost belong to the run, and an immediate undo deletes them', async () => {
      const target = createLagging(lag, { dateAhead: 700, fault: losing() });
      const { path, ...counts } = await importAll(way, target);
      expect(counts).toEqual({ created: count, existed: 0 });
      expect(await rollBack(target, path)).toMatchObject({
        there: count,
        deleted: count,
        gone: 0,
        unanswered: 0,
      });
      expect(usersAt(target).size).toBe(0);
    });

    it('users of the previous run that no list shows yet do not belong to the run', async () => {
      const folder = createTestFolder();
      const first = createLagging(lag);
      await importAll(way, first, folder);
      const second = createTarget({ server: first.server, fault: losing() });
      await findsNone(way, second, folder);
      expect(usersAt(first).size).toBe(count);
    });
  },
);
