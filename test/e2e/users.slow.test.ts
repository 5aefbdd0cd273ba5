/** import-users, verify and undo as they are typed, against the reference server on a socket. */
import { beforeEach, expect, test } from 'vitest';
import { reportFile } from '../../src/wire/reports.ts';
import { type Workspace, noticesOf, openWorkspace } from '../support/workspace.ts';
import { sampleUser } from '../support/users-run.ts';

const canary = '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.';
let workspace: Workspace;
let importing: string;
beforeEach(async () => {
  workspace = await openWorkspace();
  importing = `import-users body.json --org=${workspace.server.orgId}`;
});

const undoing = 'undo --journal=body.json.users.journal';

test('import-users, verify and undo move users in, compare them and delete them', async () => {
  workspace.writeBody('body.json', ['ann', 'bob', 'cyd']);
  const shown: string[] = [];
  const expectEnd = async (line: string, exitCode: number) => {
    const ran = await workspace.run(line);
    expect([line, ran.exitCode]).toEqual([line, exitCode]);
    shown.push(ran.stdout, JSON.stringify([ran.events, ran.problem]));
    return ran;
  };
  const missing = await expectEnd('verify body.json', 4);
  expect(missing.stdout).toBe('- old-ann ann\n- old-bob bob\n- old-cyd cyd\n');
  const rehearsed = await expectEnd(`${importing} --dry-run`, 0);
  expect(noticesOf(rehearsed, 'import:quote')).toContain('3 of 3 users');
  await expectEnd(`${importing} --report=report.json`, 0);
  const proven = await expectEnd('verify body.json --all --id-map=body.json.ids.csv', 0);
  expect(proven.stdout).toBe('= old-ann ann\n= old-bob bob\n= old-cyd cyd\n');
  expect((await expectEnd(undoing, 0)).stdout.trim().split('\n')).toHaveLength(3);
  await expectEnd(`${undoing} --yes=3`, 0);
  expect(workspace.humans()).toEqual([]);

  const journal = 'body.json.users.journal';
  const files = ['report.json', journal, 'body.json.ids.csv', `${journal}.undo`].map(workspace.read);
  for (const text of [...shown, ...files]) {
    expect(text).not.toContain(canary);
    expect(text).not.toContain(workspace.server.tokens.iamOwner);
  }
});

test('a run stopped by --max-errors leaves a report, rejects and an id map', async () => {
  const users = Array.from({ length: 12 }, (_, at) => {
    const name = `limit-${at}`;
    const idps = [{ configId: 'nowhere', externalUserId: name }];
    return sampleUser(name, at % 2 === 1 ? { idps } : {});
  });
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
