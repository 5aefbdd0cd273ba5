/** The second pass on cutover night: only who is new or has changed, and a word about who is gone. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { everybody } from '../../../src/flows/import-users/choose.ts';
import { loadEarlier } from '../../../src/flows/import-users/earlier.ts';
import { createTestFolder } from '../../support/folder.ts';
import { bodyOf, createTarget, peopleAt, person, runUsers } from '../../support/users-run.ts';

test('brings over who is new, replaces who changed, leaves the others, and tells who vanished', async () => {
  const target = createTarget();
  const first = createTestFolder();
  const people = ['ann', 'bob', 'cyd'].map((name) => person(name));
  await runUsers(target, bodyOf(target.org, people), { folder: first });
  const before = peopleAt(target);

  const path = join(first, 'users.journal');
  const earlier = await loadEarlier([path], {
    verb: 'import-users',
    url: target.client.url,
    orgs: [target.org],
  });
  expect(earlier.people).toBe(3);
  const changed = person('bob', { profile: { firstName: 'Robert', lastName: 'bob' } });
  const body = bodyOf(target.org, [person('ann'), changed, person('dan')]);
  const second = createTestFolder();
  const { tally } = await runUsers(target, body, { folder: second, choice: { ...everybody, earlier } });

  expect(tally).toMatchObject({ read: 3, written: 2, skipped: 1, rejected: 0 });
  expect(tally.reasons.get('user-skipped:unchanged')).toBe(1);
  const after = peopleAt(target);
  expect([...after.keys()].toSorted()).toEqual(['ann', 'bob', 'cyd', 'dan']);
  expect(after.get('ann')!.id).toBe(before.get('ann')!.id);
  expect(after.get('bob')).toMatchObject({ firstName: 'Robert' });
  expect(after.get('bob')!.id).not.toBe(before.get('bob')!.id);
  const vanished = target.events.find((event) => event.type === 'notice' && event.code === 'delta:vanished');
  expect(vanished).toMatchObject({ text: expect.stringContaining('old-cyd') });

  const third = await loadEarlier([path, join(second, 'users.journal')], {
    url: target.client.url,
    orgs: [target.org],
    verb: 'import-users',
  });
  const again = await runUsers(target, body, {
    folder: createTestFolder(),
    choice: { ...everybody, earlier: third },
  });
  expect(again.tally).toMatchObject({ read: 3, written: 0, skipped: 3 });
});

test('never deletes who was there before the first run', async () => {
  const target = createTarget();
  const folder = createTestFolder();
  await target.server.call('POST /management/v1/users/human/_import', person('ann').user);
  const { id } = peopleAt(target).get('ann')!;
  await runUsers(target, bodyOf(target.org, [person('ann')]), { folder });
  const earlier = await loadEarlier([join(folder, 'users.journal')], {
    url: target.client.url,
    orgs: [target.org],
    verb: 'import-users',
  });
  const changed = person('ann', { profile: { firstName: 'Other', lastName: 'ann' } });
  const { tally } = await runUsers(target, bodyOf(target.org, [changed]), {
    folder: createTestFolder(),
    choice: { ...everybody, earlier },
  });
  expect(tally.reasons.get('user-skipped:exists')).toBe(1);
  expect(peopleAt(target).get('ann')!.id).toBe(id);
});

test('a journal of another organization is refused', async () => {
  const target = createTarget();
  const folder = createTestFolder();
  await runUsers(target, bodyOf(target.org, [person('ann')]), { folder });
  await expect(
    loadEarlier([join(folder, 'users.journal')], {
      url: target.client.url,
      orgs: ['another'],
      verb: 'import-users',
    }),
  ).rejects.toMatchObject({ code: 'usage' });
});
