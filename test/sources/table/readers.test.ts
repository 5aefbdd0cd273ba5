/** Tables that are cut anywhere, large or in other encodings. Those of few rows are in `fixtures/short-tables.yaml`. */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { parseRows, scanRows } from '../../../src/sources/rows.ts';
import { encodingNames, toUtf8 } from '../../../src/sources/encoding.ts';
import { blocksOf } from '../../support/memory-input.ts';
import { runTable, rejections } from '../../support/table-run.ts';

const bcrypt = '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.';
const map = `
idport: 1
source: { columns: optional }
user: { id: id, userName: login, email: email, fullName: name }
password: { from: hash, format: bcrypt, pepper: none, prehash: none }
`;
const ada = `g-1,ada,ada@example.org,Ada Lovelace,${bcrypt}`;
const titles = 'id,login,email,name,hash';

describe('a table with backslash escapes as MySQL writes them', () => {
  const name = 'A"d\'a, \tX\nY\\';
  // SELECT ... INTO OUTFILE and mysqldump --tab of MariaDB 10.11, with other ends of cells and lines.
  const files = [
    ['tabs', '1\tada\tada@example.org\tA"d\'a, \\\tX\\\nY\\\\\t\\N\n'],
    ['quotes and CR LF', '"1","ada","ada@example.org","A\\"d\'a, \tX\nY\\\\",\\N\r\n'],
  ];

  it.each(files)('is read with %s, cut anywhere', async (_name, row) => {
    const delimiter = row.includes('"1"') ? ',' : '\t';
    const dialect = { delimiter, quotes: delimiter === ',', backslashes: true, titles: titles.split(',') };
    const start = { offset: 0, line: 1 };
    const rows = [];
    for await (const batch of scanRows('users', blocksOf(row.repeat(3), 1), dialect, start, 8))
      rows.push(...parseRows('users', { ...batch, dialect }));
    expect(rows).toMatchObject([{ name, hash: '' }, { name }, { name }]);
  });

  it('rejects a row whose escapes appear after the first 64 KiB, with a hint', async () => {
    const plain = Array.from({ length: 10_000 }, (_, at) => `${at},u${at},u${at}@example.org,"Name, U",\n`);
    const users = `${titles}\n${plain.join('')}x,ada,ada@example.org,"A \\"B\\" C",\n`;
    const result = await runTable({ users, map });
    expect(rejections(result)).toEqual([/^record:not-json: line 10002: .*escape: '/]);
  });
});

describe('a table in another encoding', () => {
  // sha256 of bytes(range(128, 256)).decode(...) of Python.
  it.each([
    ['cp437', '6395cab87eae09bf6758684afcf3c8ed89423d4805a965c1ff438bbdd71f5816'],
    ['cp850', '4ca3112428df72e8b152b5a552dc82d56b73c1ea8a13b768be5119252027043e'],
    ['cp852', '3ee7c6ae05c3663f3846abd2215d1ae0be97641cc626f71c31f8928ecb9cc613'],
    ['cp858', '91d24582be31b95d49490a28de50add24030167c6705b803abb53c31df9f9dc2'],
  ])('%s is decoded as in Python', async (encoding, digest) => {
    const bytes = Uint8Array.from({ length: 128 }, (_, at) => at + 128);
    const written = await buffer(toUtf8('users', blocksOf(bytes), encoding));
    expect(createHash('sha256').update(written).digest('hex')).toBe(digest);
  });

  it.each(encodingNames)('%s keeps ASCII, cut anywhere', async (encoding) => {
    const text = `${titles}\n${ada}\n`;
    expect(String(await buffer(toUtf8('users', blocksOf(text, 1), encoding)))).toBe(text);
  });

  it('keeps a character of two bytes that is cut', async () => {
    const bytes = Buffer.from('8e528a78', 'hex');
    expect(String(await buffer(toUtf8('users', blocksOf(bytes, 1), 'shift_jis')))).toBe('山岳');
  });
});

it('a JSON file is joined if SQL Server cut its lines', async () => {
  const user = { id: 'g-1', login: 'ada', email: 'ada@example.org', name: 'Ada Lovelace', hash: bcrypt };
  const text = JSON.stringify(
    Array.from({ length: 40 }, (_, n) => ({ ...user, id: `g-${n}`, login: `ada${n}` })),
  );
  const users = text.replace(/.{2033}/g, '$&\r\n');
  const result = await runTable({ provider: 'json', users, map });
  expect(result.users).toHaveLength(40);
  expect(new Set(Object.values(result.hashes))).toEqual(new Set([bcrypt]));
});
