/** The flags by which `import-users` chooses among the users, as they are typed; against the reference server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { runProgram, type Ran } from '../support/program.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

const names = ['ann', 'bob', 'cyd', 'dan', 'eve'];
let cwd: string;
let target: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  target = await startInstance(cwd, 'target');
  writeBody();
});
afterEach(() => target.close());

/** One of them has a link to a provider that is not there. */
function writeBody(refused?: string): void {
  const sampleUsers = names.map((name) =>
    sampleUser(name, name === refused ? { idps: [{ configId: 'nowhere', externalUserId: name }] } : {}),
  );
  writeFileSync(join(cwd, 'body.json'), bodyOf(target.server.orgId, sampleUsers));
}

const run = (...flags: string[]): Promise<Ran> =>
  runProgram(['import-users', 'body.json', `--org=${target.server.orgId}`, ...target.flags, ...flags], {
    cwd,
  });
const arrived = (): string[] =>
  [...target.server.state.store.users.values()]
    .flatMap(({ kind, userName }) => (kind === 'human' ? [userName] : []))
    .toSorted();

test.each([
  ['--limit=2', ['ann', 'bob']],
  ['--offset=3', ['dan', 'eve']],
  ['--offset=1 --limit=2', ['bob', 'cyd']],
  ['--user=old-bob --user=EVE', ['bob', 'eve']],
])('%s', async (flags, expected) => {
  const { problem, exitCode } = await run(...flags.split(' '));
  expect([problem, exitCode]).toEqual([undefined, 0]);
  expect(arrived()).toEqual(expected);
});

test('--only-failed takes those whom the report of a previous run calls rejected', async () => {
  writeBody('cyd');
  expect((await run('--report=report.json')).exitCode).toBe(3);
  expect(arrived()).toEqual(['ann', 'bob', 'dan', 'eve']);
  writeBody();
  const { problem, exitCode, events } = await run('--only-failed=report.json', '--journal=second.journal');
  expect([problem, exitCode]).toEqual([undefined, 0]);
  expect(arrived()).toEqual(names);
  expect(events.find(({ type }) => type === 'run:end')).toMatchObject({ tally: { rejected: 0 } });
});

test.each([
  ['skip', 0, 2],
  ['fail', 3, 0],
])('--on-existing=%s', async (rule, exitCode, skipped) => {
  await run('--limit=2');
  const again = await run(`--on-existing=${rule}`, '--journal=second.journal');
  expect([again.problem, again.exitCode]).toEqual([undefined, exitCode]);
  expect(again.events.find(({ type }) => type === 'run:end')).toMatchObject({
    tally: { skipped, rejected: 2 - skipped },
  });
  expect(arrived()).toEqual(names);
});

test.each(['--limit=few', '--offset=-1', '--only-failed=body.json'])('%s is refused', async (flag) => {
  expect(await run(flag)).toMatchObject({ exitCode: 2, problem: { code: 'usage' } });
  expect(arrived()).toEqual([]);
});
