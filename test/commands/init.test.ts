/** `idport init` with flags, with answers, and without questions if there is no terminal. */
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Dialog } from '../../src/lib/dialog.ts';
import { extendIgnore } from '../../src/commands/init-files.ts';
import {
  type Folder,
  openWorkspace,
  openFolder,
  succeeded,
  codesOf,
  type RunOptions,
} from '../support/workspace.ts';
import { fixture } from '../support/folder.ts';

let folder: Folder;
beforeEach(() => {
  folder = openFolder();
  putFixture('keycloak/typical/realm.json');
});

const put = (name: string, text: string | Uint8Array) => folder.write(name, text);
const putFixture = (path: string, name = basename(path)) => put(name, readFileSync(fixture(path)));

const run = (line: string, options?: Partial<RunOptions>) => folder.run(line, options);
const init = (words: string) => run(`init ${words}`);
const read = (name: string) => folder.read(name);
const config = () => folder.json('idport.config.json');
const ignored = () => read('.gitignore').split('\n');
const commandsIn = (text: string) => text.match(/(?<=^ {2})idport .*/gm) ?? [];

/** Answers by the beginning of the question; what is not answered fails. */
function answering(answers: Readonly<Record<string, string | boolean>>) {
  const asked: string[] = [];
  const said: string[] = [];
  const answer = (question: string) => {
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

/** By answers, of which the last is always the same. */
async function ask(answers: Readonly<Record<string, string | boolean>>, words = '') {
  const { dialog, asked, said } = answering({
    ...answers,
    'Where should': answers['Where should'] ?? 'rehearsal',
    'Which service': 'self-hosted',
  });
  const ran = await run(`init ${words}`, { dialog });
  return { ...ran, asked: [...new Set(asked)], said };
}

const rehearsalOf = (source: string, flags = '') => [
  'idport serve',
  `idport migrate ${source}`,
  'idport check importBody.json',
  `idport import-users importBody.json${flags}`,
  `idport verify importBody.json${flags}`,
  'idport report migrate.json check.json import.json verify.json --output=cutover.html',
  'idport undo --journal=importBody.json.users.journal',
];

describe('idport init with flags alone', () => {
  it('prints commands of a rehearsal that lead to verified users', async () => {
    const { stdout } = await succeeded(init('realm.json --rehearsal'));
    expect(commandsIn(stdout)).toEqual(rehearsalOf('keycloak'));
    expect(['idport.config.json', 'secrets'].map(folder.modeOf)).toEqual([0o600, 0o700]);
    expect(ignored()).toEqual(expect.arrayContaining(['secrets/', 'realm.json', '*.journal']));

    const { shared } = config();
    const { server, url } = await openWorkspace({ profile: 'hosted', orgId: shared.org });
    put(shared['key-file'], JSON.stringify(await server.createKey()));
    for (const command of commandsIn(stdout).slice(1)) {
      const line = command.replace('idport ', '');
      // The server of this test has another port.
      const address = /^(?:migrate|report)\b/.test(line) ? '' : `--url=${url}`;
      await succeeded(run(`${line} ${address} ${line.startsWith('undo') ? '--yes=7' : ''}`));
    }
    expect(read('cutover.html')).toContain('Not ready: 3 of 7 users cannot sign in on day one');
  });

  it('sets up a rehearsal on another port and for another target profile', async () => {
    const flags = '--rehearsal --url=http://localhost:8081 --target-profile=self-hosted';
    expect((await init(`realm.json ${flags}`)).stdout).toContain(
      'a self-hosted target takes.\nFor another target or port, run init again with --force --target-profile=hosted or --url=http://localhost:8081.',
    );
    expect(config().verbs.serve).toMatchObject({ port: 8081, profile: 'self-hosted' });
    expect(config().shared).toMatchObject({ url: 'http://localhost:8081', 'target-profile': 'self-hosted' });
  });

  it('drafts the mapping of a table, and does not replace an existing one', async () => {
    putTable();
    const words = 'users.csv --from=csv --rehearsal';
    expect((await init(words)).stdout).toContain('Look at mapping.yaml');
    expect(config().verbs['migrate csv']).toMatchObject({ users: ['users.csv'], map: 'mapping.yaml' });
    const problem = { hint: expect.stringContaining('--map=mapping.yaml') };
    expect(await init(`${words} --force`)).toMatchObject({ exitCode: 2, problem });
  });

  it('asks the service and writes shared settings for it', async () => {
    const { url, tokenFile, server } = await openWorkspace();
    const org = server.orgId;
    const ran = await succeeded(init(`realm.json --url=${url} --token-file=${tokenFile}`));
    expect(codesOf(ran)).toEqual(expect.arrayContaining(['target:reached', 'org:chosen']));
    const shared = { url, 'token-file': tokenFile, org, 'target-profile': 'self-hosted' };
    expect(config().shared).toEqual(shared);
    for (const command of commandsIn(ran.stdout)) {
      const { exitCode: code, problem } = await run(command.replace('idport ', ''));
      expect([command, problem]).toEqual([command, undefined]);
      expect([0, 3, 4]).toContain(code);
    }
  });

  it('saves a token from standard input in a file', async () => {
    const service = '--url=http://localhost:1 --org=7 --offline --token-file=-';
    await succeeded(run(`init realm.json ${service}`, { stdin: 'my-token\n' }));
    expect(read('secrets/token.txt')).toBe('my-token\n');
    expect(config().shared['token-file']).toBe('secrets/token.txt');
  });

  it('recognises a folder by its contents despite unreadable files', async () => {
    put('export/app.log', '');
    expect((await init('export')).problem?.message).toContain('export/app.log: it is empty');
    put('export/importBody.json', '{"orgs":[{"orgId":"1","humanUsers":[]}]}');
    expect((await init('export')).problem?.message).toBe('export looks like an import body');
    putFixture('keycloak/typical/realm.json', 'export/realm-users-0.json');
    await succeeded(init('export --rehearsal'));
    expect(config().verbs['migrate keycloak'].realm).toEqual(['export']);
  });

  it('assigns several files to their flags in any order, and adds them to .gitignore', async () => {
    putAuth0();
    await init('passwords.ndjson mfa.ndjson users.ndjson --rehearsal');
    const files = { users: ['users.ndjson'], passwords: ['passwords.ndjson'], mfa: ['mfa.ndjson'] };
    expect(config().verbs['migrate auth0']).toMatchObject(files);
    expect(ignored()).toEqual(
      expect.arrayContaining([...Object.values(files).flat(), 'emails.csv', 'importBody.json']),
    );
    const { events } = await succeeded(run('migrate auth0'));
    expect(events).toContainEqual(expect.objectContaining({ type: 'file:written', path: 'emails.csv' }));
  });

  it('recognises joined tables by their columns', async () => {
    putDevise();
    await succeeded(init('otp.jsonl users.csv --from=devise --rehearsal'));
    const settings = { users: ['users.csv'], table: ['otp=otp.jsonl'] };
    expect(config().verbs['migrate devise']).toMatchObject(settings);
    await run('migrate devise');
    const report = read('migrate.json');
    await succeeded(run('migrate devise --print-map'));
    expect(read('migrate.json')).toBe(report);
  });

  it.each(['in/AspNetUsers.csv', 'in'])(
    'finds tables beside the users and adds them to .gitignore, with %s',
    async (named) => {
      folder.write(
        'in/AspNetUsers.csv',
        'Id,UserName,Email,PasswordHash,SecurityStamp\n1,ada,a@example.org,,x\n',
      );
      folder.write(
        'in/AspNetUserTokens.csv',
        'UserId,LoginProvider,Name,Value\n1,x,AuthenticatorKey,JBSWY3DP\n',
      );
      folder.write('in/AspNetUserClaims.csv', 'UserId,ClaimType,ClaimValue\n1,given_name,Ada\n');
      folder.write('in/AspNetRoles.csv', 'Id,Name\n1,admin\n');
      // Of two beside a file that was named, none can be chosen.
      for (const name of ['logins', 'logins-old'])
        folder.write(`in/${name}.csv`, 'UserId,LoginProvider,ProviderKey\n1,google,g1\n');
      const { stdout } = await succeeded(init(`${named} --rehearsal`));
      const { users, table } = config().verbs['migrate aspnet-identity'];
      expect(users).toEqual(['in/AspNetUsers.csv']);
      expect(table).toEqual(
        expect.arrayContaining(['tokens=in/AspNetUserTokens.csv', 'claims=in/AspNetUserClaims.csv']),
      );
      expect(table.join()).toMatch(named === 'in' ? /logins=.*logins=/ : /^(?!.*logins=)/);
      expect(stdout).toContain('tokens=in/AspNetUserTokens.csv');
      expect(ignored()).toContain('in/AspNetUserTokens.csv');
    },
  );

  it('prints commands of login-time migration if no hash can move', async () => {
    putFixture('cognito/users.json');
    const { stdout } = await init('users.json --rehearsal');
    expect(commandsIn(stdout)).toEqual(rehearsalOf('cognito', ' --jit'));
    expect(stdout).toContain('Amazon Cognito itself exports no password hash that can move.');
  });
});

/** What the support of Auth0 sends beside the export of the users. */
const putAuth0 = () => {
  for (const path of ['join-against/users.ndjson', 'join-against/passwords.ndjson', 'factors/mfa.ndjson'])
    putFixture(`auth0/${path}`);
};
const putDevise = () => {
  putFixture('devise/otp.jsonl');
  put(
    'users.csv',
    'id,email,encrypted_password,reset_password_token,reset_password_sent_at\n1,ann@example.com,,,\n',
  );
};
const putTable = () => {
  put(
    'users.csv',
    'Login,Email,Hash\nada,ada@example.org,$2b$10$9EruO03OttDhroRde481zOYGJ.51RQegxrcGIg4w2jPhRYd1L6eui\n',
  );
};

it.each([
  ['a rehearsal', () => {}, { 'Path of the export': 'realm.json' }, 'keycloak', { realm: ['realm.json'] }],
  [
    'each companion is asked for',
    putAuth0,
    {
      'Path of the export': 'users.ndjson',
      'Path of the password': 'passwords.ndjson',
      'Path of the multi-factor': '',
    },
    'auth0',
    { users: ['users.ndjson'], passwords: ['passwords.ndjson'], mfa: undefined },
  ],
  [
    'a mapping is drafted: its commands convert every user',
    putTable,
    { 'Path of the export': 'users.csv', 'Which provider': 'csv' },
    'csv',
    { users: ['users.csv'], map: 'mapping.yaml' },
  ],
])('idport init with answers: %s', async (_, prepare, answers, source, settings) => {
  prepare();
  const { asked } = await succeeded(ask(answers));
  expect(asked).toHaveLength(Object.keys(answers).length + 2);
  expect(config().shared['target-profile']).toBe('self-hosted');
  expect({ mfa: undefined, ...config().verbs[`migrate ${source}`] }).toMatchObject(settings);
  expect(ignored()).toEqual(expect.arrayContaining(source === 'csv' ? ['users.csv'] : ['secrets/']));
  expect((await run(`migrate ${source}`)).problem).toBeUndefined();
  const [org] = folder.json('importBody.json').dataOrgs.orgs;
  expect(org.humanUsers).not.toEqual([]);
});

it('idport init with answers tells what it recognised, and which parts of a draft need a look', async () => {
  expect((await ask({ 'Path of the export': 'realm.json' })).said).toEqual([
    'realm.json is an export of Keycloak.',
  ]);
  putTable();
  expect((await ask({ 'Which provider': 'csv' }, 'users.csv --force')).stdout).toContain(
    'Written: idport.config.json, .gitignore, mapping.yaml\n\nLook at mapping.yaml: ',
  );
});

it('idport init with answers saves the token of a service in a private file, and lists its organizations', async () => {
  const { url, server } = await openWorkspace();
  const answers = {
    'Path of the export': 'realm.json',
    'Where should': 'service',
    Address: url,
    'Which credentials': 'token',
    'The token': server.tokens.iamOwner,
    'Which organization': server.orgId,
  };
  await succeeded(ask(answers));
  expect(folder.modeOf('secrets/token.txt')).toBe(0o600);
  expect(config().shared).toMatchObject({ 'token-file': 'secrets/token.txt', org: server.orgId });
  expect(read('idport.config.json')).not.toContain(server.tokens.iamOwner);
  await succeeded(run('token --check'));
});

it('idport init replaces an existing file only with --force or after a yes', async () => {
  put('idport.config.json', '{}');
  const words = 'realm.json --rehearsal';
  const answers = (yes: boolean) => ({
    'Path of the export': 'realm.json',
    'idport.config.json exists': yes,
  });
  expect((await init(words)).exitCode).toBe(2);
  expect((await ask(answers(false))).exitCode).toBe(2);
  expect(read('idport.config.json')).toBe('{}');
  await succeeded(ask(answers(true)));
  await succeeded(init(`${words} --force`));
});

it.each([
  ['secrets', () => put('secrets', ''), /secrets: a file of this name is in the way/],
  ['.gitignore', () => mkdirSync(join(folder.cwd, '.gitignore')), /^\.gitignore: it is a folder/],
  ['.gitignore', () => put('.gitignore', Buffer.from('m\xfcll\n', 'latin1')), /not UTF-8/],
])('idport init writes nothing if %s is not of the expected kind', async (_, make, message) => {
  putTable();
  make();
  const ran = await init('users.csv --from=csv --rehearsal');
  expect(ran).toMatchObject({ exitCode: 1, problem: { message } });
  expect(folder.list().filter((one) => /^(?:idport|mapping)/.test(one))).toEqual([]);
});

it('extendIgnore does not add lines that .gitignore already has', () => {
  const text = extendIgnore('a', ['a', 'b']);
  expect(text).toMatch(/^a\n# .*\nb\n$/);
  expect(extendIgnore(text, ['a', 'b'])).toBe(text);
});
