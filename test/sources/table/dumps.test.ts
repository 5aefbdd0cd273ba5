/** What databases write of values that are hard to write: by sqlite3 itself where it is installed, else as it was written once. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { codesOf, textsOf } from '../../support/desk.ts';
import { runTable, type TableResult, type TableRun } from '../../support/table-run.ts';

const map = `
idport: 1
source: { columns: optional, table: users }
user: { id: id, email: email, metadata: { '*': rest } }
`;

const readDump = (users: TableRun['users'], mapping = map) =>
  runTable({ provider: 'sql', users, map: mapping });
const idsIn = (users: TableResult['users']) => users.map(({ userId }) => userId);

const values = [
  "o'brien",
  'quote " double',
  'back\\slash',
  'line\nfeed',
  'tab\tand\rreturn',
  'NULL',
  '\\N',
  'a\\nb',
  'semi;colon); DROP',
  '-- comment',
  '/* c */',
  'ünïcødé 🙂 \u2028',
  "\\'",
  'ends with \\',
  "E'x'",
  '{"a": "b\\n"}',
  '\\.',
  'INSERT INTO users VALUES (1);',
  "replace('a',char(10))",
];
const expected = Object.fromEntries(values.map((value, at) => [`c${at}`, value]));
const columns = Object.keys(expected);

const hasSqlite = spawnSync('sqlite3', ['--version']).status === 0;

describe.skipIf(!hasSqlite)('a dump of the installed sqlite3 (needs sqlite3)', () => {
  const made = [
    `CREATE TABLE users(id integer primary key, email text, ${columns.map((column) => `${column} text`).join(', ')}, b blob, n text, g text GENERATED ALWAYS AS (upper(email)) STORED, h text AS (lower(email)));`,
    `INSERT INTO users(id,email,${columns.join(',')},b) VALUES (1,'a@example.org',${values.map((text) => `'${text.replaceAll("'", "''")}'`).join(',')},x'00ff5c27');`,
  ].join('\n');

  it.each([
    '.dump',
    '.dump --newlines',
    '.dump --preserve-rowids',
    '.headers on\n.mode insert users\nselect * from users;',
  ])('is read to its end: %s', async (command) => {
    const { stdout } = spawnSync('sqlite3', [':memory:'], { input: `${made}\n${command}\n` });
    const { users, metadata } = await readDump(stdout);
    expect(idsIn(users)).toEqual(['1']);
    expect(metadata).toMatchObject({ ...expected, b: '00ff5c27' });
    expect(metadata).not.toHaveProperty('n');
  });
});

it.each([
  [
    'SQLite',
    "CREATE TABLE users(id int, g text AS (upper(email)), email text DEFAULT 'x as (y)', v text);\n",
  ],
  [
    'MySQL',
    'CREATE TABLE `users` (`id` int, `g` text GENERATED ALWAYS AS (upper(`email`)) STORED, `email` text, `v` text);\n',
  ],
  ['Postgres', 'CREATE TABLE users (id int GENERATED ALWAYS AS IDENTITY (START 1), email text, v text);\n'],
])('generated columns are not expected in the rows of %s', async (_database, create) => {
  const table = create.includes('`') ? '`users`' : 'users';
  const dump = `${create}INSERT INTO ${table} VALUES(1,'a@example.org','x');\n`;
  const { users, metadata } = await readDump(dump);
  expect(idsIn(users)).toEqual(['1']);
  expect(metadata).toEqual({ v: 'x' });
});

it('column names in capitals of H2 and Oracle match the mapping', async () => {
  const dump = `CREATE CACHED TABLE "PUBLIC"."USERS"("ID" INT, "EMAIL" VARCHAR(50), "V" VARCHAR(5));\nINSERT INTO "PUBLIC"."USERS" VALUES\n(7, 'a@example.org', 'x');\n`;
  const { users, metadata } = await readDump(dump);
  expect(idsIn(users)).toEqual(['7']);
  expect(metadata).toEqual({ V: 'x' });
  const csv = await runTable({ provider: 'csv', users: 'ID,EMAIL,V\n8,b@example.org,y\n', map });
  expect(idsIn(csv.users)).toEqual(['8']);
});

