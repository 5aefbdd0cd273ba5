/** What databases write of values that are hard to write: by sqlite3 itself where it is installed, else as it was written once. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { openSql } from '../../../src/sources/table/forms/sql.ts';
import { memoryInput } from '../../support/memory-input.ts';
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

it('joined tables are refused with more than 2000 rows per key', async () => {
  const nested = `${map}tables:
  seats: { key: holder, many: true }
  team: { from: teams, key: id, on: team_id, into: seats }
`;
  const users = "INSERT INTO users (id, email) VALUES (1, 'a@example.org');\n";
  const seats = 'INSERT INTO seats (holder, team_id) VALUES (1, 7);\n';
  const teams = "INSERT INTO a.teams (id, title) VALUES (7, 'seven');\n";
  await expect(readDump(users + seats + teams.repeat(2001), nested)).rejects.toMatchObject({
    code: 'input:too-many-rows',
    message: 'team: more than 2000 rows belong to one row of seats',
  });
  await expect(readDump(users + seats.repeat(2001), nested)).rejects.toThrow(
    'seats: more than 2000 rows belong to one user',
  );
});

const insert = (value: string) => `INSERT INTO users (id, email, v) VALUES (1, '1@example.org', ${value});\n`;

it('a dump with many unclosed tables is read once', async () => {
  const open = 'CREATE TABLE a (\n'.repeat(20_000);
  await expect(readDump(open)).rejects.toThrow('it ends in the middle of');
  expect(idsIn((await readDump(`${open};\n${insert("'x'")}`)).users)).toEqual(['1']);
});

it.each([
  [`${'_a '.repeat(100_000)}'a'`, undefined],
  [`'a'${"||''".repeat(200_000)}||'b' || 'c'`, 'abc'],
])('the long value %# of a dump is read', async (value, text) => {
  expect((await readDump(insert(value))).metadata['v']).toBe(text);
});

it('the head of a dump is decoded once, however many statements follow', async () => {
  let reads = 0;
  const text = insert("'x'").repeat(1000);
  const input = memoryInput('users', text);
  const request = {
    input,
    source: {},
    named: new Set(['id', 'email']),
    table: undefined,
    notify: () => {},
    blocks: input.blocks(),
    get head() {
      reads++;
      return Buffer.from(text);
    },
  };
  for await (const batch of openSql(request).batches) expect(batch).toMatchObject({ form: 'values' });
  expect(reads).toBe(1);
});
