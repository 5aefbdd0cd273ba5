/** A second pass in bulk against lists that lag: it waits for what the first pass has written. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestFolder } from '../../support/folder.ts';
import { createFullServer } from '../../support/full-server.ts';
import { bodyOf, human, runImport } from '../../support/import-run.ts';
import { createService } from '../../support/service.ts';

it.each([5000, 120_000])('a second pass waits for lists that are %i ms behind', async (lag) => {
  const service = createService({ server: { ...createFullServer({ rate: null, lag }), logged: [] } });
  const { users } = service.server.state.store;
  const org = service.server.orgId;
  const bob = (firstName: string) => human('bob', { profile: { firstName, lastName: 'bob' } });
  const first = join(createTestFolder(), 'first.journal');
  await runImport(service, createTestFolder(), bodyOf(org, { humanUsers: [human('ann'), bob('Bob')] }), {
    journal: { path: first, resume: false },
  });
  const [ann, before] = [users.get('ann'), users.get('bob')];

  const body = bodyOf(org, { humanUsers: [human('ann'), bob('Robert'), human('dan')] });
  const from = service.events.length;
  const { tally } = await runImport(service, createTestFolder(), body, { since: [first] });
  expect(service.events.slice(from)).toContainEqual(expect.objectContaining({ code: 'list:behind' }));
  const counts = { total: 3, created: 2, existed: 0, failed: 0, rejected: 0, unchanged: 1 };
  expect(tally.lists.get('humanUsers')).toEqual(counts);
  expect(users.get('ann')).toBe(ann);
  expect(users.get('bob')).toMatchObject({ firstName: 'Robert' });
  expect(users.get('bob')).not.toBe(before);
  expect(users.get('dan')).toBeDefined();
});