describe('bytes of a binary column in a dump of mysqldump without --hex-blob', () => {
  const dump = (id: Buffer | string) =>
    Buffer.concat([
      Buffer.from("-- MySQL dump 10.13\nINSERT INTO `users` (`id`,`email`,`v`,`b`) VALUES (_binary '"),
      Buffer.from(id),
      Buffer.from("','ä@example.org','é',_binary '\\0"),
      Buffer.from([0xff, 0xfe]),
      Buffer.from("\\'');\n"),
    ]);

  it('are dropped if no field uses them', async () => {
    const { users, metadata } = await readDump(dump('1'));
    expect(idsIn(users)).toEqual(['1']);
    expect(metadata).toEqual({ v: 'é' });
  });

  it('end the run if a field uses them', async () => {
    await expect(readDump(dump(Buffer.from([0x61, 0xc3])))).rejects.toMatchObject({
      message: /the column id holds bytes that are not UTF-8/,
      hint: /--hex-blob/,
    });
  });
});

it('tables with rows that the mapping does not name are reported', async () => {
  const dump =
    'COPY users (id, email) FROM stdin;\n1\ta@example.org\n\\.\nCOPY empty (v) FROM stdin;\n\\.\n' +
    'COPY logins (user_id, provider) FROM stdin;\n1\tx\n\\.\nCOPY public.posts (v) FROM stdin;\n1\n\\.\n';
  const joining = `${map}tables: { logins: { key: user_id, many: true } }\n`;
  const result = await readDump(dump, joining);
  expect(textsOf(result, 'map:unused-table')).toEqual([
    'users: tables that the mapping does not name: public.posts',
  ]);
});

it.each([
  ['mysqldump --compatible=ansi', '-- MariaDB dump 10.19\nINSERT INTO "users"'],
  ['mysqldump --skip-quote-names', '-- MariaDB dump 10.19\nINSERT INTO users'],
  ['a backtick alone', "INSERT INTO `logs` (`v`) VALUES ('it\\'s'),(';');\nINSERT INTO `users`"],
])('backslashes are escapes in a MySQL dump, recognised by %s', async (_name, start) => {
  const dump = `${start} (id, email, v) VALUES (1,'a@example.org','o\\'brien \\\\ \\n');\n`;
  const { metadata } = await readDump(dump);
  expect(metadata).toEqual({ v: "o'brien \\ \n" });
});

