/** Several passes over the same users, some undone: an incremental run knows its users, or names what it needs. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadJournal } from '../../../src/journal/load.ts';
import { rollBack } from '../../support/undo-run.ts';
import { beginPasses, createPasses, userAt, called } from '../../support/users-run.ts';

test('an undo is not attributed to another run that began at the same time', async () => {
  const { target, path, pass, previous } = createPasses();
  await pass('trial', [], ['ann', 'bob']);
  await rollBack(target, path('trial'));
  await pass('first', [], ['ann', 'bob']);
  const begun = async (name: string) => (await loadJournal(path(name))).header.startedAt;
  const [trial, first] = [String(await begun('trial')), String(await begun('first'))];
  for (const file of [path('trial'), `${path('trial')}.undo`])
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(trial, first));
  expect((await previous(['first'], 'second'))?.users).toBe(2);
});

test('a missing previous run is named, also if its journal was renamed', async () => {
  const { folder, path, pass, next } = await beginPasses(['ann']);
  await next([called('ann', 'Anna')]);
  const third = [called('ann', 'First')];
  await expect(pass('third', ['first'], third)).rejects.toThrow(`${path('second')} is of another run`);
  renameSync(path('second'), join(folder, 'kept.journal.1'));
  await expect(pass('third', ['first'], third)).rejects.toThrow('kept.journal.1 is of another run');
  renameSync(join(folder, 'kept.journal.1'), path('second'));
  await expect(pass('third', ['second'], third)).rejects.toThrow(`${path('first')} is of another run`);
  // The order of the flags does not count.
  const first = readFileSync(path('first'), 'utf8').replace(/"startedAt":\d+/, '"startedAt":9');
  writeFileSync(path('first'), first);
  expect((await pass('third', ['second', 'first'], third)).tally).toMatchObject({ written: 1 });
});

test('an undo is recognised although its journal was renamed', async () => {
  const { target, path, previous } = await beginPasses(['ann', 'bob']);
  target.server.state.store.users.delete(userAt(target, 'bob').id);
  await rollBack(target, path('first'));
  await rollBack(target, path('first'));
  renameSync(path('first'), path('renamed'));
  const found = (await previous(['renamed'], 'second'))!;
  expect(found.find({ id: 'old-ann', userName: 'ann' })).toBeUndefined();
  // Deleted by hand: no undo knows of that, and the pass says what it had left.
  expect(found.find({ id: 'old-bob', userName: 'bob' })).toBeDefined();
});

test('a user that a run changed is gone once the run that created it is undone', async () => {
  const { target, path, next, previous } = await beginPasses(['ann']);
  await next([called('ann', 'Anna')]);
  await rollBack(target, path('first'));
  const found = await previous(['first', 'second'], 'third');
  expect([found!.users, found!.find({ id: 'old-ann', userName: 'ann' })]).toEqual([0, undefined]);
});
