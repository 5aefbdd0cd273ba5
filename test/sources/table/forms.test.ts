import { describe, expect, it } from 'vitest';
import { textsOf, runProgram } from '../../support/desk.ts';
import { createTestFolder } from '../../support/folder.ts';
import { rejections, runTable } from '../../support/table-run.ts';

const bcrypt = '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.';
const map = `
idport: 1
source: { columns: optional }
user: { id: id, userName: login, email: email, metadata: { name: name } }
password: { from: hash, format: bcrypt, pepper: none, prehash: none }
`;

async function namesOf(users: string, mapping = map) {
  const result = await runTable({ provider: 'sql', users, map: mapping });
  const entries = result.orgs.flatMap(({ userMetadata = [] }) => userMetadata);
  const names = new Map(entries.map(({ id, value }) => [id, Buffer.from(value, 'base64').toString()]));
  return result.users.map(({ userId, user }) => [user.userName, names.get(userId)]);
}

const joinMap = `idport: 1
tables: { logins: { key: user_id, many: true } }
user: { id: id, email: email, links: { each: logins, alias: provider, externalUserId: uid } }
`;

describe('SQL dumps', () => {
  const unnamed = `INSERT INTO users VALUES(1,'ada','ada@example.org','Ada','');\n`;

  it.each([
    [
      'COPY of pg_dump: escapes, and nothing',
      `--\n-- PostgreSQL database dump\n--\n\\restrict abc\nSET x = 1;\nCREATE TABLE public.users (id int);\nCOPY public.other (id, x) FROM stdin;\n1\t2\n\\.\nCOPY public.users (id, login, email, name, hash) FROM stdin;\n1\tada\tada@example.org\tA\\tB\\\\C\\nD\t${bcrypt}\n2\tbob\tbob@example.org\t\\N\t\\N\n\\.\nSELECT 1;\n`,
      [
        ['ada', 'A\tB\\C\nD'],
        ['bob', undefined],
      ],
    ],
    [
      'INSERT without columns takes them from CREATE TABLE, in their physical order',
      `CREATE TABLE "users" ("id" integer NOT NULL PRIMARY KEY, "hash" varchar(128) NOT NULL, "login" text DEFAULT 'a,b', "email" text, name varchar(10), UNIQUE (login), CONSTRAINT x CHECK (id > 0));\nINSERT INTO "users" VALUES(1,'','ada','ada@example.org','O''Hara');\n`,
      [['ada', "O'Hara"]],
    ],
    [
      'mysqldump: backslashes, line ends and tabs in texts',
      "-- MySQL dump\n/*!40101 SET NAMES utf8 */;\nDROP TABLE IF EXISTS `users`;\nCREATE TABLE `users` (\n  `id` int(11) NOT NULL,\n  `login` varchar(60),\n  `email` varchar(60),\n  `name` varchar(60),\n  `hash` varchar(60),\n  PRIMARY KEY (`id`),\n  KEY `l` (`login`)\n) ENGINE=InnoDB;\nLOCK TABLES `users` WRITE;\nINSERT INTO `users` VALUES (1,'ada','ada@example.org','O\\'Hara \\\"x\\\"\\nline\ttab',NULL),\n(2,'bob','bob@example.org','back\\\\',_binary 'x');\nUNLOCK TABLES;\n",
      [
        ['ada', 'O\'Hara "x"\nline\ttab'],
        ['bob', 'back\\'],
      ],
    ],
    [
      'a script of SQL Server',
      "USE [app]\nGO\nSET ANSI_NULLS ON\nGO\nINSERT [dbo].[users] ([id], [login], [email], [name], [hash]) VALUES (N'1', N'ada', N'ada@example.org', CAST(N'A; (b' AS NVarChar(10)), NULL)\nINSERT [dbo].[users] ([id], [login], [email], [name], [hash]) VALUES (2, N'bob', N'bob@example.org', N'B', NULL)\nGO\n",
      [
        ['ada', 'A; (b'],
        ['bob', 'B'],
      ],
    ],
    [
      'INSERT without columns takes them from the mapping',
      unnamed,
      [['ada', 'Ada']],
      'columns: optional, titles: [id, login, email, name, hash]',
    ],
  ])('are read: %s', async (_name, users, expected, columns = 'columns: optional') => {
    expect(await namesOf(users, map.replace('columns: optional', columns))).toEqual(expected);
  });

  it.each([
    ['without titles', unnamed, /the rows of users have no names of columns/],
    [
      'of other tables only',
      'INSERT INTO things (a, b) VALUES (1, 2);\n',
      /no rows of a table that looks like one of users/,
    ],
    [
      'of the right table, without rows',
      'COPY public.users (id, login) FROM stdin;\n\\.\n',
      /the table public.users has no rows/,
      'columns: optional, table: users',
    ],
  ])('are refused %s', async (_name, users, message, columns = 'columns: optional') => {
    await expect(namesOf(users, map.replace('columns: optional', columns))).rejects.toThrow(message);
  });

  it('are refused with the name of a table without users', async () => {
    const users = `CREATE TABLE pages (id int, name text, hash text);\nINSERT INTO pages VALUES (1,'x','y');\n`;
    const own =
      'idport: 1\nsource: { columns: optional }\nuser: { userName: login, email: email, fullName: name, nickName: hash }\n';
    await expect(namesOf(users, own)).rejects.toThrow(/^users: its table pages has none of the columns/);
  });

  it('are read in UTF-16, and in the encoding of the mapping', async () => {
    const insert =
      "INSERT INTO users (id, login, email, name) VALUES (N'1', N'zoë', N'zoe@example.org', N'Zoë');\r\n";
    const wide = Buffer.from(`\ufeffGO\r\n${insert}`, 'utf16le');
    const latin = Buffer.from(insert, 'latin1');
    const latinMap = map.replace('source: {', 'source: { encoding: latin1,');
    for (const run of [
      { users: wide, map },
      { users: latin, map: latinMap },
    ]) {
      const { users } = await runTable({ provider: 'sql', ...run });
      expect(users[0]?.user.userName).toBe('zoë');
    }
  });
});