describe('a nested joined table', () => {
  const nested = `${map.replace('columns: optional, ', '').replace('user: {', 'user: { roles: { from: { all: { of: seats, take: team.title } } },')}tables:
  seats: { key: holder, many: true }
  team: { from: teams, key: id, on: team_id, into: seats }
`;
  const users = "INSERT INTO users (id, email, v, team_ids) VALUES (1, 'a@example.org', 'x', '');\n";
  const seats = 'INSERT INTO seats (holder, team_id) VALUES (1, 7);\n';
  const teams = "INSERT INTO a.teams (id, title) VALUES (7, 'seven');\n";

  it('joins on a column of its parent table, in any order', async () => {
    const result = await readDump(users + seats + teams, nested);
    expect(result.tally.reasons.get('role:not-migrated')).toBe(1);
    expect(codesOf(result)).not.toContain('map:unknown-column');
  });

  it('does not hide a user column of the same name', async () => {
    const rows = users.replace('team_ids', 'team');
    const mapping = nested.replace(", metadata: { '*': rest }", '');
    const result = await readDump(rows + seats + teams, mapping);
    expect(textsOf(result, 'map:unused-column')).toEqual([/: .*\bteam\b/]);
  });

  it('is reported as missing if its parent has rows', async () => {
    const [text] = textsOf(await readDump(users + seats, nested), 'map:no-rows');
    expect(text).toContain('No row of team was found');
  });

  it.each([teams, teams.replace('a.teams', 'squads')])('is found in its own dump: %s', async (rows) => {
    const other =
      rows === teams ? 'INSERT INTO logs (id, holder, title, team_id) VALUES (8, 1, 2, 3);\n' : '';
    const tables = { team: other + rows };
    const result = await runTable({ provider: 'sql', users: users + seats, map: nested, tables });
    expect(result.tally.reasons.get('role:not-migrated')).toBe(1);
  });

  it('is refused if two tables match', async () => {
    const dump = users + seats + teams + teams.replace('a.', 'b.');
    await expect(readDump(dump, nested)).rejects.toMatchObject({
      message: 'users: both a.teams and b.teams may be the table teams',
      hint: expect.stringContaining('from, in tables'),
    });
  });

  it('is refused with more than 2000 rows per key', async () => {
    const dump = users + seats + teams.repeat(2001);
    await expect(readDump(dump, nested)).rejects.toMatchObject({
      code: 'input:too-many-rows',
      message: 'team: more than 2000 rows belong to one row of seats',
    });
  });

  it('is refused if its parent is a pivot', async () => {
    const wrong = nested.replace('many: true', 'pivot: { name: team_id, value: team_id }');
    await expect(readDump(users, wrong)).rejects.toThrow('no value in pivot');
  });

  it.each(['team', 'none', 'toString'])('is refused if its parent is %s', async (name) => {
    const wrong = nested.replace('into: seats', `into: ${name}`);
    await expect(readDump(users, wrong)).rejects.toThrow('into names a table');
  });
});

it('joined tables in the user rows cause no notice', async () => {
  const map = `idport: 1
user: { id: id, email: email, links: { each: s, alias: kind, externalUserId: uid } }
tables: { s: { key: user_id, many: true } }
password: { none: there are none }
`;
  const row = { id: 1, email: 'a@example.org', s: [{ kind: 'google', uid: 'g1' }] };
  const fixed = { 'idport:rejected': { code: 'x' }, ...row };
  const flags = { idp: 'google=77' };
  for (const users of [row, fixed].map((one) => JSON.stringify(one))) {
    const { events, users: made } = await runTable({ provider: 'csv', users, map, flags });
    expect(codesOf({ events })).not.toContain('map:no-rows');
    expect(made[0]?.user['idps']).toHaveLength(1);
  }
});

const insert = 'INSERT INTO users (id, email, v) VALUES ';
const row = (id: number | string, v = "'x'") => `(${id}, '${id}@example.org', ${v})`;
const idsOf = async (users: string, source = map) => idsIn((await readDump(users, source)).users);

