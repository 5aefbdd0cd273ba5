/** The commands of every page, typed as they stand, in a folder with the files that pages name and beside reference servers. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { Dialog } from '../../src/lib/dialog.ts';
import { formatSavedRequest } from '../../src/webhooks/saved-request.ts';
import { startReceiver } from '../support/receiver.ts';
import richRealm from '../../fixtures/keycloak/everything/realm.json' with { type: 'json' };
import { createTestFolder, docsPages, fixture, readProject } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { notShown, screenOf, type Step, stepsOf } from '../support/page.ts';
import { type Ran, runProgram } from '../support/desk.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

const org = '165617389845094785';
const pages: Readonly<Record<string, any>> = parse(readProject('fixtures/page-commands.yaml'));

it('every page with commands is tested', () => {
  const withCommands = docsPages.filter((page) => stepsIn(page).some(({ commands }) => commands.length > 0));
  expect(withCommands.filter((page) => pages[page] === undefined)).toEqual([]);
});

const stepsIn = (name: string): Step[] => stepsOf(readProject(name));

it.each(Object.entries(pages))('%s', { timeout: 120_000 }, async (page, { before = [], ...rest }) => {
  const type = await atTheKeyboard(rest);
  for (const line of before) await type(line.split(' '));
  for (const step of stepsIn(page)) {
    const screens: string[] = [];
    for (const argv of step.commands) {
      const line = argv.join(' ');
      if (valueFor(line, rest.parsed) !== undefined) continue;
      for (const command of valueFor(line, rest.first) ?? []) await type(command.split(' '));
      const ran = await type(argv);
      const expected = valueFor(line, rest.exits) ?? 0;
      const problem = ran.exitCode === expected ? '' : textOf(ran);
      expect.soft({ line, problem, code: ran.exitCode }).toEqual({ line, problem: '', code: expected });
      screens.push(screenOf(ran));
    }
    const isSame = rest.otherScreen === undefined && screens.length > 0;
    expect.soft(isSame ? notShown(step, screens.join(' ')) : []).toEqual([]);
  }
});

function valueFor(line: string, byBeginning: Readonly<Record<string, any>> = {}) {
  return Object.entries(byBeginning).find(([beginning]) => line.startsWith(beginning))?.[1];
}

const textOf = ({ problem, events }: Ran) =>
  problem === undefined
    ? JSON.stringify(events.filter(({ type }) => type === 'notice'))
    : `${problem.message} ${problem.hint ?? ''}`;

/** Serve until they are stopped. */
const endless = /^(?:serve|actions listen|jit serve)\b/;

async function atTheKeyboard({ swap = {}, stdin = '', without, asks = [] }: any) {
  const cwd = createTestFolder();
  const service = await startInstance(createTestFolder(), 'service', { orgId: org });
  const other = await startInstance(createTestFolder(), 'other', { orgId: '1', orgName: 'Other' });
  onTestFinished(async () => {
    await service.close();
    await other.close();
  });
  await putFiles(cwd, service, other);
  const env = { IDPORT_URL: service.url, IDPORT_TOKEN: service.server.tokens.iamOwner };
  const addresses = Object.entries({
    'https://example.zitadel.cloud': service.url,
    'https://id.example.com': service.url,
    'https://old.example.com': service.url,
    'https://new.example.com': other.url,
    $IDPORT_URL: service.url,
    $ORG: org,
    '=ORG': `=${org}`,
  });
  const hook = await startReceiver();
  addresses.push(['http://localhost:3000', hook.url]);
  const replace = (word: string) =>
    addresses.reduce((text, [from, to]) => text.replace(from, to), swap[word] ?? word).split('\t');
  return async (argv: readonly string[]): Promise<Ran> => {
    const words = argv.flatMap(replace);
    if (words[0] === 'rm') {
      rmSync(join(cwd, words[1]), { force: true });
      return nothingSaid;
    }
    if (without !== undefined) rmSync(join(cwd, without), { force: true });
    // Emptied by a command that had nothing to reject.
    putRejects(cwd);
    const line = words.join(' ');
    const isEndless = endless.test(line);
    // Those of actions name the key of a target.
    const given = words[0] !== 'actions' && words.some((word) => /^--(?:token|key)-file/.test(word));
    return runProgram(isEndless ? onFreePort(words) : words, {
      cwd,
      env: given ? { IDPORT_URL: env.IDPORT_URL } : env,
      stdin,
      ...(asks.includes(line) ? { dialog: firstAnswers } : {}),
      stopAtOutput: isEndless,
      ownProcess: line.startsWith('jit serve') || line.startsWith('jit try'),
    });
  };
}

