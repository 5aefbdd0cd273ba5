/** What an import of users tells of its progress: only what this run was asked for, and only what it has done. */
import { expect, test } from 'vitest';
import type { IdportEvent } from '../../../src/events.ts';
import { allUsers } from '../../../src/flows/import-users/select-users.ts';
import { createTestFolder } from '../../support/folder.ts';
import { bodyOf, createTarget, runUsers, sampleUser, usersAt, type Target } from '../../support/users-run.ts';

const bodyFor = ({ org }: Target, count = 40): string =>
  bodyOf(
    org,
    Array.from({ length: count }, (_, at) => sampleUser(`user-${at}`)),
  );

function lastOf<Type extends IdportEvent['type']>(events: readonly IdportEvent[], type: Type) {
  return events.findLast((event): event is Extract<IdportEvent, { type: Type }> => event.type === type)!;
}

test('--limit has its own 100 %', async () => {
  const target = createTarget();
  const selection = { ...allUsers, offset: 5, limit: 10 };
  await runUsers(target, bodyFor(target), { folder: createTestFolder(), selection });
  expect(lastOf(target.events, 'run:start').records).toBe(10);
  expect(lastOf(target.events, 'run:progress')).toMatchObject({ records: 10, before: 0 });
});

test('the known rate is that of users, of whom each may take several requests', async () => {
  const target = createTarget();
  const inactive = Array.from({ length: 4 }, (_, at) =>
    sampleUser(`user-${at}`, {}, { state: 'USER_STATE_INACTIVE' }),
  );
  await runUsers(target, bodyOf(target.org, inactive), { folder: createTestFolder(), perSecond: 10 });
  expect(lastOf(target.events, 'run:start').perSecond).toBe(5);
});

test('a resumed run goes on where the one before was, and counts only its own work', async () => {
  const target = createTarget();
  const folder = createTestFolder();
  const abort = new AbortController();
  const body = bodyFor(target);
  const { push } = target.events;
  target.events.push = function (...added) {
    if (added.some((event) => event.type === 'run:progress' && event.records === 25)) abort.abort();
    return push.apply(this, added);
  };
  await expect(runUsers(target, body, { folder, signal: abort.signal })).rejects.toMatchObject({
    exitCode: 130,
  });
  const done = usersAt(target).size;
  expect(done).toBeGreaterThanOrEqual(25);
  expect(done).toBeLessThan(40);

  target.events.length = 0;
  await runUsers(target, body, { folder, resume: true });
  expect(lastOf(target.events, 'run:start').records).toBe(40);
  const progress = target.events.filter((event) => event.type === 'run:progress');
  expect(progress[0]).toMatchObject({ records: done, before: done });
  expect(progress.map(({ records }) => records)).toEqual(
    Array.from({ length: 41 - done }, (_, at) => done + at),
  );
  expect(new Set(progress.map(({ before }) => before))).toEqual(new Set([done]));
});