describe('a statement of a dump', () => {
  it.each([
    ['comments between rows', `${insert}${row(1)}, -- one's\n${row(2)} /* it's */, ${row(3)};\n`, 3],
    ['a comment in a comment', `${insert}${row(1)};\n/* /* x */ ${insert}${row(2)}; y */`, 1],
    ['a comment of MySQL', `-- MySQL dump\n${insert}${row(1)}, # one's\n${row(2)};\n`, 2],
    ['comments inside of a row', `${insert}(1, /* ' */ 'a@example.org', -- )\n 'x'),${row(2)};`, 2],
    ['a clause', `${insert}${row(1)} ON CONFLICT (id) DO NOTHING; ${insert}${row(2)} RETURNING id;`, 2],
    ['REPLACE', `REPLACE INTO users (id, email, v) VALUES ${row(1)};`, 1],
    ['INSERT OR REPLACE', `INSERT OR REPLACE INTO users (id, email) VALUES (1,'a@example.org');\n`, 1],
    [
      'modifiers',
      `INSERT LOW_PRIORITY IGNORE INTO users (id, email, v) VALUES ${row(1)};REPLACE DELAYED users (id, email, v) VALUE ${row(2)};`,
      2,
    ],
    [
      'INSERT ALL',
      `INSERT ALL INTO users (id, email, v) VALUES ${row(1)} INTO users (id, email, v) VALUES ${row(2)} SELECT * FROM dual;\n`,
      2,
    ],
    ['statements after others in their line', `BEGIN; ${insert}${row(1)}; IF x ${insert}${row(2)}`, 2],
    ['no semicolons', `USE app\nGO\n${insert}${row(1)}\n${insert}${row(2)}\nGO\n`, 2],
    ['a body in dollars', `CREATE FUNCTION f() AS $b$\n${insert}${row(1)};\n$b$;\n${insert}${row(2)};\n`, 1],
    [
      'a trigger',
      `CREATE TRIGGER t AFTER INSERT ON x BEGIN\n${insert}${row(1)};\nEND;\n${insert}${row(2)};`,
      1,
    ],
    [
      'a routine of MySQL',
      `-- MySQL dump\nSET x = 1;\nDELIMITER ;;\n${insert}${row(1)};;\nDELIMITER ;\n${insert}${row(2)};`,
      1,
    ],
    ['an INSERT without its table', `${insert}${row(1)};\nINSERT INTO\n${insert}${row(2)};`, 2],
    ['an INSERT of another word', `${insert}${row(1)};\nINSERT x\n${insert}${row(2)};`, 2],
    ['DELETE without a semicolon', `SET x = 1;\nDELETE FROM log\n${insert}${row(2)};`, 1],
    ['a text', `INSERT INTO log (x) VALUES ('\n${insert}${row(1)};\n');\n${insert}${row(2)};`, 1],
    [
      'lines of SQL*Plus',
      `REM it's\nSET DEFINE OFF;\n${insert}${row(1)};\n/\nPROMPT it's\n${insert}${row(2)};`,
      2,
    ],
  ])('is read to its end: %s', async (_name, users, count) => {
    expect(await idsOf(users)).toHaveLength(count);
  });

  it.each([
    ['a word', `${insert}${row(1)}\nfoo ${row(2)};`, /line 2: a row is followed by FOO/],
    ['a bracket', `${insert}${row(1)}), ${row(2)};`, /line 1: a row is followed by "\)"/],
    ['no comma', `${insert}${row(1)} ${row(2)};`, /a row is followed by "\("/],
    ['two commas', `${insert}${row(1)},,${row(2)};`, /a row is expected after a comma/],
    ['USE', `${insert}${row(1)}\nUSE other;, ${row(2)};`, /line 2: no statement begins with ,/],
    ['a semicolon', `${insert}${row(1)};, ${row(2)};`, /line 1: no statement begins with ,/],
    ['GO in the line', `${insert}${row(1)}\nGO, ${row(2)};\n`, /line 2: a row is followed by GO/],
    [
      'the end of a COPY',
      `COPY users (id, email) FROM stdin;\n1\ta\n\\.\nb\tb\n\\.\n`,
      /line \d: the rows of a COPY end here/,
    ],
    [
      'a quote before it',
      `${insert}${row(1)};\n'x\n${insert}${row(2)};`,
      /line 2: no statement begins with '/,
    ],
    [
      'a broken word',
      `${insert}${row(1)};\nINSER INTO users VALUES ('x, ('2');\n${insert}('2', 'b');`,
      /line \d: a quote before it is not closed, or one too many/,
    ],
    ['UNION', `${insert}${row(1)} UNION ${row(2)};`, /a row is followed by UNION/],
    [
      'SELECT',
      `INSERT INTO users (id, email) SELECT 1, 'a' UNION SELECT 2, 'b';`,
      /an INSERT without VALUES/,
    ],
    ['SET', `INSERT INTO users SET id = 1, email = 'a';`, /an INSERT without VALUES/],
    ['COPY from a file', `COPY users (id, email) FROM '/tmp/x';`, /the rows of users are in another file/],
    [
      'LOAD DATA',
      `${insert}${row(1)};\nLOAD DATA LOCAL INFILE '/tmp/x' INTO TABLE users FIELDS TERMINATED BY ',';`,
      /line \d: the rows of users are in another file/,
    ],
    ['BULK INSERT', `${insert}${row(1)};\nBULK INSERT users FROM 'x' WITH (KEEPNULLS);`, /in another file/],
    ['.import', `${insert}${row(1)};\n.import --csv x.csv users\n`, /no statement begins with \./],
    [
      'an open comment',
      `${insert}${row(1)};\n/* a /* b */ ${insert}${row(2)};`,
      /it ends in the middle of a/,
    ],
    [
      'COPY as CSV',
      `COPY users (id, email) FROM stdin WITH (FORMAT csv);\n1,a\n\\.\n`,
      /not in the format text/,
    ],
    ...[
      ['TRUNCATE', 'TRUNCATE TABLE audit, users;'],
      ['WITH', 'WITH old AS (SELECT id FROM audit WHERE x)\nDELETE FROM users USING old;'],
      ['DELETE', 'DELETE u FROM users AS u JOIN audit a ON a.id = u.id;'],
      ['DO', 'DO $x$ BEGIN\n  DELETE FROM users WHERE id = 1;\nEND $x$;'],
      ['INSERT OVERWRITE', 'INSERT OVERWRITE TABLE users VALUES (1);'],
      ['DROP', 'DROP TABLE IF EXISTS users;'],
      ['ROLLBACK', 'ROLLBACK TO SAVEPOINT a;'],
      ['UPDATE', 'UPDATE audit a JOIN users u ON u.id = a.id SET u.email = a.email;'],
    ].map(([verb, text]): [string, string, RegExp] => [
      `rows that ${verb} changes`,
      `${insert}${row(1)};\n${text}`,
      new RegExp(`${verb} changes rows of users`),
    ]),
    [
      'rows that psql copies from a file',
      `${insert}${row(1)};\n\\copy users from 'x.csv'\n`,
      /in another file/,
    ],
    [
      'rows by another name',
      `INSERT INTO public.users (id) VALUES (1);\nDELETE FROM Users WHERE id = 1;`,
      /line 2: DELETE changes rows of Users/,
    ],
    [
      'a comment that MySQL runs',
      `${insert}${row(1)};\n/*!50000 ${insert}${row(2)} */;`,
      /no statement begins with \//,
    ],
    ...[
      'INS',
      'INSERT',
      'INSERT INTO users_o',
      'INSERT INTO b VALUES ',
      `${insert}(2, 'b@example.org', 12`,
    ].map((cut): [string, string, RegExp] => [
      `it was cut off in ${cut}`,
      `${insert}${row(1)};\n${cut}`,
      /line \d: it ends in the middle of a row or a statement/,
    ]),
    [
      'a row that MySQL reads in a comment',
      `-- MySQL dump\n${insert}${row(1)} /*!50000 ,${row(2)} */;`,
      /a row is followed by "\/"/,
    ],
    ['an end', `-- MySQL dump\n${insert}${row(1)},${row(2)}`, /it ends in the middle of a/],
    ['an open text', `${insert}${row(1)};\nSET x = 'y;\n${insert}${row(2)};`, /it ends in the middle of a/],
    ['an open body', `CREATE TRIGGER t BEGIN\n${insert}${row(1)};`, /it ends in the middle of a/],
    [
      'two schemas',
      `INSERT INTO a.users (id) VALUES (1);INSERT INTO b.users (id) VALUES (2);`,
      /both a.users and b.users/,
    ],
    [
      'two cases',
      `INSERT INTO users (id) VALUES (1);INSERT INTO "Users" (id) VALUES (2);`,
      /both users and Users/,
    ],
    [
      'backslashes of PostgreSQL',
      `SET standard_conforming_strings = off;\n${insert}(1, 'a@example.org', 'a\\\\b');`,
      /line 2: its texts have backslashes as escapes/,
    ],
    [
      'a function',
      `${insert}(NEXTVAL('users_id'), 'a@example.org', 'x');`,
      /the column id holds NEXTVAL, which only/,
    ],
    [
      'an expression',
      `${insert}(1 + 1, 'a@example.org', 'x');`,
      /the column id holds an expression, which only/,
    ],
  ])('ends the run if it cannot be read: %s', async (_name, users, message) => {
    await expect(idsOf(users)).rejects.toThrow(message);
  });

  it.each([
    ['an INSERT', `${insert}${row(1)};\n${insert.replace('users', 'accounts')}${row(2)};`],
    ['a COPY', `${insert}${row(1)};\nCOPY accounts (id, email, v) FROM stdin;\n2\tb@example.org\tx\n\\.\n`],
  ])('ends the run if a second table may hold users and none is named: %s', async (_, users) => {
    for (const source of ['', "source: { table: 'users|accounts' }\n"])
      await expect(idsOf(users, map.replace(/^source:.*\n/m, source))).rejects.toThrow(
        'may be the table of the users',
      );
    await expect(idsOf(users)).resolves.toEqual(['1']);
  });

  it('without rows in COPY is not a table of users', async () => {
    const copy = (table: string, rows: string) => `COPY ${table} (id, email, v) FROM stdin;\n${rows}\\.\n`;
    const dump = copy('a.accounts', '') + copy('users', '1\ta@example.org\tx\n') + copy('b.users', '');
    await expect(idsOf(dump, map.replace(/^source:.*\n/m, ''))).resolves.toEqual(['1']);
  });

  it('with many unclosed tables is read once', async () => {
    const open = 'CREATE TABLE a (\n'.repeat(20_000);
    await expect(idsOf(open)).rejects.toThrow('it ends in the middle of');
    await expect(idsOf(`${open};\n${insert}${row(1)};`)).resolves.toEqual(['1']);
  });
});

