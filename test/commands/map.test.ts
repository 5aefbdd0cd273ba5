import { expect, it } from 'vitest';
import { convertFiles } from '../support/conversion.ts';
import { readProject } from '../support/folder.ts';
import { runTable } from '../support/table-run.ts';
import { succeeded } from '../support/workspace.ts';

const mcf = '$2b$10$.AmEVFyho1YgMi9nghbF2e.r1vsKaJCNfPPvHGENaScgryhh8uyT6';
const csv = [
  'id,email,email_verified_at,first_name,last_name,encrypted_password,sign in count,plan',
  `1,ada@example.com,2026-01-01 10:00:00,Ada,Lovelace,${mcf},4,pro`,
  '2,bob@example.com,,Bob,Boole,,0,',
].join('\n');

async function draft(text: string | Buffer, name = 'users.csv', ...flags: string[]) {
  const { stdout } = await succeeded(convertFiles(['map', name, ...flags], { [name]: text }));
  return stdout;
}

const dump = [
  "INSERT INTO plans (id, name) VALUES (1, 'pro');",
  `INSERT INTO app.members (id, email, pw, disabled_at, deleted_at) VALUES (1, 'ada@example.com', '${mcf}', '2026-01-01', NULL), (2, 'bob@example.com', '', NULL, '2026-01-01 10:00:00');`,
  '',
].join('\n');
const french = 'Identifiant;Adresse e-mail;Prénom;Nom;Téléphone;Langue;Passwort;Actif\n';
const odd = '[{"id":1,"email":"a@b.c","null":1,"a: b #c":2,"line\\nbreak":3,"it\'s \\"x\\"":4}]';
const users = [
  { login: 'ada', email: 'ada@example.com', hash: mcf },
  { login: 'bob', email: 'bob@example.com' },
];
const keyed = { 'ada@example.com': users[0], u2: users[1] };
const bob = '2,bob,bob@example.com,Bob,,\n';
it.each([
  ['of a table', csv, 'csv', 'idport: 1', ['ada@example.com', 'bob@example.com']],
  [
    'in French',
    `${french}ada;ada@example.com;Ada;Lovelace;+41441234567;fr;geheim 7;ja\n`,
    'csv',
    'from: Passwort #',
    ['ada'],
  ],
  [
    'in German, of Excel',
    'SEP=;\r\nlogin;email;aktiv ja/nein\r\nada;ada@example.com;ja\r\n',
    'csv',
    `# state: { active: { column: "[\\"aktiv ja/nein\\"]", is: [...] } }`,
    ['ada'],
  ],
  ['of a dump', dump, 'sql', 'source:\n  table: "app.members"\n', ['ada@example.com']],
  ['with odd names of columns', odd, 'json', 'unused:', ['a@b.c']],
  ['of DBeaver', JSON.stringify({ 'SELECT * FROM users': users }), 'json', 'userName: login', ['ada', 'bob']],
  [
    'of an interface',
    JSON.stringify({ ok: 1, data: { accounts: { nodes: users } } }),
    'json',
    'list: "data.accounts.nodes"',
    ['ada', 'bob'],
  ],
  [
    'of Firebase Realtime Database',
    JSON.stringify({ accounts: keyed, groups: { g: {} } }),
    'json',
    'list: accounts',
    ['ada', 'bob'],
  ],
  [
    'of an object of users',
    JSON.stringify(keyed),
    'json',
    'format: yaml # each user has its own key: @name',
    ['ada', 'bob'],
  ],
])('a draft mapping runs unchanged: %s', async (says, text, provider, line, names) => {
  const map = await draft(text, `users.${provider}`);
  expect(map).toContain(line);
  expect(map).not.toContain('@example.com');
  const result = await runTable({ provider, users: text, map });
  expect(result.users.map(({ user }) => user.userName)).toEqual(names);
  // What ja and oui mean is left open.
  expect(result.notices.includes('map:unused-column')).toBe(says.startsWith('in '));
});