/** In place of the port that the line names. */
function onFreePort(words: readonly string[]) {
  const [flag, free] = words[0] === 'jit' ? ['--listen', '127.0.0.1:0'] : ['--port', '0'];
  const at = words.findIndex((word) => word.split('=', 1)[0] === flag);
  const others = at === -1 ? words : words.toSpliced(at, words[at] === flag ? 2 : 1);
  return [...others, flag, free];
}

const nothingSaid: Ran = { exitCode: 0, stdout: '', events: [], problem: undefined };

const firstAnswers: Dialog = {
  choose: async (_question, [first]) => first!.value,
  text: async (_question, { initial = '' } = {}) => initial,
  secret: async () => '',
  confirm: async () => true,
  say: () => {},
};

async function putFiles(cwd: string, service: Instance, other: Instance) {
  const put = (name: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content, { mode: 0o600 });
  };
  const copy = (from: string, to: string) => cpSync(fixture(from), join(cwd, to), { recursive: true });
  copy('keycloak/typical/realm.json', 'realm.json');
  put('realm.json.gz', gzipSync(readFileSync(join(cwd, 'realm.json'))));
  copy('keycloak/directory', 'export');
  copy('keycloak/directory', 'export-2');
  changeExport(join(cwd, 'export-2'));
  put('target.json', '{"base": "hosted"}');
  put('logins.csv', 'person-03,directory-3\n');
  copy('keycloak/array-of-realms/realms.json', 'all.json');
  for (const name of ['users.ndjson.gz', 'passwords.ndjson']) copy(`auth0/typical/${name}`, name);
  put('users.ndjson', gunzipSync(readFileSync(join(cwd, 'users.ndjson.gz'))));
  put('users.csv', 'id,login,email,tenant_id\n1,una,una@example.org,acme\n');
  put('map.csv', `source,organization\nacme,${org}\n`);
  put('members.json', '[{"user_id":"auth0|5f0000000000000000000001","organization_id":"acme"}]');
  put('members.realm.json', JSON.stringify(richRealm));
  copy('keycloak/typical/realm.json', 'a.json');
  const bea = { id: 'bea', username: 'bea', email: 'bea@example.org', emailVerified: true, enabled: true };
  put('b.json', JSON.stringify({ realm: 'b', users: [bea] }));
  put('mapping.yaml', 'idport: 1\nuser:\n  id: id\n  userName: login\n  email: email\n');
  for (const name of ['token', 'token.txt']) put(name, service.server.tokens.iamOwner);
  const key = JSON.stringify(await service.server.createKey());
  for (const name of ['key.json', 'old.json', 'secrets/key.json']) put(name, key);
  put('new.json', JSON.stringify(await other.server.createKey()));
  const users = ['new', 'newer'].map((name) => sampleUser(name));
  put('first.json', bodyOf(org, users.slice(0, 1)));
  put('second.json', bodyOf(org, users));
  put('jit.key', 'a-signing-key');
  const call = {
    method: 'POST',
    path: '/',
    headers: [],
    body: Buffer.from('{}'),
    receivedAt: Date.UTC(2026, 0, 31, 12),
  };
  put('calls/2026-01-31T12-00-00.412Z-0001-AddHumanUser.http', formatSavedRequest(call));
  put('jit.ndjson', '');
  put('body.json', '{}');
  const yamlOf = (page: string) => /^```yaml\n([^]*?)^```$/m.exec(readProject(page))?.[1] ?? '';
  put('actions.yaml', yamlOf('docs/webhooks.md'));
  put('cognito.yaml', yamlOf('docs/jit-reference.md'));
  put('before.json', bodyOf(org, users));
}

/** One user is new, one has another name, one is gone. */
function changeExport(folder: string) {
  const change = (file: string, alter: (users: Record<string, unknown>[]) => unknown) => {
    const path = join(folder, `harbour-users-${file}.json`);
    const content = JSON.parse(readFileSync(path, 'utf8')) as { users: Record<string, unknown>[] };
    writeFileSync(path, JSON.stringify({ ...content, users: alter(content.users) }));
  };
  change('4', ([user = {}]) => [{ ...user, lastName: 'Changed' }]);
  change('5', ([user = {}]) => [
    user,
    { ...user, id: 'newcomer', username: 'newcomer', email: 'newcomer@example.org' },
  ]);
  rmSync(join(folder, 'harbour-users-6.json'));
}

function putRejects(cwd: string) {
  const path = join(cwd, 'rejects.ndjson');
  if (existsSync(path) && readFileSync(path).length > 0) return;
  writeFileSync(
    path,
    '{"id":"late","username":"late","firstName":"La","lastName":"Te","email":"late@example.org"}\n',
  );
}
