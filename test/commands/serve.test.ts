/** `idport serve` as a function: what it prints, what it refuses, how it ends. */
import { once } from 'node:events';
import * as http from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, it } from 'vitest';
import { type Folder, openFolder, startCommand } from '../support/workspace.ts';
import { sampleUser } from '../support/users-run.ts';

let folder: Folder;
beforeEach(() => {
  folder = openFolder();
});

/** Starts it; resolves with what it prints for programs, and a way to call it as the owner. */
async function start(flags = '', env: Record<string, string> = {}) {
  const port = flags.includes('--port') ? '' : '--port 0';
  const line = `serve --json ${port} ${flags}`;
  const { out, events, stop } = await startCommand(line, { cwd: folder.cwd, env });
  const serving = JSON.parse(out());
  const headers = { authorization: `Bearer ${serving.tokens.iamOwner}` };
  const call = async (method: string, path: string, body?: object): Promise<any> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return (await fetch(serving.url + path, { method, headers, ...sent })).json();
  };
  return { serving, call, events, stop };
}

const seedWith = (org: object) => folder.write('seed.json', { orgs: [org] });
const email = { email: 'a@b.example', isEmailVerified: true };

it('idport serve --json prints what a client needs, and writes the owner key to a private file', async () => {
  const { serving, call } = await start('--org 165617389845094785 --write-key-file key.json');
  expect(serving).toMatchObject({
    url: /^http:\/\/127\.0\.0\.1:\d+$/,
    profile: 'hosted',
    orgId: '165617389845094785',
    keyFile: 'key.json',
    control: { url: `${serving.url}/_idport/`, token: expect.any(String) },
  });
  expect(await call('GET', '/management/v1/orgs/me')).toMatchObject({
    org: { id: '165617389845094785', name: 'Default' },
  });
  expect(folder.json('key.json')).toMatchObject({ type: 'serviceaccount', keyId: expect.any(String) });
  expect(folder.modeOf('key.json')).toBe(0o600);
});

it('idport serve keeps the key file of the server that already has the port', async () => {
  const { serving } = await start('--write-key-file key.json');
  const before = folder.json('key.json');
  const { port } = new URL(serving.url);
  await expect(start(`--port ${port} --write-key-file key.json`)).rejects.toThrow('in use');
  expect(folder.json('key.json')).toEqual(before);
});

it('idport serve prints an export command as its last line', async () => {
  const env = { IDPORT_SERVE_TOKEN: 'owner-token' };
  const { out } = await startCommand('serve --port 0', { cwd: folder.cwd, env });
  expect(out().trimEnd().split('\n').at(-1)).toMatch(
    /^export IDPORT_URL=http:\/\/127\.0\.0\.1:\d+ IDPORT_TOKEN=owner-token$/,
  );
});

it('idport serve takes tokens from the environment', async () => {
  const env = { IDPORT_SERVE_TOKEN: 'owner-token', IDPORT_SERVE_CONTROL_TOKEN: 'control-token' };
  expect((await start('', env)).serving).toMatchObject({
    tokens: { iamOwner: 'owner-token' },
    control: { token: 'control-token' },
  });
});

it('idport serve --host 0.0.0.0 warns, and refuses private targets', async () => {
  const { call, events } = await start('--host 0.0.0.0');
  expect(events).toContainEqual(expect.objectContaining({ code: 'serve:open', level: 'warning' }));
  const target = { name: 'n', restAsync: {}, timeout: '1s', endpoint: 'http://127.0.0.1/' };
  expect(await call('POST', '/v2/actions/targets', target)).toMatchObject({
    details: [{ id: 'COMMAND-NcJUKo' }],
  });
});

it('idport serve --seed reports refused entries', async () => {
  const { user } = sampleUser('ann', { email });
  seedWith({ orgId: 'acme', humanUsers: ['u-1', 'u-2'].map((userId) => ({ userId, user })) });
  const { serving, events } = await start('--seed seed.json');
  expect(serving.users).toBe(5);
  expect(events).toContainEqual({
    type: 'notice',
    level: 'warning',
    code: 'serve:seed',
    text: 'seed: human_user u-2: ID=V3-DKcYh Message=Errors.User.AlreadyExists',
  });
});

