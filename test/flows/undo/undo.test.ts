/** Undo against the reference server: it leaves the target as it was before the import. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countUndo, undo, type UndoRequest } from '../../../src/flows/undo/undo.ts';
import { loadJournal } from '../../../src/journal/load.ts';
import { createTestFolder } from '../../support/folder.ts';
import { bodyOf, createTarget, peopleAt, person, runUsers, type Target } from '../../support/users-run.ts';

const snapshot = (target: Target): string =>
  JSON.stringify([...target.server.state.store.users.values()].toSorted((a, b) => a.id.localeCompare(b.id)));

async function imported(): Promise<{ target: Target; folder: string; before: string }> {
  const target = createTarget();
  const folder = createTestFolder();
  await target.server.call('POST /management/v1/users/human/_import', person('bob').user);
  await target.server.clock.advance(60_000);
  const before = snapshot(target);
  const people = ['ann', 'bob', 'cyd', 'dan'].map((name) => person(name));
  await runUsers(target, bodyOf(target.org, people), { folder });
  return { target, folder, before };
}

async function requestFor(
  target: Target,
  folder: string,
  confirmed: number | undefined,
): Promise<UndoRequest> {
  const journalPath = join(folder, 'users.journal');
  const { header } = await loadJournal(journalPath);
  return {
    client: target.client,
    name: 'users.journal',
    journalPath,
    header,
    undoJournal: { path: `${journalPath}.undo`, resume: false },
    confirmed,
    concurrency: 2,
    perSecond: undefined,
    print: () => Promise.resolve(),
  };
}

const contextOf = (target: Target) => ({
  emit: () => {},
  clock: target.clock,
  signal: new AbortController().signal,
});

test('a dry run counts and deletes nobody', async () => {
  const { target, folder } = await imported();
  const counts = await countUndo(await requestFor(target, folder, undefined), contextOf(target));
  expect(counts).toEqual({ created: 3, there: 3, gone: 0, deleted: 0 });
  expect(peopleAt(target).size).toBe(4);
});

test('leaves the target as it was before the import', async () => {
  const { target, folder, before } = await imported();
  const request = await requestFor(target, folder, 3);
  const end = await undo(request, contextOf(target), await countUndo(request, contextOf(target)));
  expect(end.deleted).toBe(3);
  expect(snapshot(target)).toBe(before);
});

test('deletes nobody where another number is confirmed', async () => {
  const { target, folder } = await imported();
  const request = await requestFor(target, folder, 4);
  const counts = await countUndo(request, contextOf(target));
  await expect(undo(request, contextOf(target), counts)).rejects.toMatchObject({ code: 'usage' });
  expect(peopleAt(target).size).toBe(4);
});

test('leaves alone who has come in under the name of somebody deleted meanwhile', async () => {
  const { target, folder } = await imported();
  const id = peopleAt(target).get('ann')!.id;
  target.server.state.store.users.delete(id);
  await target.server.call('POST /management/v1/users/human/_import', person('ann').user);
  const request = await requestFor(target, folder, 2);
  const counts = await countUndo(request, contextOf(target));
  expect(counts).toMatchObject({ there: 2, gone: 1 });
  await undo(request, contextOf(target), counts);
  expect([...peopleAt(target).keys()].toSorted()).toEqual(['ann', 'bob']);
});

test('goes on after it was stopped', async () => {
  const { target, folder, before } = await imported();
  let deletes = 0;
  const failing = createTarget({
    server: target.server,
    fault: ({ method }) =>
      method === 'DELETE' && ++deletes > 1 ? { status: 403, body: { code: 7 } } : undefined,
  });
  const first = await requestFor(failing, folder, 3);
  const counts = await countUndo(first, contextOf(failing));
  await expect(undo(first, contextOf(failing), counts)).rejects.toMatchObject({ status: 403 });
  const again = await requestFor(target, folder, 2);
  const left = await countUndo(again, contextOf(target));
  expect(left).toMatchObject({ there: 2, gone: 1 });
  await undo({ ...again, undoJournal: { ...again.undoJournal, resume: true } }, contextOf(target), left);
  expect(snapshot(target)).toBe(before);
});
