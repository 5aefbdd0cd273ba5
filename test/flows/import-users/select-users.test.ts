/** Which people a run is about. */
import { expect, test } from 'vitest';
import { allUsers, readRejectedUsers, type Selection } from '../../../src/flows/import-users/select-users.ts';
import { createRunLog } from '../../../src/flows/report/run-log.ts';
import { conversionReport } from '../../../src/flows/report/conversion-report.ts';
import { createReport } from '../../../src/flows/report/report.ts';
import type { Sink } from '../../../src/lib/sink.ts';
import { createTestFolder } from '../../support/folder.ts';
import { bodyOf, createTarget, peopleAt, person, runUsers } from '../../support/users-run.ts';

const names = ['ann', 'bob', 'cyd', 'dan'];

async function arrivedOf(selection: Partial<Selection>): Promise<string[]> {
  const target = createTarget();
  const body = bodyOf(
    target.org,
    names.map((name) => person(name)),
  );
  await runUsers(target, body, { folder: createTestFolder(), selection: { ...allUsers, ...selection } });
  return [...peopleAt(target).keys()].toSorted();
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
  const refused = person('bob', { idps: [{ configId: 'nowhere', externalUserId: 'x' }] });
  const log = createRunLog({
    report: { format: createReport('report.json', conversionReport), sink },
    rejects: undefined,
  });
  const first = bodyOf(target.org, [person('ann'), refused, person('cyd')]);
  await runUsers(target, first, { folder: createTestFolder(), log, selection: { ...allUsers, limit: 2 } });
  expect([...peopleAt(target).keys()]).toEqual(['ann']);
  expect(text).not.toContain('$2b$');

  const rejectedBefore = readRejectedUsers('report.json', text);
  const mended = bodyOf(target.org, [person('ann'), person('bob'), person('cyd')]);
  const { tally } = await runUsers(target, mended, {
    folder: createTestFolder(),
    selection: { ...allUsers, rejectedBefore },
  });
  expect([...peopleAt(target).keys()].toSorted()).toEqual(['ann', 'bob']);
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
    names.map((name) => person(name)),
  );
  await expect(runUsers(target, body, { folder, concurrency: 1 })).rejects.toMatchObject({
    code: 'api:budget',
  });
  expect(target.requests).toHaveLength(3);
  const again = createTarget({ server: target.server });
  const { tally } = await runUsers(again, body, { folder, resume: true });
  expect(tally).toMatchObject({ read: 4, written: 4 });
  expect(peopleAt(again).size).toBe(4);
});
