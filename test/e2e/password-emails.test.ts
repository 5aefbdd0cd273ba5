/** The second pass of import-users replaces hashes, about which the service sends emails unless it is told not to. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createReferenceServer, type InspectableServer } from '../../src/server/index.ts';
import { createTestFolder } from '../support/folder.ts';
import { endAt } from '../support/kill-runs.ts';
import { runProcess } from '../support/process.ts';
import { runProgram, type Ran } from '../support/program.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

const hash = '$2a$10$KBCwKxOzLha2MUDgW0PjXe7l2JFBFiki3/lRtaMs9yJ5OiKFNCT6C';
const names = Array.from({ length: 40 }, (_, at) => `user-${at}`);
/** Every tenth user has a new password. */
const changed = names.map((name, at) =>
  sampleUser(name, at % 10 === 0 ? { hashedPassword: { value: hash } } : {}),
);

let server: InspectableServer;
let cwd: string;
let argv: string[];
let connection: string[];

beforeEach(async () => {
  server = createReferenceServer({ profile: 'all-verifiers', rate: null });
  const { url } = await server.listen();
  cwd = createTestFolder();
  writeFileSync(join(cwd, 'token'), server.tokens.iamOwner, { mode: 0o600 });
  writeFileSync(
    join(cwd, 'first.json'),
    bodyOf(
      server.orgId,
      names.map((name) => sampleUser(name)),
    ),
  );
  writeFileSync(join(cwd, 'second.json'), bodyOf(server.orgId, changed));
  connection = [`--url=${url}`, '--token-file=token'];
  const org = `--org=${server.orgId}`;
  await runProgram(['import-users', 'first.json', org, ...connection], { cwd });
  argv = [
    'import-users',
    'second.json',
    org,
    '--since-journal=first.json.users.journal',
    '--mail-list=emails.csv',
    ...connection,
  ];
});
afterEach(() => server.close());

const run = (...more: string[]): Promise<Ran> => runProgram([...argv, ...more], { cwd });
const notices = (ran: Ran): string =>
  ran.events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])).join('\n');
const sent = (): number => server.state.store.notifications.size;
const changedHashes = (): number =>
  [...server.state.store.users.values()].filter(({ passwordHash }) => passwordHash === hash).length;
/** The policy of the organization itself; undefined where that of the instance holds. */
const policy = (): unknown => server.state.store.orgs.get(server.orgId)?.notificationPolicy;
const setPolicy = (notificationPolicy: { passwordChange: boolean } | undefined): void => {
  const org = server.state.store.orgs.get(server.orgId)!;
  server.state.store.orgs.put({ ...org, notificationPolicy });
};
const mutedFile = (): string => join(cwd, 'second.json.users.journal.muted');

test('are counted, and more than allowed change no user', async () => {
  const stopped = await run();
  expect(stopped.exitCode).toBe(4);
  expect(notices(stopped)).toContain('at most 4 emails (the limit is 0)');
  expect(notices(stopped)).toContain('--mute-password-emails');
  expect([sent(), changedHashes()]).toEqual([0, 0]);

  const allowed = await run('--max-emails=4', '--report=report.json');
  expect(allowed.exitCode).toBe(0);
  expect([sent(), changedHashes()]).toEqual([4, 4]);
  const end = allowed.events.find((event) => event.type === 'run:end');
  expect(end?.tally.emails).toEqual(new Map([['password-changed', 4]]));
});

test.each([undefined, { passwordChange: true }])(
  'are switched off until the end of the run, where the policy was %j',
  async (own) => {
    setPolicy(own);
    expect(notices(await run('--dry-run', '--mute-password-emails'))).toContain('at most 0 emails');
    expect(policy()).toEqual(own);
    // The budget of requests is spent in the middle, and the policy is as before.
    expect((await run('--mute-password-emails', '--budget=10')).exitCode).toBe(1);
    expect(policy()).toEqual(own);
    expect((await run('--mute-password-emails', '--resume')).exitCode).toBe(0);
    expect([sent(), changedHashes(), policy()]).toEqual([0, 4, own]);
    expect(existsSync(mutedFile())).toBe(false);
  },
);

test('are none where the organization sends none, or no user has a new password', async () => {
  setPolicy({ passwordChange: false });
  expect(notices(await run('--dry-run'))).toContain('at most 0 emails');
  setPolicy(undefined);
  writeFileSync(
    join(cwd, 'second.json'),
    bodyOf(server.orgId, [sampleUser('user-0', { userName: 'other' })]),
  );
  expect((await run()).exitCode).toBe(0);
  expect(sent()).toBe(0);
});

test('at a terminal, the question whether to switch them off is answered', async () => {
  const asked: string[] = [];
  const askYes = async (question: string): Promise<boolean> => asked.push(question) > 0;
  const { exitCode } = await runProgram(argv, { cwd, askYes });
  expect(asked).toEqual([expect.stringContaining('4 users of organization')]);
  expect([exitCode, sent(), changedHashes(), policy()]).toEqual([0, 0, 4, undefined]);
});

test.each([
  ['--resume of the run', () => [...argv, '--mute-password-emails', '--resume']],
  ['its rollback', () => ['undo', '--journal=second.json.users.journal', '--yes=0', ...connection]],
])('after a kill, the policy is made what it was by %s', async (_, next) => {
  const { signal } = await runProcess([...argv, '--mute-password-emails', '--rate=10/s'], {
    cwd,
    meanwhile: endAt({ signal: 'SIGKILL', file: mutedFile(), bytes: 0, after: 300 }),
  });
  expect([signal, policy()]).toEqual(['SIGKILL', { passwordChange: false }]);
  expect((await runProgram(['runs'], { cwd })).stdout).toContain('is switched off until');
  const { exitCode } = await runProcess(next(), { cwd });
  expect(exitCode).toBe(0);
  expect([policy(), existsSync(mutedFile()), sent()]).toEqual([undefined, false, 0]);
});
