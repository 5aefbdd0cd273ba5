/** What an import of users tells of its progress: only what this run was asked for, and only what it has done. */
import { InterruptedError } from '../../../src/errors.ts';
import { expect, test } from 'vitest';
import { eventOf } from '../../support/workspace.ts';
import { createTestFolder } from '../../support/folder.ts';
import {
  bodyOf,
  createTarget,
  runUsers,
  sampleUser,
  userNames,
  usersAt,
  allUsers,
} from '../../support/users-run.ts';

test('progress with --limit counts only the selected users', async () => {
  const target = createTarget();
  const selection = { ...allUsers, offset: 5, limit: 10 };
  await runUsers(target, bodyOf(target.org, userNames(40)), { selection });
  expect(eventOf(target, 'run:start').records).toBe(10);
  expect(eventOf(target, 'run:progress')).toMatchObject({ records: 10, before: 0 });
});

test('the rate of progress is users per second although a user takes several requests', async () => {
  const target = createTarget();
  const inactive = userNames(4).map((name) => sampleUser(name, {}, { state: 'USER_STATE_INACTIVE' }));
  await runUsers(target, bodyOf(target.org, inactive), { perSecond: 10 });
  expect(eventOf(target, 'run:start').perSecond).toBe(5);
});

test('progress of a resumed run starts at the finished users and counts only its own work', async () => {
  const target = createTarget();
  const folder = createTestFolder();
  const abort = new AbortController();
  const body = bodyOf(target.org, userNames(40));
  const { push } = target.events;
  target.events.push = function (...added) {
    if (added.some((event) => event.type === 'run:progress' && event.records === 25))
      abort.abort(new InterruptedError());
    return push.apply(this, added);
  };
  const stopped = runUsers(target, body, { folder, signal: abort.signal });
  await expect(stopped).rejects.toMatchObject({ exitCode: 130 });
  const done = usersAt(target).size;
  expect(25 <= done && done < 40).toBe(true);

  target.events.length = 0;
  await runUsers(target, body, { folder, resume: true });
  expect(eventOf(target, 'run:start').records).toBe(40);
  const progress = target.events.flatMap((event) =>
    event.type === 'run:progress' ? [[event.records, event.before]] : [],
  );
  expect(progress).toEqual(Array.from({ length: 41 - done }, (_, at) => [done + at, done]));
});