describe('joined tables', () => {
  it('have their own delimiter and encoding', async () => {
    const own = `idport: 1\nsource: { delimiter: ';', encoding: windows-1252 }\ntables: { names: { key: user } }\nuser: { id: id, email: email, fullName: names.full }\n`;
    const users = 'id;email\n1;zoe@example.org\n';
    const result = await runTable({ users, map: own, tables: { names: 'user,full\n1,Zoë Müller\n' } });
    expect(result.users[0]?.user).toMatchObject({ profile: { displayName: 'Zoë Müller' } });
  });

  it('report lost rows and match keys with trailing spaces', async () => {
    const result = await runTable({
      provider: 'json',
      users: '{"id":"1","email":"a@example.org"}\n',
      map: joinMap,
      tables: { logins: '{"uid":"1"}\n{"user_id":"1  ","provider":"google","uid":"g1"}\n{broken\n' },
      flags: { idp: ['google=1'] },
    });
    expect(textsOf(result, 'map:lost-rows')).toEqual([
      /^logins: 2 rows of the table logins cannot be joined; the first: there is nothing in user_id/,
    ]);
    expect(result.users[0]?.user.idps).toHaveLength(1);
  });

  it.each([
    [
      'a file without tables',
      'openldap',
      'dn: uid=ada,dc=x\nobjectClass: inetOrgPerson\nuid: ada\nsn: A\nmail: a@example.org\n',
      [],
    ],
    [
      'a dump',
      'wordpress',
      "INSERT INTO wp_users (ID, user_login, user_email, display_name) VALUES (1,'ada','a@example.org','Ada A');\n",
      [/rows of joined tables, if any are in it, are left out: meta \(second factors\)\. Give the users/],
    ],
    [
      'the models of Django',
      'django',
      '{"model":"auth.user","pk":1,"fields":{"username":"ada","email":"a@example.org","is_active":true}}\n',
      [/left out: .*devices.* --table=<name>=<file>/],
    ],
  ])('are read from a pipe in one pass: %s', async (_name, source, stdin, expected) => {
    const argv = ['migrate', source, '--org=1', '--users=-', '--email-verified', '--output=body.json'];
    const ran = await runProgram(argv, { cwd: createTestFolder(), stdin });
    expect(textsOf(ran, 'map:lost-rows')).toEqual(expected);
  });

  it('end the run with more than 2000 rows per user', async () => {
    const row = '{"user_id":"1","provider":"google","uid":"g"}\n';
    await expect(
      runTable({
        provider: 'json',
        users: '{"id":"1","email":"a@example.org"}\n',
        map: joinMap,
        tables: { logins: row.repeat(2001) },
      }),
    ).rejects.toThrow('more than 2000 rows belong to one user');
  });

  it('are refused if the mapping does not name them', async () => {
    await expect(
      runTable({ users: 'id,email\n1,a@example.org\n', map, tables: { other: 'x\n' } }),
    ).rejects.toThrow('joins no table other');
  });

  it('do not change the line numbers of broken rows', async () => {
    const joined = `${map}\ntables: { pw: { key: user } }\n`;
    const users = 'id,login,email\n1,ada,ada@example.org\n2,bob\n3,cyd,cyd@example.org\n';
    const result = await runTable({ users, map: joined, tables: { pw: 'user\n1\n' } });
    expect(rejections(result)).toEqual(['record:not-json: line 3: 2 cells where there are 3 titles']);
    expect(result.users.map(({ user }) => user.userName)).toEqual(['ada', 'cyd']);
  });
});

