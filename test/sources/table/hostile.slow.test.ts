import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { rejections, runTable } from '../../support/table-run.ts';

const map = `
idport: 1
source: { columns: optional }
user: { id: id, userName: login, email: email, fullName: name, phone: phone, otp: { from: otp }, metadata: { meta: meta } }
password: { from: hash, format: auto, pepper: none, prehash: none }
`;
const long = 17 * 1024 * 1024;
const insert = "INSERT INTO users (id, login, email, name) VALUES (1, 'ada', 'ada@example.org', '";
const other = '{"id":"2","email":"b@example.org"}';
const entry = 'dn: uid=ada\nid: 1\nlogin: ada\nemail: ada@example.org\n';

it.each([
  ['a cell of CSV', `id,login,email,name\n1,ada,a@example.org,${'x'.repeat(long)}\n`, /line 2 is longer/],
  ['an open quote of CSV', `id,login,email,name\n1,ada,a@example.org,"${'x'.repeat(long)}`, /never closed/],
  ['titles of CSV', `${'c,'.repeat(100_000)}id,email\n`, /titles is longer than 64 KiB/],
  ['a text of SQL', `${insert}${'x'.repeat(long)}');\n`, /longer than 16 MB/],
  ['an open quote of SQL', `${insert}x');\n${insert}${"x''".repeat(long / 3)}`, /longer than 16 MB/],
  ['brackets of SQL', `${insert}x');\n${insert}',${'('.repeat(long)}`, /longer than 16 MB/],
  ['columns of SQL', `INSERT INTO users (${'a,'.repeat(long / 2)}`, /longer than 16 MB/],
  ['a comment of SQL', `${insert}x');\n/*${'x'.repeat(long)}`, /longer than 16 MB/],
  ['a value of LDIF', `${entry}name: ${'x'.repeat(long)}\n\n`, /begins with dn: uid=ada has more than 16 MB/],
  ['values of LDIF', `${entry}${'name: x\n'.repeat(long / 8)}\n`, /more than 16 MB/],
  ['folds of LDIF', `${entry}name: x\n${' x\n'.repeat(long / 2)}\n`, /more than 16 MB/],
  ['YAML', `users:\n  ada:\n    name: ${'x'.repeat(5 * 1024 * 1024)}\n`, /more than 4 MB/],
])('an input that would fill the memory ends in one line: %s', async (_name, users, message) => {
  await expect(runTable({ users: gzipSync(users, { level: 1 }), map })).rejects.toThrow(message);
});

it.each([
  ['a large photo of LDIF', `${entry}jpegPhoto:: ${'A'.repeat(12_000_000)}\n`],
  ['many codes of SQL', `${insert.slice(0, -1)}CHAR(65${',65'.repeat(150_000)}));`],
])('%s is read', async (_name, users) => {
  expect((await runTable({ users: gzipSync(users), map })).users).toHaveLength(1);
});

describe('a long run of one character takes linear time', () => {
  const many = 300_000;
  it.each([' ', '=', '.', '-', '0', '(', '"', '\\', '\n', "'", '<', ':'])(
    'with %j in every field',
    async (letter) => {
      const run = `a${letter.repeat(many)}b`;
      const row = {
        id: '1',
        login: run,
        email: `${run}@example.org`,
        name: run,
        meta: run,
        phone: run,
        otp: run,
        hash: run,
      };
      const result = await runTable({ users: `${JSON.stringify(row)}\n${other}\n`, map });
      expect(result.users.length + rejections(result).length).toBe(2);
    },
  );

  it('with spaces in names of LDIF and options of COPY', async () => {
    const blanks = ' '.repeat(many);
    const ldif = await runTable({
      users: `${entry}name;${blanks}\n\n${entry.replaceAll('ada', 'ben')}`,
      map,
    });
    expect(rejections(ldif)).toEqual([expect.stringContaining('not an attribute with a value')]);
    const copy = `COPY users (id, email) FROM stdin WITH (${blanks}FORMAT csv);\n1,a\n\\.\n`;
    await expect(runTable({ users: copy, map })).rejects.toThrow(/CSV|text/);
  });
});

