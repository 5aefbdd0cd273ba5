/** Where `import-users` puts its journal and its id map. */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { createHastyClock } from '../support/hasty-clock.ts';
import { startInstance } from '../support/instance.ts';
import { runProgram } from '../support/program.ts';

it.each([
  [[], ['users.csv', 'users.csv.ids.csv', 'users.csv.users.journal'], []],
  [['--journal=runs/x.journal'], ['users.csv'], ['users.csv.ids.csv', 'x.journal']],
  [['--journal=runs/x.journal', '--id-map=data/ids.csv'], ['ids.csv', 'users.csv'], ['x.journal']],
])('with %j', async (flags, beside, elsewhere) => {
  const cwd = createTestFolder();
  for (const folder of ['data', 'runs']) mkdirSync(join(cwd, folder));
  writeFileSync(join(cwd, 'data/users.csv'), 'id,email\n1,ada@example.com\n');
  const instance = await startInstance(cwd, 'target', { orgId: '100' });
  try {
    const source = ['--from=csv', '--users=data/users.csv', '--org=100', '--max-emails=unlimited'];
    const ran = await runProgram(['import-users', ...source, ...instance.flags, ...flags], { cwd });
    expect(ran.exitCode).toBe(0);
    expect(readdirSync(join(cwd, 'data')).toSorted()).toEqual(beside);
    expect(readdirSync(join(cwd, 'runs')).toSorted()).toEqual(elsewhere);
  } finally {
    await instance.close();
  }
});

it.each([
  ['migrate', 'csv', '--users=users.csv', '--map=map.yaml', '--rejects=map.yaml'],
  ['check', '--from=csv', '--users=users.csv', '--token-file=key.json', '--report=key.json'],
  ['check', '--from=csv', '--users=users.csv', '--token-file=key.json', '--mail-list=link.json'],
  ['verify', '--from=csv', '--users=users.csv', '--token-file=key.json', '--report=key.json'],
  [
    'verify',
    '--from=csv',
    '--users=users.csv',
    '--token-file=key.json',
    '--id-map=ids.json',
    '--report=ids.json',
  ],
  ['migrate', 'csv', '--users=users.csv', '--map=map.yaml', '--config=own.json', '--output=own.json'],
  [
    'migrate',
    'csv',
    '--users=users.csv',
    '--map=map.yaml',
    '--prove=1',
    '--prove-password=key.json',
    '--output=link.json',
  ],
  ['serve', '--seed=users.csv', '--dump=users.csv'],
  ['jit', 'setup', '--endpoint=https://a.example', '--token-file=key.json', '--signing-key-file=key.json'],
])('%s %s does not replace a file that it reads: %j %j %j', async (...argv) => {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'users.csv'), 'id,email\n1,ada@example.com\n');
  writeFileSync(join(cwd, 'map.yaml'), 'idport: 1\nuser: { id: id, email: email }\n');
  writeFileSync(join(cwd, 'ids.json'), 'old_id,new_id,state\n1,2,created\n');
  const instance = await startInstance(cwd, 'target', { orgId: '100' });
  try {
    writeFileSync(join(cwd, 'key.json'), instance.server.tokens.iamOwner);
    const url = ['migrate', 'serve'].includes(argv[0]) ? [] : [`--url=${instance.url}`];
    symlinkSync('key.json', join(cwd, 'link.json'));
    writeFileSync(join(cwd, 'own.json'), '{}');
    const org = ['jit', 'serve'].includes(argv[0]) ? [] : ['--org=100'];
    const { problem } = await runProgram([...argv, ...org, ...url], { cwd });
    expect(problem).toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/is the same file as the/),
    });
  } finally {
    await instance.close();
  }
});

it('a bulk import that cannot reach the service leaves the id map of the previous run where it is', async () => {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'body.json'), '{"dataOrgs":{"orgs":[{"orgId":"1"}]}}');
  writeFileSync(join(cwd, 'body.json.ids.csv'), 'old_id,new_id,state\n1,2,created\n');
  const service = ['--url=http://127.0.0.1:1', '--token-file=-'];
  const { exitCode } = await runProgram(['import', 'body.json', '--ids=new', ...service], {
    cwd,
    stdin: 'x',
    clock: createHastyClock(),
  });
  expect(exitCode).toBe(1);
  expect(readdirSync(cwd).filter((name) => name.includes('ids.csv'))).toEqual(['body.json.ids.csv']);
});

it('verify leaves no part of a report that it could not finish', async () => {
  const cwd = createTestFolder();
  const instance = await startInstance(cwd, 'target', { orgId: '100' });
  try {
    writeFileSync(join(cwd, 'users.csv'), 'id,email\n1,ada@example.com\n');
    const source = ['--from=csv', '--users=users.csv', '--org=100', '--report=report.json', '--budget=2'];
    const { problem } = await runProgram(['verify', ...source, ...instance.flags], { cwd });
    expect(problem?.code).toBe('api:budget');
    expect(readdirSync(cwd).toSorted()).toEqual(['report.json', 'target.token', 'users.csv']);
  } finally {
    await instance.close();
  }
});

it.each(['migrate keycloak', 'check --from=keycloak', 'import-users --from=keycloak'])(
  '%s warns once of users whose directory may have been away',
  async (verb) => {
    const cwd = createTestFolder();
    const away = { enabled: false, federationLink: 'ldap', emailVerified: true };
    const users = ['ada', 'bob'].map((id) => ({ id, username: id, email: `${id}@example.com`, ...away }));
    writeFileSync(join(cwd, 'realm.json'), JSON.stringify({ realm: 'r', users }));
    const instance = await startInstance(cwd, 'target', { orgId: '100' });
    try {
      const url = verb.startsWith('migrate') ? [] : [`--url=${instance.url}`];
      const argv = [...verb.split(' '), '--realm=realm.json', '--org=100', ...url];
      const env = { IDPORT_TOKEN: instance.server.tokens.iamOwner };
      const { events } = await runProgram(argv, { cwd, env });
      const warnings = events.filter(
        (event) => event.type === 'notice' && event.code === 'state:directory-disabled',
      );
      expect(warnings).toMatchObject([
        { level: 'warning', text: expect.stringMatching(/^2 users: .*directory was away/) },
      ]);
    } finally {
      await instance.close();
    }
  },
);
