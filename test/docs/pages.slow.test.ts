/** The commands of every page, typed as they stand, in a folder with the files that pages name and beside reference servers. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { skillPath } from '../../scripts/machine-pages.ts';
import type { Dialog } from '../../src/lib/dialog.ts';
import { formatSavedRequest } from '../../src/webhooks/saved-request.ts';
import { startReceiver } from '../support/receiver.ts';
import richRealm from '../../fixtures/keycloak/everything/realm.json' with { type: 'json' };
import { createTestFolder, docsPages, fixture, readProject } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { blocksIn, notShown, screenOf, type Step, stepsOf } from '../support/page.ts';
import { type Ran, runProgram } from '../support/workspace.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

const org = '165617389845094785';
/** A user of the realm, and the password on standard input. */
const knownUser = '--user=ada\t--password\t-';

interface Page {
  /** Commands that the page takes for granted. */
  readonly before?: readonly string[];
  /** Words that differ here: an address, a count, a name. A tab parts words. */
  readonly swap?: Readonly<Record<string, string>>;
  /** Commands by their beginning that end with another code than 0, as the gates of the page say. */
  readonly exits?: Readonly<Record<string, number>>;
  /** Files that the commands of the page are not to find. */
  readonly without?: string;
  readonly stdin?: string;
  /** Commands by their beginning that come first, where the page shows one way after another. */
  readonly first?: Readonly<Record<string, readonly string[]>>;
  /** Commands that ask: the first answer of each list is given. */
  readonly asks?: readonly string[];
  /** Commands by their beginning that are only parsed, and why. */
  readonly parsed?: Readonly<Record<string, string>>;
  /** Why its screens differ from those here. */
  readonly otherScreen?: string;
}

const toImport = ['migrate keycloak --org=ORG --realm=realm.json'];
const imported = [...toImport, 'import-users importBody.json --org=ORG --max-emails=unlimited'];

/** The service whose organization is the one that `init --rehearsal` sets. */
const ofOther = '--url=https://new.example.com\t--key-file=new.json';

/** The pages that need more than is there. */
const pages: Readonly<Record<string, Page>> = {
  'docs/runbook.md': {
    stdin: 'directory-3',
  },
  'docs/check.md': { before: toImport, exits: { 'check importBody.json': 4 } },
  'docs/config.md': {
    before: toImport,
    without: 'idport.config.json',
    asks: ['init'],
  },
  'docs/emails.md': { before: toImport, exits: { check: 4 } },
  'docs/events.md': { swap: { '--realm=-': '--realm=realm.json' } },
  'docs/export.md': {
    exits: { copy: 3 },
    parsed: {
      'check export.json': 'test/e2e/copy-one-by-one.test.ts runs it',
      'import export.json': 'test/e2e/copy-one-by-one.test.ts runs them',
      'import-users export.json': 'test/e2e/copy-one-by-one.test.ts runs them',
    },
  },
  'docs/import-users.md': {
    before: [...toImport, 'import-users first.json --org=ORG --max-emails=unlimited'],
    swap: {
      '--org=1': '--org=ORG',
      '--yes=1250': '--yes=7',
      '--url=...': '--url=https://example.zitadel.cloud',
    },
  },
  'docs/import.md': { before: toImport, parsed: { 'import importBody.json --url ...': 'needs a bucket' } },
  'docs/ways.md': { before: toImport, exits: { check: 4 } },
  'docs/jit.md': {
    // She has a password at the service.
    exits: { 'jit try': 4 },
    swap: { alice: 'ada' },
    stdin: 'not hers',
  },
  'docs/organizations.md': {
    swap: { '--realm=realm.json': '--realm=members.realm.json' },
    parsed: {
      'migrate keycloak --org=1 --realm=realm.json --roles': 'test/commands/roles.test.ts runs it',
      'migrate auth0 --org=1 --users=users.ndjson --roles': 'test/commands/roles.test.ts runs it',
    },
  },
  'docs/identity-providers.md': { parsed: { '': 'test/commands/create-idps.test.ts runs them' } },
  'docs/applications.md': { parsed: { '': 'test/commands/apps.test.ts runs them' } },
  'docs/shards.md': { parsed: { '': 'test/commands/shards.test.ts and npm run shards run them' } },
  'docs/passwords.md': {
    otherScreen: 'test/commands/password.test.ts types the right password',
    stdin: 'not hers',
    exits: { 'password verify': 4 },
    before: toImport,
    swap: { alice: knownUser.slice('--user='.length) },
  },
  'docs/performance.md': {
    swap: { '--realm=bench/data/keycloak-varied-1000000.json': '--realm=realm.json' },
  },
  'docs/providers/keycloak.md': {
    swap: { '--realm-name=customers': '--realm-name=harbour' },
  },
  'docs/reports.md': {
    exits: { 'check importBody.json': 4 },
    // test/commands/report.test.ts has test users.
    swap: { '--org=1': '--org=ORG', '--login-sample=logins.csv': '--all' },
  },
  'docs/resume.md': { before: imported, otherScreen: 'its run stopped on the way' },
  'docs/server.md': { otherScreen: 'tokens are random' },
  'docs/verify.md': { before: imported, otherScreen: 'its users have been changed' },
  'docs/webhooks.md': {
    first: {
      'actions target create --name audit --endpoint http': ['actions target delete audit', 'rm audit.key'],
      'actions target rotate-key': ['rm audit.key'],
      'actions execution set --request-method /zitadel.user.v2.UserService/AddHumanUser --target audit --target crm':
        [
          'actions target create --name audit --endpoint https://hooks.example/audit',
          'actions target create --name crm --endpoint https://hooks.example/crm',
        ],
    },
    exits: { 'actions apply actions.yaml --yes': 0, 'actions apply': 4 },
  },
  'docs/webhook-receiver.md': {
    before: [
      'actions target create --name audit --endpoint https://hooks.example/ --signing-key-file audit.key',
    ],
    exits: { 'actions verify': 4 },
  },
  [skillPath]: {
    swap: { 'importBody.json': `importBody.json\t${ofOther}`, '--yes=7': `--yes=7\t${ofOther}` },
  },
  'docs/mapping-examples.md': { parsed: { '': 'mapping-examples.test.ts runs them' } },
  'docs/live.md': { parsed: { '': 'test/sources/live/ runs them against real programs' } },
};

const stepsIn = (name: string): Step[] => stepsOf(readProject(name));

const withCommands = ['README.md', skillPath, ...docsPages].filter((page) =>
  stepsIn(page).some(({ commands }) => commands.length > 0),
);

it.each(withCommands)('%s', { timeout: 120_000 }, async (page) => {
  const { before = [], ...rest } = pages[page] ?? {};
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

async function atTheKeyboard({ swap = {}, stdin = '', without, asks = [] }: Page) {
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
    'http://localhost:3000': (await startReceiver()).url,
  });
  const replace = (word: string) =>
    addresses.reduce((text, [from, to]) => text.replace(from, to), swap[word] ?? word).split('\t');
  return async (argv: readonly string[]) => {
    const words = argv.flatMap(replace);
    if (words[0] === 'rm') {
      rmSync(join(cwd, words[1]!), { force: true });
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
      ...(asks.includes(line) && { dialog: firstAnswers }),
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
  const yamlOf = (page: string) => blocksIn(readProject(page), 'yaml')[0]!;
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