describe('LDIF', () => {
  it.each([
    'changetype: delete',
    'changeType:: ZGVsZXRl',
    'changetype: modrdn\nnewrdn: uid=eve\ndeleteoldrdn: 1',
    'changetype: moddn\nnewrdn: uid=eve\nnewsuperior:< file:///x',
    'changetype: modify\nreplace: mail\nmail: eve@example.org\n-',
  ])('ends the run at a change of an entry in the file: %s', async (change) => {
    const users = `dn: uid=ada, dc=example\nuid: ada\nsn: X\n\ndn:: VUlEPWFkYSxkYz1leGFtcGxl\n${change}\n`;
    await expect(runTable({ provider: 'openldap', users })).rejects.toThrow(
      /^users: line 5: it changes UID=ada,dc=example \(\w+\), which is in the file before it$/,
    );
  });
});

const entry = (uid: string, more = `userPassword: {CRYPT}${bcrypt}\n`) =>
  `dn: uid=${uid},dc=example\nobjectClass: inetOrgPerson\nuid: ${uid}\nsn: X\nmail: ${uid}@example.org\n${more}`;
const [ada, eve, bob] = [entry('ada'), entry('eve', ''), entry('bob')];

it.each([
  ['no blank line', `${eve}${ada}${bob}`, ['eve', 'ada', 'bob'], []],
  ['a blank in the blank line', `${ada} \n${eve} \n${bob}`, ['ada', 'eve', 'bob'], []],
  ['two files in one', `version: 1\n${ada}\ufeffversion: 1\n\n${bob}`, ['ada', 'bob'], []],
  [
    'two files in one, without the end of a line',
    `${eve}description: x${ada}\n${bob}`,
    ['bob'],
    ['line 1: the next entry begins in the line of description; it holds uid=ada, too'],
  ],
  [
    'neither the blank line nor the dn',
    `${eve}${ada.replace(/^dn.*\n/, '')}\n${bob}`,
    ['bob'],
    ['line 1: two entries run together: an empty line and a dn are missing between them'],
  ],
  [
    'the end of one entry and the start of the next',
    `${eve}uid: ada\nuserPassword: {CRYPT}${bcrypt}\n\n${bob}`,
    ['bob'],
    ['line 1: two entries run together: an empty line and a dn are missing between them'],
  ],
  [
    'a line without a colon',
    `${ada}\n${eve}userPassword\n\n${bob}`,
    ['ada', 'bob'],
    ['line 8: one of its lines is not an attribute with a value'],
  ],
  [
    'broken base64',
    `${ada}\n${eve}userPassword:: e1NTSEF\n\n${bob}`,
    ['ada', 'bob'],
    ['line 8: the base64 of userPassword is broken'],
  ],
  [
    'a value in another file',
    `${ada}\n${eve}userPassword:< file:///tmp/x\njpegPhoto:< file:///tmp/y\n\n${bob}`,
    ['ada', 'bob'],
    ['line 8: the value of userPassword is in another file'],
  ],
  [
    'a carriage return',
    `${ada}\n${eve.replaceAll('\n', '\r')}\n\n${bob}`,
    ['ada', 'bob'],
    ['line 8: the value of dn holds a NUL or a carriage return'],
  ],
  [
    'a blank line inside',
    `${eve}\nuserPassword: {CRYPT}${bcrypt}\n\n userPassword: x\n\n${bob}`,
    ['eve', 'bob'],
    ['line 7: the entry does not begin with a dn', 'line 9: the entry does not begin with a dn'],
  ],
])('a damaged LDIF entry is rejected alone: %s', async (_name, users, taken, problems) => {
  const result = await runTable({ provider: 'ldif', users });
  expect(rejections(result)).toEqual(problems.map((problem) => `record:not-json: ${problem}`));
  expect(result.hashes).toEqual(
    Object.fromEntries(taken.map((uid) => [uid, uid === 'eve' ? undefined : bcrypt])),
  );
});

