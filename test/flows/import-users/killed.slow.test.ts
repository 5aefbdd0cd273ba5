/** The one-by-one import killed at every request, before and after the service has seen it, and gone on with. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { stillActive } from '../../../src/flows/runs/journal-users.ts';
import { loadJournal, State } from '../../../src/journal/load.ts';
import { createTestServer } from '../../support/full-server.ts';
import { exchangeWith } from '../../support/service.ts';
import { createTestFolder } from '../../support/folder.ts';
import {
  bodyOf,
  createBeside,
  createTarget,
  runUsers,
  sampleUser,
  userNames,
  usersAt,
  fieldAt,
  metadataOf,
} from '../../support/users-run.ts';
import { killAt } from '../../support/kill.ts';

const count = 7;
const inactive = { state: 'USER_STATE_INACTIVE' };
const users = userNames(count).map((name, at) => sampleUser(name, {}, at % 3 === 0 ? inactive : {}));
const wanted = (name: string) => (Number(name.slice(5)) % 3 === 0 ? 'inactive' : 'active');

type Seen = 'before' | 'after';

/** Kills a run, resumes its journal, and checks that every user exists once. */
async function killAndResume(at: number, seen: Seen, torn: number) {
  const [first, second] = [createTestFolder(), createTestFolder()];
  const journal = join(second, 'users.journal');
  const server = createTestServer();
  const { send, killed } = killAt(at, seen === 'after', exchangeWith(server), () =>
    copyFileSync(join(first, 'users.journal'), journal),
  );
  const target = createTarget({ server, client: { send } });
  const body = bodyOf(target.org, users, metadataOf('user-1'));
  const ended = runUsers(target, body, { folder: first, concurrency: 3 });
  expect(await Promise.race([killed, ended.then(() => 'ended')])).toBe('killed');
  // A line that was being written when the process died.
  const line = Buffer.from('{"intent":99,"at":1,"ent').subarray(0, torn);
  writeFileSync(journal, Buffer.concat([readFileSync(journal), line]));
  const wrong = [...usersAt(target)].filter(([name, { status }]) => status !== wanted(name));
  const told = stillActive(await loadJournal(journal)).length;
  expect(told).toBeGreaterThanOrEqual(wrong.length);
  expect(told).toBeLessThanOrEqual(3);
  const again = createTarget({ server });
  const end = await runUsers(again, body, { folder: second, resume: true, concurrency: 3 });
  expect(end.tally).toMatchObject({ read: count, written: count, skipped: 0, rejected: 0 });
  expect(end.isComplete).toBe(true);
  const there = usersAt(again);
  expect(fieldAt(again, 'status')).toEqual(
    Object.fromEntries(userNames(count).map((name) => [name, wanted(name)])),
  );
  const loaded = await loadJournal(journal);
  expect(loaded).toMatchObject({ finished: true, open: [] });
  expect([stillActive(loaded), loaded.states.count(State.created, 0, count)]).toEqual([[], count]);
  expect(there.get('user-1')!.metadata).toHaveProperty('k');
  const rows = readFileSync(join(second, 'ids.csv'), 'utf8').trim().split('\n').slice(1);
  expect(rows.toSorted()).toEqual([...there].map(([name, { id }]) => `old-${name},${id},created`).toSorted());
}

// The first three requests ask for the ids, the organization and the newest user; users, a look at the first, and states follow.
const before = 3;
const requests = before + count + 2 + 3;

test('import-users killed at any request with a torn journal line resumes completely', async () => {
  const seen = fc.constantFrom('before', 'after');
  const at = fc.integer({ min: before, max: requests - 1 });
  await fc.assert(fc.asyncProperty(at, seen, fc.integer({ min: 0, max: 24 }), killAndResume), {
    numRuns: 50,
  });
});

test('import-users killed before it recorded existing users leaves them unchanged on --resume', async () => {
  const target = createTarget();
  const theirs = ['ann', 'bob'].map((name) => sampleUser(name, {}, { ...inactive, userId: `id-${name}` }));
  for (const one of theirs) await createBeside(target, one);
  await target.server.clock.advance(1000);
  const body = bodyOf(target.org, [...theirs, 'ours']);
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
