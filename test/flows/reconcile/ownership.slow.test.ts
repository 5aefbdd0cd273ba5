/** Whose a user is, after lost answers, with clocks of the service that are minutes apart and lists that lag. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countUndo, undo, type UndoCounts } from '../../../src/flows/undo/undo.ts';
import { loadJournal } from '../../../src/journal/load.ts';
import { createTestFolder } from '../../support/folder.ts';
import { createFullServer } from '../../support/full-server.ts';
import { bodyOf as bulkBody, human, journalName, runImport } from '../../support/import-run.ts';
import type { ServiceOptions } from '../../support/service.ts';
import { bodyOf, createTarget, usersAt, sampleUser, runUsers, type Target } from '../../support/users-run.ts';

const count = 30;
const names = Array.from({ length: count }, (_, at) => `user-${at}`);

/** Every third answer to a request that creates users is lost after the service has done it. */
function losing(): NonNullable<ServiceOptions['fault']> {
  let creating = 0;
  return ({ url, method }) =>
    method === 'POST' && /_import$|\/import$/.test(url) && creating++ % 3 === 0 ? 'lost' : undefined;
}

const usersBody = (org: string): string =>
  bodyOf(
    org,
    names.map((name, at) => sampleUser(name, {}, at % 2 === 0 ? { state: 'USER_STATE_INACTIVE' } : {})),
    { userMetadata: names.map((name) => ({ id: `old-${name}`, key: 'k', value: 'dg==' })) },
  );

const bulkBodyOf = (org: string): string =>
  bulkBody(org, {
    humanUsers: names.map((name) => human(name)),
    userMetadata: names.map((id) => ({ id, key: 'k', value: 'dg==' })),
  });

const size = { bytes: 4_190_000, jsonBytes: Infinity, most: 7, seconds: 30 };

/** Undoes the run of a journal; returns the counts before and after. */
async function undoRun(target: Target, journalPath: string, wait?: number): Promise<UndoCounts> {
  const request = {
    client: target.client,
    name: 'x.journal',
    journalPath,
    journal: await loadJournal(journalPath),
    undoJournal: { path: `${journalPath}.undo`, resume: false },
    stopped: undefined,
    alsoChanged: false,
    concurrency: 3,
    perSecond: undefined,
    wait,
  };
  const context = { emit: () => {}, clock: target.clock, signal: new AbortController().signal };
  const counts = await countUndo(request, context, () => Promise.resolve());
  await undo(request, context, counts, counts.there);
  return counts;
}

type Way = 'one by one' | 'in bulk';

/** Imports all users, and returns the path of the journal. */
async function importAll(way: Way, target: Target, folder: string) {
  if (way === 'one by one') {
    const { tally } = await runUsers(target, usersBody(target.org), { folder, concurrency: 3 });
    return { path: join(folder, 'users.journal'), created: tally.written, existed: tally.skipped };
  }
  const { tally } = await runImport(target, folder, bulkBodyOf(target.org), { size });
  const { created = 0, existed = 0 } = tally.lists.get('humanUsers') ?? {};
  return { path: join(folder, journalName), created, existed };
}

const lagging = (lag: number) => ({ ...createFullServer({ rate: null, lag }), logged: [] });

function withoutTimes(path: string): void {
  const text = readFileSync(path, 'utf8');
  const old = text.replaceAll(/,"(?:newestBefore|writtenAt)":\d+/g, '');
  expect(old).not.toBe(text);
  writeFileSync(path, old);
}

const ways: Way[] = ['one by one', 'in bulk'];
const offsets = [-120_000, -90_000, -1000, -100, 0, 100, 600, 1000, 90_000, 120_000];
const apart = ways.flatMap((way) => offsets.map((dateAhead) => ({ way, dateAhead })));

describe.each(apart)(
  '$way, with Date headers $dateAhead ms ahead of what stamps users',
  ({ way, dateAhead }) => {
    it('users whose answers were lost are ours, get all that is theirs, and go with the undo', async () => {
      const target = createTarget({ dateAhead, fault: losing() });
      const before = usersAt(target).size;
      const { path, ...counts } = await importAll(way, target, createTestFolder());
      expect(counts).toEqual({ created: count, existed: 0 });
      const there = usersAt(target);
      expect(there.size).toBe(before + count);
      for (const [at, name] of names.entries()) {
        const user = there.get(way === 'in bulk' ? `user-${name}` : name)!;
        expect(user.status).toBe(way === 'one by one' && at % 2 === 0 ? 'inactive' : 'active');
        expect(Object.keys(user.more?.metadata ?? {})).toEqual(['k']);
      }
      await target.clock.sleep(3_600_000);
      expect(await undoRun(target, path)).toMatchObject({
        there: count,
        deleted: count,
        changed: 0,
        foreign: 0,
      });
      expect(usersAt(target).size).toBe(before);
    });

    it('the journal of an earlier version is undone as well', async () => {
      const target = createTarget({ dateAhead });
      const { path } = await importAll(way, target, createTestFolder());
      withoutTimes(path);
      await target.clock.sleep(3_600_000);
      expect(await undoRun(target, path)).toMatchObject({
        there: count,
        deleted: count,
        changed: 0,
        foreign: 0,
      });
    });

    it('users of a run right before are never ours, and who is changed or made anew afterwards stays', async () => {
      const first = createTarget({ dateAhead });
      await importAll(way, first, createTestFolder());
      const before = [...usersAt(first).keys()];
      const second = createTarget({ server: first.server, dateAhead, fault: losing() });
      const { path, ...counts } = await importAll(way, second, createTestFolder());
      expect(counts).toEqual({ created: 0, existed: count });
      expect(await undoRun(second, path)).toMatchObject({ there: 0, deleted: 0 });
      expect([...usersAt(first).keys()]).toEqual(before);
    });

    it('a user who is changed after the run stays', async () => {
      const target = createTarget({ dateAhead });
      const { path } = await importAll(way, target, createTestFolder());
      await target.clock.sleep(10_000);
      const changed = [...usersAt(target).values()].find(({ status }) => status === 'active')!;
      await target.server.call(`POST /management/v1/users/${changed.id}/_lock`, {}, { orgId: target.org });
      const counts = await undoRun(target, path);
      expect(counts).toMatchObject({ deleted: count - 1 });
      expect(counts.changed).toBe(1);
    });
  },
);

describe.each(ways.flatMap((way) => [2000, 30_000, 120_000].map((lag) => ({ way, lag }))))(
  '$way, with lists that lag by $lag ms',
  ({ way, lag }) => {
    it('users whose answers were lost are ours, and an undo at once leaves none', async () => {
      const target = createTarget({ server: lagging(lag), dateAhead: 700, fault: losing() });
      const { path, ...counts } = await importAll(way, target, createTestFolder());
      expect(counts).toEqual({ created: count, existed: 0 });
      expect(await undoRun(target, path)).toMatchObject({
        there: count,
        deleted: count,
        gone: 0,
        unanswered: 0,
      });
      expect(usersAt(target).size).toBe(0);
    });

    it('users of a run right before, in no list yet, are never ours', async () => {
      const folder = createTestFolder();
      const first = createTarget({ server: lagging(lag) });
      await importAll(way, first, folder);
      const second = createTarget({ server: first.server, fault: losing() });
      const { path, ...counts } = await importAll(way, second, folder);
      expect(counts).toEqual({ created: 0, existed: count });
      expect(await undoRun(second, path)).toMatchObject({ there: 0, deleted: 0 });
      expect(usersAt(first).size).toBe(count);
    });
  },
);
