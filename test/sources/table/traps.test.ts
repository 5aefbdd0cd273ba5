/** What databases and spreadsheets really write, where a reader goes wrong without a word. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { samplePath } from '../../support/samples.ts';
import { rejections, runTable, type TableRun } from '../../support/table-run.ts';

const map = `idport: 1
source: { columns: optional }
user: { id: id, userName: login, email: email, displayName: name, metadata: { extra: extra } }
`;

/** What is read of the only user, by name and metadata. */
async function readOne(run: TableRun): Promise<readonly unknown[]> {
  const { users, metadata } = await runTable({ map, ...run });
  expect(users).toHaveLength(1);
  const { displayName } = users[0]!.user['profile'] as { displayName?: string };
  return [displayName, metadata['extra']];
}

const titles = 'id,login,email,name,extra\n';
const insert = (name: string, extra = 'NULL'): string =>
  `INSERT INTO users (id, login, email, name, extra) VALUES (1, 'ada', 'ada@example.org', ${name}, ${extra});\n`;

it.each([
  [
    'psql: a line end and doubled quotes in a cell',
    'csv',
    `${titles}1,ada,ada@example.org,"A ""B""\nC","{""a"":1}"\n`,
    ['A "B"\nC', '{"a":1}'],
  ],
  ['psql: nothing and the empty text', 'csv', `${titles}1,ada,ada@example.org,,""\n`, [undefined, undefined]],
  [
    'mysqldump: a comment for some versions, blobs in hex',
    'sql',
    `/*!40000 ALTER TABLE users DISABLE KEYS */;\n${insert("_binary 'Ada'", '0x616263')}`,
    ['Ada', 'abc'],
  ],
  [
    'mysqldump: quotes doubled and with a backslash',
    'sql',
    `-- MySQL dump 10.13\nINSERT INTO \`users\` (\`id\`, \`login\`, \`email\`, \`name\`) VALUES (1,'ada','ada@example.org','O\\'B''C \\"D\\" \\\\');\n`,
    ['O\'B\'C "D" \\', undefined],
  ],
  [
    'SQLite: a blob, and a line end as an expression',
    'sql',
    insert("replace('A\\nB','\\n',char(10))", "X'616263'"),
    ['A\nB', 'abc'],
  ],
  [
    'pg_dump --inserts: a backslash is a letter, but not after E',
    'sql',
    `-- PostgreSQL database dump\n${insert("'A\\tB'", "E'a\\tb'")}`,
    ['A\\tB', 'a\tb'],
  ],
  [
    'Excel: a mark, semicolons and decimal commas',
    'csv',
    `\ufeff${titles.replaceAll(',', ';')}1;ada;ada@example.org;Ada;1,5\r\n`,
    ['Ada', '1,5'],
  ],
] as const)('%s', async (_name, provider, users, expected) => {
  expect(await readOne({ provider, users })).toEqual(expected);
});

it('Excel: an id in the form of an exponent is no id, also with a decimal comma', async () => {
  const users = `${titles.replaceAll(',', ';')}1,08E+20;ada;ada@example.org;Ada;\n`;
  expect(rejections(await runTable({ users, map }))).toEqual([
    expect.stringMatching(/the id 1,08E\+20 was rounded by a spreadsheet/),
  ]);
});

const django = (name: string): string | undefined => samplePath(`django/generated-dumpdata${name}.json`);

it.skipIf(django('') === undefined)(
  'Django: keys and natural keys give the same users (needs the samples)',
  async () => {
    const [byKey, natural] = await Promise.all(
      ['', '-natural'].map(async (name) => {
        const flags = { emailFallback: 'placeholder', emailDomain: 'example.org' };
        const { users } = await runTable({ provider: 'django', users: readFileSync(django(name)!), flags });
        return users.map(({ user }) => user);
      }),
    );
    expect(natural).toEqual(byKey);
  },
);