it('several values of one password cause a note about the dropped ones', async () => {
  const user = (uid: string, ...passwords: readonly string[]) =>
    [
      `dn: uid=${uid},dc=example`,
      'objectClass: inetOrgPerson',
      `uid: ${uid}`,
      'sn: Example',
      `mail: ${uid}@example.org`,
      ...passwords.map((password) => `userPassword: ${password}`),
    ].join('\n');
  const ssha = '{ssha}W6ph5Mm5Pz8GgiULbPgzG37mj9g4MVKP';
  const users = `${user('ada', ssha, `{CRYPT}${bcrypt}`)}\n\n${user('bob', `{CRYPT}${bcrypt}`)}\n\n${user('cyd', ssha)}\n`;
  const result = await runTable({ provider: 'ldif', users });
  expect(result.hashes).toEqual({ ada: bcrypt, bob: bcrypt, cyd: undefined });
  const notes = [...result.tally.reasons].filter(([code]) => code.startsWith('password:'));
  expect(Object.fromEntries(notes)).toMatchObject({ 'password:extra': 1 });
});

describe('YAML', () => {
  const own = 'idport: 1\nuser: { userName: login, email: email }\n';
  const [ada, bob] = ['ada', 'bob'].map((login) => `login: ${login}\n  email: ${login}@example.org`);
  it.each([
    ['a list', `- ${ada}\n- ${bob}\n`],
    ['several documents', `---\n- ${ada}\n---\n- ${bob}\n`],
    ['a document for each user', `---\n${ada}\n---\n${bob}\n`.replaceAll('\n  ', '\n')],
  ])('is read as %s', async (_name, users) => {
    const result = await runTable({ users, map: own });
    expect(result.users.map(({ user }) => user.userName)).toEqual(['ada', 'bob']);
  });

  it('keeps numbers as written, with leading zeros, plus signs and all digits', async () => {
    const logins = ['0123', '+4179', '9007199254740993', '1e5', '7'];
    const users = logins.map((login) => `- login: ${login}\n  email: a@example.org\n`).join('');
    const { users: found } = await runTable({ users, map: own });
    expect(found.map(({ user }) => user.userName)).toEqual(logins);
  });

  it('is refused with the line of the error', async () => {
    const run = runTable({ users: `- login: ada\n- login: bob\n x: [\n`, map: own });
    await expect(run).rejects.toThrow(/^users:3:\d+ \(byte \d+\): invalid YAML$/);
  });

  it('is read from the list of the mapping, or the only list of a joined table', async () => {
    const users = `issuer: x\npasswords:\n- { login: ada, email: ada@example.org }\n`;
    const secrets = 'secrets:\n- { user: ada, secret: JBSWY3DPEHPK3PXP }\n';
    const own = `idport: 1\nsource: { format: yaml, list: passwords }\ntables: { factors: { key: user, on: login } }\nuser: { userName: login, email: email, otp: { from: factors.secret } }\n`;
    const result = await runTable({ users, map: own, tables: { factors: secrets } });
    expect(result.users.map(({ user }) => user['otpCode'])).toEqual(['JBSWY3DPEHPK3PXP']);
  });
});

