/** `idport init`: everything by flags, everything by answers, and nothing asked where no one can answer. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Dialog } from '../../src/lib/dialog.ts';
import { extendIgnore } from '../../src/commands/init-files.ts';

import { createTestFolder } from '../support/folder.ts';

import { startInstance } from '../support/instance.ts';
import { runProgram, type Ran, type RunOptions } from '../support/program.ts';

let cwd: string;
beforeEach(() => {
  cwd = createTestFolder();
  const realm = fileURLToPath(new URL('../../fixtures/keycloak/typical/realm.json', import.meta.url));
  copyFileSync(realm, join(cwd, 'realm.json'));
});

const run = (argv: readonly string[], options: Partial<RunOptions> = {}): Promise<Ran> =>
  runProgram(argv, { cwd, ...options });
const init = (...argv: string[]): Promise<Ran> => run(['init', ...argv]);
const read = (name: string): string => readFileSync(join(cwd, name), 'utf8');
const config = (): any => JSON.parse(read('idport.config.json'));
const commandsIn = (text: string): string[] => text.match(/(?<=^ {2})idport .*/gm) ?? [];

/** Answers by the beginning of the question; what is not answered fails. */
function answering(answers: Readonly<Record<string, string | boolean>>) {
  const asked: string[] = [];
  const said: string[] = [];
  const answer = (question: string): any => {
    asked.push(question);
    const found = Object.entries(answers).find(([start]) => question.startsWith(start));
    if (found === undefined) throw new Error(`not expected: ${question}`);
    return found[1];
  };
  const dialog: Dialog = {
    choose: async (question, choices) => {
      const value = answer(question) as string;
      expect(choices.map((choice) => choice.value)).toContain(value);
      return value;
    },
    text: async (question, { check } = {}) => {
      expect(check?.(answer(question) as string)).toBeUndefined();
      return answer(question) as string;
    },
    secret: async (question) => answer(question) as string,
    confirm: async (question) => answer(question) as boolean,
    say: (text) => said.push(text),
  };
  return { dialog, asked, said };
}

