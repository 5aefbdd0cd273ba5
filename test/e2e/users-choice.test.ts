/** The flags by which `import-users` chooses among the users, as they are typed; against the reference server. */
import { beforeEach, expect, test } from 'vitest';
import { type Desk, openDesk, succeeded } from '../support/desk.ts';
import { sampleUser } from '../support/users-run.ts';

const names = ['ann', 'bob', 'cyd', 'dan', 'eve'];
let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
  desk.writeBody('body.json', names);
});

const run = (flags: string) => desk.run(`import-users body.json --org=${desk.server.orgId} ${flags}`);

test.each([
  ['--limit=2', ['ann', 'bob']],
  ['--offset=3', ['dan', 'eve']],
  ['--offset=1 --limit=2', ['bob', 'cyd']],
  ['--user=old-bob --user=EVE', ['bob', 'eve']],
])('import-users %s imports only these users', async (flags, expected) => {
  await succeeded(run(flags));
  expect(desk.humans()).toEqual(expected);
});

test.each(['import', 'import-users'])(
  '--only-failed imports the users rejected in the report of %s',
  async (verb) => {
    // The link is to a provider that is not there.
    const refused = sampleUser('cyd', { idps: [{ configId: 'nowhere', externalUserId: 'cyd' }] });
    desk.writeBody('body.json', ['ann', 'bob', refused, 'dan', 'eve']);
    expect((await desk.run(`${verb} body.json --report=report.json`)).exitCode).toBe(3);
    expect(desk.humans()).toEqual(['ann', 'bob', 'dan', 'eve']);
    desk.writeBody('body.json', names);
    // A run that stops early would leave some of the rejected users out of the report.
    const { problem } = await run('--only-failed=report.json --report=report.json');
    expect(problem?.message).toMatch(/the same file as the file of --only-failed/);
    const { events } = await succeeded(run('--only-failed=report.json --journal=second.journal'));
    expect(desk.humans()).toEqual(names);
    expect(events.find(({ type }) => type === 'run:end')).toMatchObject({ tally: { rejected: 0 } });
  },
);

test.each([
  ['skip', 0, 2],
  ['fail', 3, 0],
])('--on-existing=%s sets exit code and counts of existing users', async (rule, exitCode, skipped) => {
  await run('--limit=2');
  const again = await run(`--on-existing=${rule} --journal=second.journal`);
  expect([again.problem, again.exitCode]).toEqual([undefined, exitCode]);
  expect(again.events.find(({ type }) => type === 'run:end')).toMatchObject({
    tally: { skipped, rejected: 2 - skipped },
  });
  expect(desk.humans()).toEqual(names);
});

test.each(['--limit=few', '--offset=-1', '--only-failed=body.json'])('%s is refused', async (flag) => {
  expect(await run(flag)).toMatchObject({ exitCode: 2, problem: { code: 'usage' } });
  expect(desk.humans()).toEqual([]);
});
