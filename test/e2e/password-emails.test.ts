/** The second pass of import-users replaces hashes, about which the service sends emails unless it is told not to. */
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type Workspace, eventOf, noticesOf, openWorkspace, succeeded } from '../support/workspace.ts';
import { endAt } from '../support/process.ts';
import { sampleUser, userNames } from '../support/users-run.ts';

const hash = '$2a$10$KBCwKxOzLha2MUDgW0PjXe7l2JFBFiki3/lRtaMs9yJ5OiKFNCT6C';
const names = userNames(40);
/** Every tenth user has a new password. */
const changed = names.map((name, at) =>
  sampleUser(name, at % 10 === 0 ? { hashedPassword: { value: hash } } : {}),
);

let workspace: Workspace;
beforeEach(async () => {
  workspace = await openWorkspace({ orgId: '100' });
  workspace.writeBody('first.json', names);
  workspace.writeBody('second.json', changed);
  await workspace.run('import-users first.json --org=100');
});
const line =
  'import-users second.json --org=100 --since-journal=first.json.users.journal --mail-list=emails.csv';

const noticesWith = async (flags: string) => noticesOf(await workspace.run(`${line} ${flags}`));
const sent = () => workspace.server.state.recent.notifications.total;
const changedHashes = () =>
  [...workspace.server.state.store.users.values()].filter(({ passwordHash }) => passwordHash === hash).length;
/** The policy of the organization itself; undefined where that of the instance holds. */
const policy = () => workspace.server.state.store.orgs.get('100')?.notificationPolicy;
const setPolicy = (notificationPolicy: { passwordChange: boolean } | undefined) => {
  const { orgs } = workspace.server.state.store;
  orgs.put({ ...orgs.get('100')!, notificationPolicy });
};
const muted = 'second.json.users.journal.muted';

test('password change emails count for --max-emails, and no user changes above the limit', async () => {
  const stopped = await workspace.run(line);
  const problem = { code: 'emails:over', hint: /--mute-password-emails/ };
  expect(stopped).toMatchObject({ exitCode: 4, problem });
  expect(noticesOf(stopped)).toContain('at most 4 emails (the limit is 0)');
  expect([sent(), changedHashes()]).toEqual([0, 0]);

  const allowed = await succeeded(workspace.run(`${line} --max-emails=4 --report=report.json`));
  expect([sent(), changedHashes()]).toEqual([4, 4]);
  expect(eventOf(allowed, 'run:end').tally.emails).toEqual(new Map([['password-changed', 4]]));
});

test.each([undefined, { passwordChange: true }])(
  '--mute-password-emails restores the policy %j at the end of the run',
  async (own) => {
    setPolicy(own);
    expect(await noticesWith('--dry-run --mute-password-emails')).toContain('no email and no SMS');
    expect(policy()).toEqual(own);
    // The budget of requests is spent in the middle, and the policy is as before.
    expect((await workspace.run(`${line} --mute-password-emails --budget=10`)).exitCode).toBe(1);
    expect(policy()).toEqual(own);
    await succeeded(workspace.run(`${line} --mute-password-emails --resume`));
    expect([sent(), changedHashes(), policy()]).toEqual([0, 4, own]);
    expect(workspace.has(muted)).toBe(false);
  },
);

test('password change emails are not forecast if the policy or the users cause none', async () => {
  setPolicy({ passwordChange: false });
  expect(await noticesWith('--dry-run')).toContain('no email and no SMS');
  setPolicy(undefined);
  workspace.writeBody('second.json', [sampleUser('user-0', { userName: 'other' })]);
  await succeeded(workspace.run(line));
  expect(sent()).toBe(0);
});

test('import-users asks at a terminal whether to mute password change emails', async () => {
  const asked: string[] = [];
  const confirm = async (question: string) => asked.push(question) > 0;
  const { exitCode } = await workspace.run(line, { dialog: { confirm } });
  expect(asked).toEqual([expect.stringContaining('4 users of organization')]);
  expect([exitCode, sent(), changedHashes(), policy()]).toEqual([0, 0, 4, undefined]);
});

test.each([
  ['--resume of the run', `${line} --mute-password-emails --resume`],
  ['its rollback', 'undo --journal=second.json.users.journal --yes=0'],
])('a muted policy is restored after a kill by %s', async (_, next) => {
  const { signal } = await workspace.runProcess(`${line} --mute-password-emails --rate=10/s`, {
    meanwhile: endAt({ signal: 'SIGKILL', file: join(workspace.cwd, muted), bytes: 0, after: 300 }),
  });
  expect([signal, policy()]).toEqual(['SIGKILL', { passwordChange: false }]);
  expect((await workspace.run('runs')).stdout).toContain('is switched off until');
  // The disk was full in the next line.
  workspace.write(muted, `${workspace.read(muted)}{"org":"3`);
  await succeeded(workspace.runProcess(next));
  expect([policy(), workspace.has(muted), sent()]).toEqual([undefined, false, 0]);
});
