/** Several passes over the same users, some undone: an incremental run knows its users, or names what it needs. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadJournal } from '../../../src/journal/load.ts';
import { textsOf } from '../../support/desk.ts';
import { runImport } from '../../support/service.ts';
import { rollBack } from '../../support/undo-run.ts';
import {
  bodyOf,
  beginPasses,
  createPasses,
  createTarget,
  usersAt,
  type Target,
  fieldAt,
  called,
} from '../../support/users-run.ts';

const firstNames = (target: Target) => fieldAt(target, 'firstName');

test('the next pass recreates users deleted by an undo of the second pass, and updates users changed in place', async () => {
  const { target, path, next } = createPasses();
  const users = [called('ann', 'Ann'), called('bob', 'Bob'), called('cyd', 'Cyd')];
  await next(users);
  await target.server.clock.advance(60_000);
  await next([called('ann', 'Ann'), called('bob', 'Robert'), called('dan', 'Dan')]);
  await rollBack(target, path('second'));
  expect(firstNames(target)).toEqual({ ann: 'Ann', bob: 'Robert', cyd: 'Cyd' });

  // Bob is in the source again as the first pass had brought him over, and Dan is new again.
  const { tally } = await next([...users, called('dan', 'Dan')]);
  expect(tally).toMatchObject({ read: 4, written: 2, skipped: 2 });
  expect(firstNames(target)).toEqual({ ann: 'Ann', bob: 'Bob', cyd: 'Cyd', dan: 'Dan' });
});

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

test('users deleted by an undo are not reported as staying at the target', async () => {
  const { target, path, next } = await beginPasses(['ann']);
  await next(['ann', 'bob']);
  await rollBack(target, path('second'));
  await next(['cyd']);
  const told = textsOf(target, 'delta:vanished');
  expect(told).toEqual([expect.stringContaining('old-ann')]);
  expect(told[0]).not.toContain('old-bob');
});

test('a missing previous run is named, also if its journal was renamed', async () => {
  const { folder, path, pass, next } = await beginPasses(['ann']);
  await next([called('ann', 'Anna')]);
  const third = [called('ann', 'First')];
  await expect(pass('third', ['first'], third)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(`${path('second')} is of another run`),
  });
  renameSync(path('second'), join(folder, 'kept.journal.1'));
  await expect(pass('third', ['first'], third)).rejects.toThrow('kept.journal.1 is of another run');
  renameSync(join(folder, 'kept.journal.1'), path('second'));
  await expect(pass('third', ['second'], third)).rejects.toThrow(`${path('first')} is of another run`);
  expect((await pass('third', ['first', 'second'], third)).tally).toMatchObject({ written: 1 });
});

test('the resumed pass, passes over other users and other files are not missing passes', async () => {
  const { target, folder, pass } = await beginPasses(['ann']);
  await pass('other', [], ['eve']);
  writeFileSync(join(folder, 'torn.journal'), '{"format":"idport-journal","version":1,"ve');
  writeFileSync(join(folder, 'notes on the journal.txt'), 'nothing\nof use\n');
  const users = ['ann', 'bob', 'cyd'].map((name) => called(name, 'New'));
  const over = createTarget({ server: target.server }, { budget: 6 });
  const stopped = pass('second', ['first'], users, { over, concurrency: 1 });
  await expect(stopped).rejects.toMatchObject({ code: 'api:budget' });
  const { tally } = await pass('second', ['first'], users, { resume: true });
  expect(tally).toMatchObject({ read: 3, written: 3 });
});

test('the next pass compares with the run that imported fixed rejects', async () => {
  const { target, pass, next } = createPasses();
  const grants = { userGrants: [{ userId: 'old-dan', projectId: '1', roleKeys: ['r'] }] };
  await next(['ann', 'bob']);
  await pass('fixed', [], ['bob', called('cyd', 'Cyd'), 'dan'], { lists: grants });
  const users = ['ann', called('bob', 'Rob'), called('cyd', 'Cid'), 'dan', 'eve'];
  const { tally } = await pass('second', ['first', 'fixed'], users, { lists: grants });
  expect(Object.fromEntries(tally.reasons)).toEqual({ 'single:changed': 2, 'user-skipped:unchanged': 2 });
  expect(firstNames(target)).toMatchObject({ ann: 'First', bob: 'Rob', cyd: 'Cid', eve: 'First' });
  const third = users.with(3, called('dan', 'Daniel'));
  const again = await pass('third', ['first', 'fixed', 'second'], third, { lists: grants });
  expect(again.tally).toMatchObject({ written: 1, skipped: 4 });
});

test('the journal of a bulk import is refused with a hint to idport import', async () => {
  const { target, folder, path, pass } = createPasses();
  const journal = { path: path('bulk'), resume: false };
  await runImport(target, folder, bodyOf(target.org, ['ann']), { journal });
  await expect(pass('second', ['bulk'], ['ann'])).rejects.toMatchObject({
    hint: expect.stringContaining(`idport import <file> --since-journal=${path('bulk')}`),
  });
});

test('a pass with an unfinished undo is refused', async () => {
  const { target, path, pass, next } = await beginPasses(['ann', 'bob', 'cyd']);
  const cut = createTarget({ server: target.server }, { budget: 4 });
  const stopped = rollBack(cut, path('first'), { concurrency: 1 });
  await expect(stopped).rejects.toMatchObject({ code: 'api:budget' });
  await expect(next(['ann'])).rejects.toThrow('its rollback was started and is not finished');
  await rollBack(target, path('first'));
  expect((await pass('second', ['first'], ['ann'])).tally).toMatchObject({ written: 1 });
});

test('an undo is recognised although its journal was renamed', async () => {
  const { target, path, previous } = await beginPasses(['ann', 'bob']);
  target.server.state.store.users.delete(usersAt(target).get('bob')!.id);
  await rollBack(target, path('first'));
  await rollBack(target, path('first'));
  renameSync(path('first'), path('renamed'));
  const found = (await previous(['renamed'], 'second'))!;
  expect(found.find({ id: 'old-ann', userName: 'ann' })).toBeUndefined();
  // Deleted by hand: no undo knows of that, and the pass says what it had left.
  expect(found.find({ id: 'old-bob', userName: 'bob' })).toBeDefined();
});