describe('with flags alone', () => {
  it('a rehearsal: its commands lead to verified users', async () => {
    const { exitCode, stdout } = await init('--files=realm.json', '--rehearsal');
    expect(exitCode).toBe(0);
    expect(commandsIn(stdout)).toEqual([
      'idport serve',
      'idport migrate keycloak',
      'idport import-users importBody.json',
      'idport verify importBody.json',
    ]);
    expect(statSync(join(cwd, 'idport.config.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(cwd, 'secrets')).mode & 0o777).toBe(0o700);
    expect(read('.gitignore').split('\n')).toEqual(
      expect.arrayContaining(['secrets/', 'realm.json', '*.journal']),
    );

    const { shared } = config();
    const instance = await startInstance(createTestFolder(), 'init', {
      profile: 'hosted',
      orgId: shared.org,
    });
    onTestFinished(() => instance.close());
    const key = JSON.stringify(await instance.server.createKey());
    writeFileSync(join(cwd, shared['key-file']), key, { mode: 0o600 });
    for (const command of commandsIn(stdout).slice(1)) {
      const [, ...argv] = command.split(' ');
      // The server of this test has another port.
      const url = argv[0] === 'migrate' ? [] : [`--url=${instance.url}`];
      const ran = await run([...argv, ...url]);
      expect([command, ran.exitCode, ran.problem]).toEqual([command, 0, undefined]);
    }
  });

  it('a service: it is asked, and its settings are shared', async () => {
    const instance = await startInstance(createTestFolder(), 'init');
    onTestFinished(() => instance.close());
    const { org, url } = { org: instance.server.orgId, url: instance.url };
    const flags = [
      '--files=realm.json',
      `--url=${url}`,
      `--org=${org}`,
      `--token-file=${instance.tokenFile}`,
    ];
    const { exitCode, events, stdout } = await init(...flags);
    expect(exitCode).toBe(0);
    expect(events).toContainEqual(expect.objectContaining({ code: 'target:reached' }));
    expect(config().shared).toEqual({
      url,
      'token-file': instance.tokenFile,
      org,
      'target-profile': 'self-hosted',
    });
    for (const command of commandsIn(stdout)) {
      const [, ...argv] = command.split(' ');
      const { exitCode: code, problem } = await run(argv);
      expect([command, problem]).toEqual([command, undefined]);
      expect([0, 3, 4]).toContain(code);
    }
  });

  it('a token on standard input is kept in a file', async () => {
    const argv = [
      'init',
      '--files=realm.json',
      '--url=http://localhost:1',
      '--org=7',
      '--offline',
      '--token-file=-',
    ];
    expect((await run(argv, { stdin: 'my-token\n' })).exitCode).toBe(0);
    expect(read('secrets/token.txt')).toBe('my-token\n');
    expect(config().shared['token-file']).toBe('secrets/token.txt');
  });

  it.each([
    [[], '--files'],
    [['--files=unknown.json'], '--from'],
    [['--files=realm.json'], '--url'],
    [['--files=realm.json', '--url=http://localhost:1'], '--key-file'],
    [['--files=realm.json', '--url=http://localhost:1', '--environment', '--offline'], '--org'],
  ])('%j: the flag that is missing is named, and nothing is written', async (argv, flag) => {
    writeFileSync(join(cwd, 'unknown.json'), '[]');
    const { exitCode, problem } = await init(...argv);
    expect([exitCode, problem?.hint]).toEqual([2, expect.stringContaining(flag)]);
    expect(existsSync(join(cwd, 'idport.config.json'))).toBe(false);
  });

  it('an existing file is replaced only with --force', async () => {
    writeFileSync(join(cwd, 'idport.config.json'), '{}');
    expect((await init('--files=realm.json', '--rehearsal')).exitCode).toBe(2);
    expect(read('idport.config.json')).toBe('{}');
    expect((await init('--files=realm.json', '--rehearsal', '--force')).exitCode).toBe(0);
  });

  it('a folder is recognised by what is in it', async () => {
    mkdirSync(join(cwd, 'export'));
    copyFileSync(join(cwd, 'realm.json'), join(cwd, 'export/realm-users-0.json'));
    expect((await init('--files=export', '--rehearsal')).exitCode).toBe(0);
    expect(config().verbs['migrate keycloak'].realm).toEqual(['export']);
  });
});

/** What the support of Auth0 sends beside the export of the users. */
function copyAuth0(): void {
  for (const [from, name] of [
    ['join-against/users.ndjson', 'users.ndjson'],
    ['join-against/passwords.ndjson', 'passwords.ndjson'],
    ['factors/mfa.ndjson', 'mfa.ndjson'],
  ] as const) {
    copyFileSync(fileURLToPath(new URL(`../../fixtures/auth0/${from}`, import.meta.url)), join(cwd, name));
  }
}

describe('exports of several files', () => {
  const files = { users: ['users.ndjson'], passwords: ['passwords.ndjson'], mfa: ['mfa.ndjson'] };

  it('--files takes them in any order: each goes to its flag, and none gets into a repository', async () => {
    copyAuth0();
    const argv = ['--files=passwords.ndjson', '--files=mfa.ndjson', '--files=users.ndjson', '--rehearsal'];
    expect((await init(...argv)).exitCode).toBe(0);
    expect(config().verbs['migrate auth0']).toMatchObject(files);
    const ignored = read('.gitignore').split('\n');
    expect(ignored).toEqual(
      expect.arrayContaining([...Object.values(files).flat(), 'emails.csv', 'importBody.json']),
    );
    const { exitCode, events } = await run(['migrate', 'auth0']);
    expect(exitCode).toBe(0);
    const written = events.flatMap((event) => (event.type === 'file:written' ? [event.path] : []));
    expect(written).toContain('emails.csv');
  });

  it('files that only add to users are not enough', async () => {
    copyAuth0();
    const { exitCode, problem } = await init('--files=passwords.ndjson', '--rehearsal');
    expect([exitCode, problem?.message]).toEqual([
      2,
      'passwords.ndjson only adds to an export of users of Auth0',
    ]);
    expect(existsSync(join(cwd, 'idport.config.json'))).toBe(false);
  });

  it('the folder is looked at, and each companion is asked for', async () => {
    copyAuth0();
    const { dialog, asked } = answering({
      'Which file or folder': 'users.ndjson',
      'Which file is the password': 'passwords.ndjson',
      'Which file is the multi-factor': '//none',
      'Where should': 'rehearsal',
    });
    expect((await run(['init'], { dialog })).exitCode).toBe(0);
    expect(config().verbs['migrate auth0']).toMatchObject({
      users: ['users.ndjson'],
      passwords: ['passwords.ndjson'],
    });
    expect(config().verbs['migrate auth0']).not.toHaveProperty('mfa');
    expect(asked).toHaveLength(4);
  });
});

describe("tables of one's own", () => {
  const table =
    'Login,Email,Hash\nada,ada@example.org,$2b$10$9EruO03OttDhroRde481zOYGJ.51RQegxrcGIg4w2jPhRYd1L6eui\n';
  const mapping =
    'idport: 1\nuser:\n  userName: Login\n  email: Email\ntables:\n  links: { key: user_id, on: Login }\n';

  it('a mapping can be drafted: its commands convert every user', async () => {
    rmSync(join(cwd, 'realm.json'));
    writeFileSync(join(cwd, 'users.csv'), table);
    const { dialog, asked } = answering({
      'Which file or folder': 'users.csv',
      'Which provider': 'csv',
      'Which mapping': '//draft',
      'Where should': 'rehearsal',
    });
    const { exitCode, stdout } = await run(['init'], { dialog });
    expect([exitCode, new Set(asked).size]).toEqual([0, 4]);
    expect(stdout).toContain(
      'Written: idport.config.json, .gitignore, mapping.yaml\n\nLook at mapping.yaml: ',
    );
    expect(config().verbs['migrate csv']).toMatchObject({ users: ['users.csv'], map: 'mapping.yaml' });
    expect((await run(['migrate', 'csv'])).exitCode).toBe(0);
    const [org] = JSON.parse(read('importBody.json')).dataOrgs.orgs;
    expect(org.humanUsers).toMatchObject([{ user: { userName: 'ada', hashedPassword: {} } }]);
  });

  it('a mapping of the folder is offered, and the tables that it joins are asked for', async () => {
    writeFileSync(join(cwd, 'users.csv'), table);
    writeFileSync(join(cwd, 'links.csv'), 'user_id,link\nada,1\n');
    writeFileSync(join(cwd, 'mine.yaml'), mapping);
    const { dialog } = answering({
      'Which mapping': 'mine.yaml',
      'Which file is the table links': '//other',
      'Its path': 'links.csv',
      'Where should': 'rehearsal',
    });
    expect((await run(['init', '--from=csv', '--files=users.csv'], { dialog })).exitCode).toBe(0);
    const { map, table: tables } = config().verbs['migrate csv'];
    expect([map, tables]).toEqual(['mine.yaml', ['links=links.csv']]);
    expect(read('.gitignore').split('\n')).toContain('links.csv');
    expect((await run(['migrate', 'csv'])).exitCode).toBe(0);
  });
});

describe('built-in sources', () => {
  const fixture = (path: string): string => fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url));

  it('tables that they join are told by their marks', async () => {
    copyFileSync(fixture('devise/otp.jsonl'), join(cwd, 'otp.jsonl'));
    const users =
      'id,email,encrypted_password,reset_password_token,reset_password_sent_at\n1,ann@example.com,,,\n';
    writeFileSync(join(cwd, 'users.csv'), users);
    const argv = ['init', '--files=otp.jsonl', '--files=users.csv', '--from=devise', '--rehearsal'];
    expect((await run(argv)).exitCode).toBe(0);
    expect(config().verbs['migrate devise']).toMatchObject({
      users: ['users.csv'],
      table: ['otp=otp.jsonl'],
    });

    const { dialog } = answering({
      'Which file or folder': 'users.csv',
      'Which file is the table otp': 'otp.jsonl',
      'Where should': 'rehearsal',
    });
    expect((await run(['init', '--force'], { dialog })).exitCode).toBe(0);
    expect(config().verbs['migrate devise'].table).toEqual(['otp=otp.jsonl']);
  });

  it('without usable hashes, the commands are those of login-time migration', async () => {
    copyFileSync(fixture('cognito/users.json'), join(cwd, 'users.json'));
    const { stdout } = await init('--files=users.json', '--rehearsal');
    expect(commandsIn(stdout)).toEqual([
      'idport serve',
      'idport migrate cognito',
      'idport import-users importBody.json --jit',
      'idport verify importBody.json --jit',
    ]);
    expect(stdout).toContain('No password hash of Amazon Cognito can move.');
  });
});

describe('with answers', () => {
  it('a rehearsal', async () => {
    const { dialog, asked, said } = answering({ 'Which file': 'realm.json', 'Where should': 'rehearsal' });
    expect((await run(['init'], { dialog })).exitCode).toBe(0);
    expect(said).toEqual(['realm.json is an export of Keycloak.']);
    expect(new Set(asked).size).toBe(2);
    expect(config().shared.org).toBe('1');
  });

  it('a service with a token: it is kept in a file for the owner, and the organizations are listed', async () => {
    const instance = await startInstance(createTestFolder(), 'init');
    onTestFinished(() => instance.close());
    const { dialog } = answering({
      'Which file': 'realm.json',
      'Where should': 'service',
      Address: instance.url,
      'Which credentials': 'token',
      'The token': instance.server.tokens.iamOwner,
      'Which organization': instance.server.orgId,
    });
    expect((await run(['init'], { dialog })).exitCode).toBe(0);
    expect(statSync(join(cwd, 'secrets/token.txt')).mode & 0o777).toBe(0o600);
    expect(config().shared).toMatchObject({ 'token-file': 'secrets/token.txt', org: instance.server.orgId });
    expect(read('idport.config.json')).not.toContain(instance.server.tokens.iamOwner);
    expect((await run(['token', '--check'])).exitCode).toBe(0);
  });

  it('an existing file is replaced only if the user says so', async () => {
    writeFileSync(join(cwd, 'idport.config.json'), '{}');
    const answers = { 'Which file': 'realm.json', 'Where should': 'rehearsal' };
    const no = answering({ ...answers, 'idport.config.json exists': false });
    expect((await run(['init'], { dialog: no.dialog })).exitCode).toBe(2);
    const yes = answering({ ...answers, 'idport.config.json exists': true });
    expect((await run(['init'], { dialog: yes.dialog })).exitCode).toBe(0);
    rmSync(join(cwd, 'idport.config.json'));
  });
});

it('lines that .gitignore has already are not added again', () => {
  expect(extendIgnore('secrets/\n', ['secrets/'])).toBe('secrets/\n');
  const text = extendIgnore('a', ['a', 'b']);
  expect(text).toMatch(/^a\n# .*\nb\n$/);
  expect(extendIgnore(text, ['a', 'b'])).toBe(text);
});
