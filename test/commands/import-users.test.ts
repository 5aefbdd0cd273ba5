/** The command `import-users`: files, exit code, what a resumed run compares, and plain text passwords. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { bcryptVerify } from 'hash-wasm';
import { beforeEach, expect, it } from 'vitest';
import { ExitCode } from '../../src/errors.ts';
import { textsOf, succeeded } from '../support/workspace.ts';
import { startMigration, type Migration } from '../support/migration.ts';
import { keycloakUser, realmOf } from '../support/conversion.ts';
import { projectLists, sampleUser } from '../support/users-run.ts';

let migration: Migration;
beforeEach(async () => {
  migration = await startMigration({ orgId: '100' });
});
const put = (name: string, value: unknown) => migration.put(name, value);
const oneUser = 'id,email\n1,ada@example.com\n';

it.each([
  ['', ['users.csv', 'users.csv.ids.csv', 'users.csv.users.journal'], []],
  ['--journal=runs/x.journal', ['users.csv'], ['users.csv.ids.csv', 'x.journal']],
  ['--journal=runs/x.journal --id-map=data/ids.csv', ['ids.csv', 'users.csv'], ['x.journal']],
])(
  'import-users puts the journal and id map beside the input, or where %j says',
  async (flags, beside, elsewhere) => {
    for (const folder of ['data', 'runs']) mkdirSync(join(migration.cwd, folder));
    put('data/users.csv', oneUser);
    const source = '--from=csv --users=data/users.csv --org=100 --max-emails=unlimited';
    await succeeded(migration.runAt(`import-users ${source} ${flags}`));
    expect(['data', 'runs'].map(migration.list)).toEqual([beside, elsewhere]);
  },
);

const table = '--from=csv --users=users.csv';
const to = '--url=URL --token-file=key.json';
const mapped = 'migrate csv --users=users.csv --map=map.yaml --org=100';
it.each([
  `${mapped} --output=./users.csv`,
  `${mapped} --rejects=map.yaml`,
  `check ${table} --org=100 ${to} --report=key.json`,
  `check ${table} --org=100 ${to} --mail-list=link.json`,
  `verify ${table} --org=100 ${to} --report=key.json`,
  `verify ${table} --org=100 ${to} --id-map=ids.json --report=ids.json`,
  `${mapped} --config=own.json --output=own.json`,
  `${mapped} --prove=1 --prove-password=key.json --output=link.json`,
  'serve --seed=users.csv --dump=users.csv',
  `jit setup --endpoint=https://a.example ${to} --signing-key-file=key.json`,
  `export ${to} --output=./key.json`,
  `token ${to} --output=./key.json`,
])('an output never replaces an input file: %s', async (line) => {
  put('users.csv', oneUser);
  put('map.yaml', 'idport: 1\nuser: { id: id, email: email }\n');
  put('ids.json', 'old_id,new_id,state\n1,2,created\n');
  const token = migration.to.server.tokens.iamOwner;
  put('key.json', token);
  symlinkSync('key.json', join(migration.cwd, 'link.json'));
  put('own.json', {});
  const message = /is the same file as the/;
  const { problem } = await migration.run(line.replace('URL', migration.to.url));
  expect(problem).toMatchObject({ code: 'usage', message });
  expect(migration.read('key.json')).toBe(token);
});

it.each(['migrate keycloak', 'check --from=keycloak', 'import-users --from=keycloak'])(
  '%s warns once about users whose LDAP directory may have been unreachable',
  async (verb) => {
    const away = { enabled: false, federationLink: 'ldap', emailVerified: true };
    const users = ['ada', 'bob'].map((id) => ({ id, username: id, email: `${id}@example.com`, ...away }));
    put('realm.json', { realm: 'r', users });
    const ran = await migration.runAt(`${verb} --realm=realm.json --org=100`);
    expect(textsOf(ran, 'state:directory-disabled')).toEqual([/^2 users: .*could not reach the directory/]);
  },
);

const mapping = `idport: 1
user: { id: id, email: email, emailVerified: VERIFIED }
password:
  pbkdf2: { digest: sha256, rounds: 1000, salt: { from: salt, encoding: text }, key: { from: hash, encoding: hex }, salted: salt + secret }
  secret: { file: cookie.key }
`;

it('import-users resumes a run with a mapping and secret file, and its journal has no secret', async () => {
  const rows = [1, 2, 3].map((number) => `${number},user-${number}@acme.example,salt,${'ab'.repeat(32)}\n`);
  put('users.csv', `id,email,salt,hash\n${rows.join('')}`);
  put('map.yaml', mapping.replace('VERIFIED', 'true'));
  put('cookie.key', 'the-salt-secret\n');
  const flags = '--map=map.yaml --journal=x.journal --org=100 --on-refused-hash=keep';
  const line = `import-users ${table} ${flags}`;
  await succeeded(migration.runAt(line));
  const whole = migration.read('x.journal');
  expect(whole).toContain('cookie.key');
  expect(whole).not.toMatch(/the-salt-secret|secrets/);
  // As after a kill: the journal breaks off within the second user.
  const lines = whole.split('\n');
  put('x.journal', `${lines.slice(0, 2).join('\n')}\n${lines[2]!.slice(0, 5)}`);
  await succeeded(migration.runAt(`${line} --resume`));
  expect(migration.humans()).toHaveLength(3);

  put('map.yaml', mapping.replace('VERIFIED', 'true, nickName: email'));
  const other = await migration.runAt(`${line} --resume`);
  expect(other.problem?.message).toMatch(/is the journal of another run: mapping has changed$/);
});

it.each(['hash', 'send'])(
  '--plain-passwords %s lets users sign in and writes no password to a file',
  async (way) => {
    const users = [1, 2, 3].map((number) => {
      const credentials = [{ type: 'password', value: `Zyx9-${number}!aA`, temporary: false }];
      return keycloakUser(`user-${number}`, { credentials });
    });
    put('realm.json', realmOf(...users));
    const source = '--from=keycloak --realm=realm.json --journal=x.journal --org=100';
    await succeeded(migration.runAt(`import-users ${source} --plain-passwords=${way}`));
    const created = [...migration.store.users.values()].flatMap((user) =>
      user.kind === 'human' && user.userName.startsWith('user-') ? [user] : [],
    );
    expect(created).toHaveLength(3);
    for (const { userName, passwordHash } of created) {
      const password = `${userName.replace('user-', 'Zyx9-')}!aA`;
      expect(await bcryptVerify({ password, hash: passwordHash })).toBe(true);
    }
    expect(migration.read('x.journal')).not.toContain('Zyx9');
  },
);

it('import-users --rejects writes a body that import accepts, with metadata and grants', async () => {
  const account = { hashedPassword: undefined, email: { email: 'ada@a.example', isEmailVerified: true } };
  const codes = { recoveryCodes: [{ raw: 'ab12cd34' }] };
  const ada = sampleUser('ada', { ...account, ...codes }, { userId: 'ada' });
  const ben = sampleUser('ben', account, { userId: 'ben' });
  const userMetadata = ['ada', 'ben'].map((id) => ({ id, key: 'from', value: 'b2xk' }));
  const { userGrants, ...project } = projectLists('shop', 'buyer', 'ada', 'ben');
  const lists = { humanUsers: [ben], userMetadata: [userMetadata[1]], userGrants: [userGrants[1]] };
  const projectGrant = { projectId: 'shop', grantedOrgId: '300', roleKeys: ['buyer'] };
  const granted = { ...project, projectGrants: [{ grantId: 'g', projectGrant }] };
  const ofAda = { ...userGrants[0], projectGrantId: 'g' };
  const other = { orgId: '300', humanUsers: [ada], userMetadata: [userMetadata[0]], userGrants: [ofAda] };
  await migration.seed({ orgId: '300', org: { name: 'Other' } });
  put('importBody.json', { dataOrgs: { orgs: [{ orgId: '100', ...lists, ...granted }, other] } });
  const { runAt, orgsIn } = migration;
  const limits = '--max-emails=unlimited';
  const one = await runAt(`import-users importBody.json --rejects=rejects.json ${limits}`);
  expect(one.exitCode).toBe(ExitCode.rejected);
  const id = /^\d+$/;
  expect(orgsIn('rejects.json')).toMatchObject([
    {
      orgId: '300',
      humanUsers: [{ userId: 'ada' }],
      userMetadata: [{ id: 'ada', key: 'from' }],
      userGrants: [{ userId: 'ada', projectId: id, projectGrantId: id, roleKeys: ['buyer'] }],
    },
  ]);
  await succeeded(runAt(`import rejects.json ${limits}`));
  const { userGrants: arrived } = migration.to.server.state.store;
  const grants = Array.from(arrived.values(), ({ userId, roleKeys }) => `${userId} ${roleKeys.join()}`);
  expect(grants.toSorted()).toEqual(['ada buyer', 'ben buyer']);
  // Nor are they forgotten by the next pass.
  put('second.json', migration.read('importBody.json').replaceAll('ada@a', 'new@a'));
  const since = '--since-journal=importBody.json.users.journal --rejects=again.json';
  expect((await runAt(`import-users second.json ${since} ${limits}`)).exitCode).toBe(ExitCode.rejected);
  await succeeded(runAt(`import again.json --since-journal=rejects.json.journal ${limits}`));
  expect(migration.store.users.get('ada')).toMatchObject({ email: 'new@a.example' });
});

it.each([
  ['deleted_at', '2024-01-01', ''],
  ['disabled', 'true', '--disabled=skip'],
])('--deleted=deactivate deactivates users that are newly left out by %s', async (column, value, flag) => {
  const state = '{ inactive: { column: disabled } }';
  const rule = `where: [{ skip: deleted, when: { present: deleted_at } }]`;
  put(
    'map.yaml',
    `idport: 1\n${rule}\nuser: { id: id, email: email, emailVerified: true, state: ${state} }\n`,
  );
  const from = `${table} --map=map.yaml ${flag} --org=100`;
  const pass = async (more: string, others: string) => {
    const empty = column === 'disabled' ? 'deleted_at' : 'disabled';
    put('users.csv', `id,email,${column},${empty}\nann,ann@a.example,,\nbob,bob@a.example,${others},\n`);
    return succeeded(migration.runAt(`import-users ${from} ${more}`));
  };
  await pass('--journal=1.journal', '');
  // A trial of which no user is sent is a previous run, too.
  await pass('--journal=2.journal --since-journal=1.journal --user=ann', '');
  const all = '--journal=3.journal --since-journal=1.journal --since-journal=2.journal --deleted=deactivate';
  const second = await pass(all, value);
  expect(textsOf(second, 'delta:vanished').join()).toContain(
    'left out now: bob bob@a.example. At the target: 1 deactivated.',
  );
  expect(migration.store.users.get('bob')).toMatchObject({ status: 'inactive' });
  await succeeded(migration.runAt(`verify ${from}`));
});
