/** What a run of import-users leaves that ends early. */
import { expect, test } from 'vitest';
import { reportFile } from '../../src/wire/reports.ts';
import { openWorkspace, succeeded } from '../support/workspace.ts';
import { oidcIdps, sampleUser } from '../support/users-run.ts';

test('a run stopped by --max-errors leaves a report, rejects and an id map', async () => {
  const workspace = await openWorkspace({ orgId: '100' });
  const importing = 'import-users body.json --org=100';
  workspace.writeBody('idps.json', [], { oidcIdps });
  await succeeded(workspace.run('import idps.json'));
  // One of them gets the link.
  const idps = [{ configId: 'idp', externalUserId: 'shared' }];
  const users = Array.from({ length: 12 }, (_, at) =>
    sampleUser(`limit-${at}`, at === 0 || at % 2 === 1 ? { idps } : {}),
  );
  workspace.writeBody('body.json', users);
  const files = '--concurrency=1 --report=report.json --rejects=rejects.json';
  const { exitCode, problem, events } = await workspace.run(`${importing} --max-errors=2 ${files}`);
  expect(exitCode).toBe(1);
  expect(problem).toMatchObject({ code: 'import:too-many-errors' });
  expect(problem?.hint).toMatch(
    /What was done before that is in report\.json and rejects\.json\. .*--resume/,
  );
  const written = events.flatMap((event) => (event.type === 'file:written' ? [event.what] : []));
  expect(written).toEqual(['rejects', 'report']);

  const report = reportFile.parse(workspace.json('report.json'));
  expect(report.stopped).toContain('more users have failed than --max-errors=2 allows');
  expect(report.summary).toMatchObject({ rejected: 3, addsUp: true });
  const rejected = report.users.filter(({ outcome }) => outcome === 'rejected').map(({ id }) => id);
  expect(rejected).toEqual(['old-limit-1', 'old-limit-3', 'old-limit-5']);
  expect(workspace.json('rejects.json').dataOrgs.orgs).toHaveLength(3);
  const { written: imported, withNotes } = report.summary;
  expect(workspace.read('body.json.ids.csv').match(/,created$/gm)).toHaveLength(imported + withNotes);
  expect(workspace.read('body.json.ids.csv').match(/,failed$/gm)).toHaveLength(3);

  const page = '--concurrency=1 --report=report.md --max-errors=0 --resume';
  expect((await workspace.run(`${importing} ${page}`)).exitCode).toBe(1);
  expect(workspace.read('report.md')).toMatch(
    /stopped after .*\n\n\*\*The run ended before its report was complete\.\*\* more users have failed than/,
  );
  expect((await workspace.run(`${importing} --resume ${files}`)).exitCode).toBe(3);
  const whole = reportFile.parse(workspace.json('report.json'));
  expect(whole.stopped).toBeUndefined();
  expect(whole.summary).toMatchObject({ read: 12, rejected: 6 });
});