it('deep nesting rejects only its record', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const result = await runTable({
    users: `{"id":"1","email":"a@example.org","meta":${deep}}\n${other}\n`,
    map,
  });
  // From Node 26 on, JSON of any depth is written.
  const isWritten = Number(process.versions.node.split('.')[0]) >= 26;
  expect(rejections(result)).toEqual(isWritten ? [] : ['record:malformed: meta is nested too deeply']);
  expect(result.users).toHaveLength(isWritten ? 2 : 1);
});

it.each([
  ['templates', `{ template: '${'{n}'.repeat(3000)}' }`],
  ['replacements', `{ from: n, then: [{ replace: [x, ${'y'.repeat(10_000)}] }] }`],
  ['lists', '{ from: n, then: [{ split: x }, trim] }'],
  ['joins', `{ from: l, then: [{ prefix: ${'y'.repeat(10_000)} }, { join: ${'z'.repeat(10_000)} }] }`],
  ['arrays of Postgres', '{ from: p, then: [pg-array] }'],
])('growing %s are truncated', async (_name, value) => {
  const row = {
    id: '1',
    email: 'a@example.org',
    n: 'x'.repeat(1_000_000),
    l: Array.from({ length: 100_000 }, () => 'x'),
    p: `{${'\\"'.repeat(400_000)}\\}`,
  };
  const result = await runTable({
    users: `${JSON.stringify(row)}\n`,
    map: `idport: 1\nuser: { id: id, email: email, nickName: ${value} }\n`,
  });
  expect(result.users).toHaveLength(1);
});

const keys = (write: (key: string) => string) =>
  Array.from({ length: 220_000 }, (_, at) => write(`key${at}`)).join('');
const wide = `{"id":"1","email":"a@example.org"${keys((key) => `,"${key}":1`)}}`;

it.each([
  ['JSON lines', `${wide}\n${other}\n`, /^line 1, byte 0: 220002 values/],
  ['JSON lines, the last', `${other}\n${wide}`, /^line 2, byte \d+: 220002 values/],
  ['a list', `[${other},${wide}]`, /^byte 36: 220002 values/],
  [
    'objects in objects',
    `{"id":"1","meta":${'{"a":'.repeat(220_000)}1${'}'.repeat(220_000)}}\n${other}\n`,
    /line 1, byte 0: 220002 values/,
  ],
  [
    'LDIF',
    `dn: uid=b\nid: 2\nemail: b@example.org\n\ndn: uid=a\nid: 1\n${keys((key) => `${key}: 1\n`)}`,
    /^220002 values/,
  ],
])('a record of more than 200,000 values is rejected alone and named: %s', async (_name, users, text) => {
  const result = await runTable({ users, map });
  expect(rejections(result)).toEqual([new RegExp(`^record:too-large: ${text.source.replace('^', '')}`)]);
});

it('a duplicate YAML key is found in linear time', async () => {
  const users = keys((key) => `  ${key}: { id: ${key} }\n`);
  const run = runTable({
    users: `users:\n${users.slice(0, users.indexOf('  key14000:'))}  key7: { id: x }\n`,
    map,
  });
  await expect(run).rejects.toThrow('the key key7 appears twice');
});

it('a duplicate YAML key is not shown if it may contain a hash', async () => {
  const key = "? 'hash| \"$2b$10$abc'\n  : { id: x }\n";
  await expect(runTable({ users: `users:\n  ada: { id: 1 }\n  ${key}  ${key}`, map })).rejects.toThrow(
    /: a key appears twice$/,
  );
});

it('a row of too many columns is rejected alone', async () => {
  const row = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`c${at}`, 'x']));
  const result = await runTable({
    users: `${JSON.stringify({ id: '1', email: 'a@example.org', ...row })}\n${other}\n`,
    map: map.replace('{ meta: meta }', "{ '*': rest }"),
  });
  expect(rejections(result)).toEqual(['record:malformed: it has more than 10000 columns']);
  expect(result.users).toHaveLength(1);
});
