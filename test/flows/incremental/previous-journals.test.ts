/** Several passes over the same users, some of them rolled back: a delta knows who is there, or says what it needs. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allUsers } from '../../../src/flows/import-users/select-users.ts';
import { loadPreviousRuns } from '../../../src/flows/incremental/previous-runs.ts';
import { countUndo, findStopped, undo, type UndoRequest } from '../../../src/flows/undo/undo.ts';
import { loadJournal } from '../../../src/journal/load.ts';
import { createTestFolder } from '../../support/folder.ts';
import {
  bodyOf,
  createTarget,
  usersAt,
  sampleUser,
  runUsers,
  type RunUsersOptions,
  type Target,
} from '../../support/users-run.ts';

const called = (name: string, firstName: string) =>
  sampleUser(name, { profile: { firstName, lastName: name } });

/** Passes in one folder, each with a journal of its own. */
function createPasses(target = createTarget()) {
  const folder = createTestFolder();
  const path = (name: string): string => join(folder, `${name}.journal`);
  const run = async (
    name: string,
    since: readonly string[],
    sampleUsers: readonly unknown[],
    more: Partial<RunUsersOptions> = {},
  ) => {
    const about = { verb: 'import-users', url: target.client.url, orgs: [target.org] } as const;
    const previous =
      since.length === 0
        ? undefined
        : await loadPreviousRuns(since.map(path), { ...about, journal: path(name) });
    const { tally } = await runUsers(target, bodyOf(target.org, sampleUsers), {
      folder,
      journal: { path: path(name), resume: false },
      selection: { ...allUsers, previous },
      ...more,
    });
    await target.server.clock.advance(60_000);
    return tally;
  };
  return { target, folder, path, run };
}

async function rollBack(target: Target, journalPath: string, more: Partial<UndoRequest> = {}): Promise<void> {
  const journal = await loadJournal(journalPath);
  const place = `${journalPath}.undo`;
  const stopped = await findStopped(place, journal);
  const request: UndoRequest = {
    client: target.client,
    name: journalPath,
    journalPath,
    journal,
    undoJournal: { path: place, resume: stopped !== undefined },
    stopped,
    alsoChanged: false,
    concurrency: 1,
    perSecond: undefined,
    ...more,
  };
  const context = { emit: () => {}, clock: target.clock, signal: new AbortController().signal };
  const counts = await countUndo(request, context, () => Promise.resolve());
  await undo(request, context, counts, counts.there);
}

const firstNames = (target: Target) =>
  Object.fromEntries([...usersAt(target)].map(([name, { firstName }]) => [name, firstName]));

test('whom the undo of a second pass has deleted is brought over again; who was changed in place stays as they are', async () => {
  const { target, path, run } = createPasses();
  const sampleUsers = [called('ann', 'Ann'), called('bob', 'Bob'), called('cyd', 'Cyd')];
  await run('first', [], sampleUsers);
  await run('second', ['first'], [called('ann', 'Ann'), called('bob', 'Robert'), called('dan', 'Dan')]);
  await rollBack(target, path('second'));
  expect(firstNames(target)).toEqual({ ann: 'Ann', bob: 'Robert', cyd: 'Cyd' });

  // Bob is in the source again as the first pass had brought him over, and Dan is new again.
  const tally = await run('third', ['first', 'second'], [...sampleUsers, called('dan', 'Dan')]);
  expect(tally).toMatchObject({ read: 4, written: 2, skipped: 2 });
  expect(firstNames(target)).toEqual({ ann: 'Ann', bob: 'Bob', cyd: 'Cyd', dan: 'Dan' });
});

test('who is gone by an undo, and not in the source any more, is not said to stay at the target', async () => {
  const { target, path, run } = createPasses();
  await run('first', [], [sampleUser('ann')]);
  await run('second', ['first'], [sampleUser('ann'), sampleUser('bob')]);
  await rollBack(target, path('second'));
  await run('third', ['first', 'second'], [sampleUser('cyd')]);
  const told = target.events.flatMap((event) =>
    event.type === 'notice' && event.code === 'delta:vanished' ? [event.text] : [],
  );
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('old-ann');
  expect(told[0]).not.toContain('old-bob');
});