it.each([
  ["unistr('Zo\\u00eb\\u000a\\\\')", 'Zo\u00eb\n\\'],
  ["UNISTR('Zo\\00eb')", 'Zo\u00eb'],
  ["U&'Zo\\00eb \\+01F642'", 'Zo\u00eb \u{1f642}'],
  ["STRINGDECODE('Zo\\u00eb\\n')", 'Zo\u00eb\n'],
  ["CONCAT('a', 'b')", 'ab'],
  ["'a' || CHR(10) || 'b'", 'a\nb'],
  ["replace(replace('a\\rb\\n','\\r',char(13)),'\\n',char(10))", 'a\rb\n'],
  ["CAST(N'a' AS NVarChar(10))", 'a'],
  ["CONVERT(datetime, '2020-01-01', 121)", '2020-01-01'],
  ["TO_DATE('2020-01-01', 'YYYY-MM-DD')", '2020-01-01'],
  ["TIMESTAMP WITH TIME ZONE '2020-01-01'", '2020-01-01'],
  ["'a'::character varying(20)", 'a'],
  ["E'a\\nb'", 'a\nb'],
  ["q'[it's]' || TO_CLOB(nQ'!(b''!')", "it's(b''"],
  ["'a\\nb'", 'a\\nb'],
  ["X'616263'", 'abc'],
  ["X'01'", '1'],
  ['0x00', '0'],
  ['0x5A6FC3AB', 'Zoë'],
  ['0x00ff', '00ff'],
  ["'\u0001'", '1'],
  ["(('a'))", 'a'],
  ['"a"', 'a'],
  ['-1.5e3', '-1.5e3'],
  ['NOW()', undefined],
  ['gen_random_uuid()', undefined],
  ['x', undefined],
  [`${'('.repeat(1000)}1${')'.repeat(1000)}`, undefined],
  ["_utf8mb4 'a'", 'a'],
  [`${'_a '.repeat(100_000)}'a'`, undefined],
  [`'a'${"||''".repeat(200_000)}||'b' || 'c'`, 'abc'],
  ["'a' || b || 'c'", undefined],
])('the value %# of a dump is read', async (value, text) => {
  const { metadata } = await readDump(`${insert}${row(1, value)};\nCOMMENT ON TABLE t IS q'<o'x>';\n`);
  expect(metadata['v']).toBe(text);
});
