import { describe, expect, it } from 'vitest';
import { textsOf, runProgram } from '../../support/workspace.ts';
import { createTestFolder } from '../../support/folder.ts';
import { runTable } from '../../support/table-run.ts';

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
});

describe('joined tables', () => {
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
      [
        /rows of joined tables, if any are in it, are left out: meta \(second factors, who is blocked\)\. Give the users/,
      ],
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
});

it('many blank lines are recognised in linear time', async () => {
  await expect(runTable({ users: `${'\n'.repeat(60_000)}email`, map })).resolves.toBeDefined();
});
