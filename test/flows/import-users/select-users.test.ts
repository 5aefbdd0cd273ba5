/** Which users a run is about. */
import { expect, test } from 'vitest';
import { allUsers, readRejectedUsers, type Selection } from '../../../src/flows/import-users/select-users.ts';
import { createRunLog } from '../../../src/flows/report/run-log.ts';
import { conversionReport } from '../../../src/flows/report/conversion-report.ts';
import { writeReport } from '../../../src/flows/report/open-report.ts';
import { createReport } from '../../../src/flows/report/report.ts';
import type { Sink } from '../../../src/lib/sink.ts';
import { createTestFolder } from '../../support/folder.ts';
import { bodyOf, createTarget, usersAt, sampleUser, runUsers } from '../../support/users-run.ts';

const names = ['ann', 'bob', 'cyd', 'dan'];

async function arrivedOf(selection: Partial<Selection>): Promise<string[]> {
  const target = createTarget();
  const body = bodyOf(
    target.org,
    names.map((name) => sampleUser(name)),
  );
  await runUsers(target, body, { folder: createTestFolder(), selection: { ...allUsers, ...selection } });
  return [...usersAt(target).keys()].toSorted();
}

test.each([
  [{ limit: 2 }, ['ann', 'bob']],
  [{ offset: 3 }, ['dan']],
  [{ offset: 1, limit: 2 }, ['bob', 'cyd']],
  [{ users: new Set(['bob', 'old-cyd', 'dan@example.com']) }, ['bob', 'cyd', 'dan']],
])('%j takes %j', async (selection, expected) => {
  expect(await arrivedOf(selection)).toEqual(expected);
});

test('only those whom an earlier report calls rejected', async () => {
  const target = createTarget();
  let text = '';
  const sink: Sink = {
    name: 'report.json',
    bytes: 0,
    write: (chunk) => {
      text += String(chunk);
    },
    commit: () => Promise.resolve(),
    discard: () => {},
  };
  const refused = sampleUser('bob', { idps: [{ configId: 'nowhere', externalUserId: 'x' }] });
  const log = createRunLog({
    report: writeReport(createReport('report.json', conversionReport()), sink, { emit: () => {} }),
    rejects: undefined,
  });
  const first = bodyOf(target.org, [sampleUser('ann'), refused, sampleUser('cyd')]);
  await runUsers(target, first, { folder: createTestFolder(), log, selection: { ...allUsers, limit: 2 } });
  expect([...usersAt(target).keys()]).toEqual(['ann']);
  expect(text).not.toContain('$2b$');

  const rejectedBefore = readRejectedUsers('report.json', text);
  const fixed = bodyOf(target.org, [sampleUser('ann'), sampleUser('bob'), sampleUser('cyd')]);
  const { tally } = await runUsers(target, fixed, {
    folder: createTestFolder(),
    selection: { ...allUsers, rejectedBefore },
  });
  expect([...usersAt(target).keys()].toSorted()).toEqual(['ann', 'bob']);
  expect(tally).toMatchObject({ read: 3, written: 1, skipped: 2 });
});

test('a file that is no report is refused', () => {
  expect(() => readRejectedUsers('x.json', '{}')).toThrow(/not a report/);
  expect(() => readRejectedUsers('x.json', 'x')).toThrow(/not JSON/);
});

test('a spent budget ends the run, and the next one goes on', async () => {
  const target = createTarget({}, { budget: 3 });
  const folder = createTestFolder();
  const body = bodyOf(
    target.org,
    names.map((name) => sampleUser(name)),
  );
  await expect(runUsers(target, body, { folder, concurrency: 1 })).rejects.toMatchObject({
    code: 'api:budget',
  });
  expect(target.requests).toHaveLength(3);
  const again = createTarget({ server: target.server });
  const { tally } = await runUsers(again, body, { folder, resume: true });
  expect(tally).toMatchObject({ read: 4, written: 4 });
  expect(usersAt(again).size).toBe(4);
});