it.each([
  ['a word that is a title elsewhere', `7,email,ada@example.com,Ada,,${mcf}\n${bob}`],
  ['rows of Unix, one of them with a user named mail', `7:ada:ada@example.com:Ada::${mcf}\n8:mail::mail::\n`],
  ['nothing but names in the first rows', `1,ada,,Ada,,\n${bob.repeat(50)}9,ada,ada@example.com,A,,${mcf}\n`],
])('a draft mapping numbers the columns of a file without a header: %s', async (_name, text) => {
  const map = await draft(text);
  expect(map).toContain('titles: [c1, c2, c3, c4, c5, c6]');
  expect(map).toMatch(/ {2}id: c1 # guess\n {2}email: c3 # guess\n/);
  expect(map).toContain('  from: c6 # guess: bcrypt');
  expect(map).toContain('#   c2: ');
  expect(map).not.toMatch(/\b(?:ada|Ada|bob|Bob)\b|\$2b/);
  expect(Object.values((await runTable({ users: text, map })).hashes)).toContain(mcf);
});

it.each([
  ['windows-1252', 'Zo\xeb M\xfcller'],
  ['cp850', 'Zo\x89 M\x81ller'],
])('a draft mapping guesses the encoding %s', async (encoding, name) => {
  const text = Buffer.from(`id,email,name\n1,zoe@example.com,${name}\n`, 'latin1');
  const map = await draft(text);
  expect(map).toContain(`  encoding: ${encoding} # guess`);
  const result = await runTable({ users: text, map });
  expect(result.users[0]?.user).toMatchObject({ profile: { displayName: 'Zoë Müller' } });
});

const member =
  "INSERT INTO member (id, password, email, is_superuser, date_joined, is_staff) VALUES (1, '', '', 0, '', 0);";
const lookup =
  "INSERT INTO wp_lookup (username, email) VALUES ('', ''); INSERT INTO wp_users (ID, user_login, user_pass) VALUES (1, '', '');";
it.each([
  [
    'the built-in source, if two tables look like users',
    readProject('fixtures/moodle/links.sql'),
    'idport migrate moodle reads: without --map',
  ],
  ['its table of users, if another looks like users', lookup, '#   user_login: 0 of 1'],
  ['a file without titles by those of its source', 'ada:{PLAIN}secret\n', '#   username: 1 of 1, text\n'],
  [
    'digests of htdigest',
    `ada l:the wiki:${'0a'.repeat(16)}\n`,
    '  from: c3 # guess: 32 hexadecimal digits\n',
  ],
  [
    'what no column says',
    'id,login,twofa_totp_key,twofa_required\n1,ada,JBSWY3DPEHPK3PXP,f\n',
    'otp: { from: twofa_totp_key, encoding: base32 } # guess\n  # email: ...',
  ],
  ['another table that --table names', member, 'optional, table: member }', '--table=member'],
])('a draft mapping describes %s', async (_, text, line, ...flags) => {
  expect(await draft(text, 'dump.sql', ...flags)).toContain(line);
});

const off = 'USER_STATE_INACTIVE';
it.each([
  ['is_authorized', '1', '0', off],
  ['deleted_at', '', '2026-01-01 10:00:00', off],
  ['blocked', '', 'true', off],
  ['blocked', '', 'false', undefined],
  ['active_until', '', '2020-01-01', off],
])(
  'a draft reads who is inactive or has no second factor in rows that follow: %s',
  async (name, first, next, state) => {
    const text = `id,email,${name},otp_secret,has_2fa,data\n1,ada@example.com,${first},JBSWY3DPEHPK3PXP,1,"{""pw"": 1}"\n`;
    const map = await draft(text);
    expect(map).toContain('# Not examined: data.');
    const { users } = await runTable({
      users: `${text}2,bob@example.com,${next},GEZDGNBVGY3TQOJQ,0,\n`,
      map,
    });
    expect(users.map((user) => [user['state'], user.user['otpCode']])).toEqual([
      [undefined, 'JBSWY3DPEHPK3PXP'],
      [state, undefined],
    ]);
  },
);