test('a pass that is missing among the earlier ones is asked for by name, also under another one', async () => {
  const { folder, path, run } = createPasses();
  await run('first', [], [sampleUser('ann')]);
  await run('second', ['first'], [called('ann', 'Anna')]);
  const third = [called('ann', 'First')];
  await expect(run('third', ['first'], third)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(`${path('second')} is of another run`),
  });
  renameSync(path('second'), join(folder, 'kept.journal.1'));
  await expect(run('third', ['first'], third)).rejects.toThrow('kept.journal.1 is of another run');
  renameSync(join(folder, 'kept.journal.1'), path('second'));
  await expect(run('third', ['second'], third)).rejects.toThrow(`${path('first')} is of another run`);
  expect(await run('third', ['first', 'second'], third)).toMatchObject({ written: 1 });
});

test('the pass that is gone on with, passes over other users, and what is no journal are no missing ones', async () => {
  const { target, folder, path, run } = createPasses();
  await run('first', [], [sampleUser('ann')]);
  await run('other', [], [sampleUser('eve')]);
  writeFileSync(join(folder, 'torn.journal'), '{"format":"idport-journal","version":1,"ve');
  writeFileSync(join(folder, 'notes on the journal.txt'), 'nothing\nof use\n');
  const names = ['ann', 'bob', 'cyd'].map((name) => called(name, 'New'));
  const cut = createTarget({ server: target.server }, { budget: 6 });
  const about = { verb: 'import-users', url: target.client.url, orgs: [target.org] } as const;
  const previous = await loadPreviousRuns([path('first')], { ...about, journal: path('second') });
  const options = { folder, selection: { ...allUsers, previous }, concurrency: 1 };
  const stopped = runUsers(cut, bodyOf(target.org, names), {
    ...options,
    journal: { path: path('second'), resume: false },
  });
  await expect(stopped).rejects.toMatchObject({ code: 'api:budget' });
  const tally = await run('second', ['first'], names, { journal: { path: path('second'), resume: true } });
  expect(tally).toMatchObject({ read: 3, written: 3 });
});

test('a pass whose undo has not come to its end is not compared with', async () => {
  const { target, path, run } = createPasses();
  await run(
    'first',
    [],
    ['ann', 'bob', 'cyd'].map((name) => sampleUser(name)),
  );
  const cut = createTarget({ server: target.server }, { budget: 4 });
  await expect(rollBack(cut, path('first'))).rejects.toMatchObject({ code: 'api:budget' });
  await expect(run('second', ['first'], [sampleUser('ann')])).rejects.toThrow(
    'its rollback was started and is not finished',
  );
  await rollBack(target, path('first'));
  expect(await run('second', ['first'], [sampleUser('ann')])).toMatchObject({ written: 1 });
});

test('an undo is known also where the journal that it took back has another name by now', async () => {
  const { target, folder, path, run } = createPasses();
  await run('first', [], [sampleUser('ann'), sampleUser('bob')]);
  target.server.state.store.users.delete(usersAt(target).get('bob')!.id);
  await rollBack(target, path('first'));
  await rollBack(target, path('first'));
  renameSync(path('first'), join(folder, 'first.journal.1'));
  const about = { verb: 'import-users', url: target.client.url, orgs: [target.org] } as const;
  const previous = await loadPreviousRuns([join(folder, 'first.journal.1')], {
    ...about,
    journal: path('second'),
  });
  expect(previous.find({ id: 'old-ann', userName: 'ann' })).toBeUndefined();
  // Deleted by hand: no undo knows of that, and the pass says what it had left.
  expect(previous.find({ id: 'old-bob', userName: 'bob' })).toBeDefined();
});
