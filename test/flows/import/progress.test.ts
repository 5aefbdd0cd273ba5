/** What a bulk import tells of its progress: users, and which of them were no work of this run. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestFolder } from '../../support/folder.ts';
import { bodyOf, human, journalName, runImport } from '../../support/import-run.ts';
import { createService } from '../../support/service.ts';

it('users that are unchanged or cannot be sent are no work of an incremental run', async () => {
  const service = createService();
  const folder = createTestFolder();
  const { orgId } = service.server;
  await runImport(service, folder, bodyOf(orgId, { humanUsers: ['a', 'b', 'c'].map((id) => human(id)) }));
  expect(service.events.findLast(({ type }) => type === 'run:progress')).toMatchObject({
    records: 3,
    before: 0,
  });

  const users = ['a', 'b', 'c', 'd'].map((id) => human(id));
  await runImport(service, folder, bodyOf(orgId, { humanUsers: [{ userId: 'x', user: 'y' }, ...users] }), {
    since: [join(folder, journalName)],
    journal: { path: join(folder, 'second.journal'), resume: false },
  });
  expect(service.events.findLast(({ type }) => type === 'run:start')).toMatchObject({ records: 5 });
  expect(service.events.findLast(({ type }) => type === 'run:progress')).toMatchObject({
    records: 5,
    before: 4,
  });
});