it.each([
  ['XML', '<?xml version="1.0"?><a/>', /it is XML/],
  ['an Excel workbook', 'PK\u0003\u0004\u0014\0\u0006\0', /Excel workbook/],
  ['lines that end with CR alone', 'id,email\r1,a@example.org\r', /CR only/],
  ['BSON', 'A\u0001\0\0\u0007_id\0abcdefghijkl', /BSON/],
  ['Parquet', 'PAR1\u0015\u0004', /Parquet/],
  ['a custom dump', 'PGDMP\u0001', /custom format of pg_dump/],
  ['SQLite', 'SQLite format 3\0', /a database of SQLite/],
  ['a tar archive', `users.sql${'\0'.repeat(248)}ustar`, /a tar archive/],
  [
    'JSON of phpMyAdmin',
    '[\n{"type":"header","version":"5.2.1","comment":"Export to JSON plugin for PHPMyAdmin"},',
    /JSON of phpMyAdmin/,
  ],
  ['a JSON text sequence', '\u001e{"id":1}\n', /JSON with separators/],
  ['psql -x', '-[ RECORD 1 ]\nid | 1\n', /a table drawn for the screen/],
  ['mysql -E', `${'*'.repeat(27)} 1. row ${'*'.repeat(27)}\nid: 1\n`, /a table drawn for the screen/],
  ['sqlite3 -line', '  id = 1\nname = ada\n', /a table drawn for the screen/],
  ['sqlite3 -box', '┌────┬──────┐\n│ id │ name │\n', /a table drawn for the screen/],
  ['Markdown', '| id | name |\n|----|------|\n| 1  | ada  |\n', /a table drawn for the screen/],
])('%s is refused by name', async (_name, users, message) => {
  await expect(runTable({ users, map })).rejects.toThrow(message);
});

it('many blank lines are recognised in linear time', async () => {
  await expect(runTable({ users: `${'\n'.repeat(60_000)}email`, map })).resolves.toBeDefined();
});

it.each([
  ['ldif', 'dn: uid=ada\nobjectClass: person\nuid: ada\nsn: \u00eb\nmail: ada@example.org\n'],
  ['json', '- id: 1\n  login: ada\n  email: ada@example.org\n  name: \u00eb\n'],
])('bytes that are not UTF-8 end the run: %s', async (provider, users) => {
  const run = runTable({
    provider,
    users: Buffer.from(users, 'latin1'),
    ...(provider === 'ldif' ? {} : { map }),
  });
  await expect(run).rejects.toThrow(/^users:4:\d+ \(byte \d+\): the bytes here are not UTF-8$/);
});