it('idport serve --lag delays users in lists', async () => {
  const { call } = await start('--lag 1h');
  const before = await call('POST', '/v2/users', {});
  expect(before.result).toHaveLength(4);
  const { userId } = await call('POST', '/v2/users/human', {
    username: 'ada',
    profile: { givenName: 'A', familyName: 'B' },
    email: { email: 'a@b.c', isVerified: true },
  });
  expect(await call('GET', `/v2/users/${userId}`)).toMatchObject({ user: { username: 'ada' } });
  expect(await call('POST', '/v2/users', {})).toMatchObject({ result: before.result });
});

it('idport serve answers only to local names and those of --external-domain', async () => {
  const { url } = (await start('--external-domain auth.acme.com,id.acme.com')).serving;
  const answerFor = async (host: string) => {
    const [answer] = await once(http.get(`${url}/auth/v1/users/me`, { headers: { host } }), 'response');
    return [answer.statusCode, await text(answer)];
  };
  const hosts = ['localhost', 'auth.acme.com', 'id.acme.com:443', 'other.com'];
  const answers = await Promise.all(hosts.map(answerFor));
  const unauthenticated = [401, expect.any(String)];
  expect(answers.slice(0, 3)).toEqual([unauthenticated, unauthenticated, unauthenticated]);
  expect(answers[3]).toEqual([404, expect.stringContaining('(ExternalDomain is auth.acme.com)')]);
});

it('idport serve --dump writes everything including passwords, and --seed reads it back', async () => {
  const recoveryCodes = [{ hash: '$2a$10$ofarecoverycode' }];
  const { user } = sampleUser('ann', { email, otpCode: 'JBSWY3DPEHPK3PXP', recoveryCodes });
  const { hashedPassword: _, ...plain } = user as Record<string, unknown>;
  const humanUsers = [
    { userId: 'active', user, state: 'USER_STATE_ACTIVE' },
    { userId: 'initial', user: { ...plain, userName: 'bob' }, state: 'USER_STATE_INITIAL' },
  ];
  const robot = { userId: 'robot', userName: 'robot', name: 'R', accessTokenType: 'ACCESS_TOKEN_TYPE_JWT' };
  const machineUsers = [{ userId: 'robot', user: robot }];
  const machineKeys = [{ keyId: 'k', userId: 'robot', type: 'KEY_TYPE_JSON', publicKey: 'cHVibGlj' }];
  const projects = [{ projectId: 'p', project: { name: 'P' } }];
  const projectMembers = [{ projectId: 'p', userId: 'robot', roles: ['PROJECT_OWNER'] }];
  const policiesAndTexts = {
    labelPolicy: { themeMode: 'THEME_MODE_DARK' },
    passwordlessRegistrationMessages: [{ language: 'en', title: 'Passkey' }],
    inviteUserMessages: [{ language: 'en', title: 'Welcome' }],
  };
  const users = { humanUsers, machineUsers, machineKeys };
  seedWith({ orgId: 'acme', org: { name: 'Acme' }, ...users, projects, projectMembers, ...policiesAndTexts });
  for (const [seed, dump] of [
    ['seed.json', 'first.json'],
    ['first.json', 'second.json'],
  ]) {
    const { call, events, stop } = await start(`--org 1 --seed ${seed} --dump ${dump}`);
    const { result } = await call('POST', '/v2/users', {});
    const states = result.map(({ userId, state }: Record<string, string>) => [userId, state]);
    expect(states).toEqual(
      expect.arrayContaining([
        ['active', 'USER_STATE_ACTIVE'],
        ['initial', 'USER_STATE_INITIAL'],
        ['robot', 'USER_STATE_ACTIVE'],
      ]),
    );
    expect(await stop()).toBe(0);
    expect(events.filter((event) => 'level' in event && event.level === 'warning')).toEqual([]);
  }
  expect(folder.json('second.json')).toEqual(folder.json('first.json'));
  const [own, acme] = folder.json('first.json').orgs;
  expect([own.orgId, acme.orgId]).toEqual(['1', 'acme']);
  const active = acme.humanUsers.find(({ userId }: { userId: string }) => userId === 'active');
  expect(active).toMatchObject({ user });
  expect(acme).toMatchObject({ machineUsers, ...policiesAndTexts });
  expect(folder.modeOf('first.json')).toBe(0o600);
});

it.each([
  ['--dump dump.json --port 65536', '--port 65536'],
  ['--dump a.json --write-key-file a.json', 'a.json would take two outputs'],
  ['--profile nothing', 'nothing'],
  ['--seed missing.json', 'missing.json'],
])('idport serve %s is refused and leaves no file', async (flags, message) => {
  await expect(start(flags)).rejects.toThrow(message);
  expect(folder.list()).toEqual([]);
});
