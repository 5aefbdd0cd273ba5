/** A second pass in bulk against lists that lag: it waits for what the first pass has written. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codesOf } from '../../support/desk.ts';
import { createTestFolder } from '../../support/folder.ts';
import { createFullServer } from '../../support/full-server.ts';
import { bodyOf, countsOf, human, journalName, runImport, createService } from '../../support/service.ts';

it.each([5000, 120_000])('a second pass waits for lists that are %i ms behind', async (lag) => {
  const service = createService({ server: createFullServer({ rate: null, lag }) });
  const { state, orgId } = service.server;
  const { users } = state.store;
  const [first, second] = [createTestFolder(), createTestFolder()];
  await runImport(service, first, bodyOf(orgId, { humanUsers: ['ann', 'bob'] }));
  const [ann, before] = [users.get('ann'), users.get('bob')];
  expect(codesOf(service)).not.toContain('list:behind');

  const robert = human('bob', { profile: { firstName: 'Robert', lastName: 'bob' } });
  const body = bodyOf(orgId, { humanUsers: ['ann', robert, 'dan'] });
  const end = await runImport(service, second, body, { since: [join(first, journalName)] });
  expect(codesOf(service)).toContain('list:behind');
  expect(countsOf(end)).toEqual({ read: 3, written: 2, rejected: 0, skipped: 1, unchanged: 1 });
  expect(users.get('ann')).toBe(ann);
  expect(users.get('bob')).toMatchObject({ firstName: 'Robert' });
  expect(users.get('bob')).not.toBe(before);
});
