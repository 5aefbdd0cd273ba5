import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { textsOf } from '../../support/desk.ts';
import { parseRows, scanRows } from '../../../src/sources/rows.ts';
import { encodingNames, toUtf8 } from '../../../src/sources/table/forms/encoding.ts';
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

describe('a CSV file', () => {
  it.each([
    ['no end of the last line', `${titles}\n${ada}`],
    ['the ^Z of DOS at its end', `${titles}\n${ada}\n\x1a`],
    ['NULs after its last row', `${titles}\n${ada}\0\0\0`],
    ['CR LF', `${titles}\r\n${ada}\r\n`],
    ['quotes', `${titles}\n${ada.replaceAll(/[^,]+/g, '"$&"')}\n`],
    ['comments before the titles', `# exported today\n# by ada\n${titles}\n${ada}\n`],
    ['parameters before the titles', `version,2\nkey,aGVsbG8=\n${titles}\n${ada}\n`],
    ['titles in the middle', `${titles}\n${ada}\n${titles}\n`],
    [
      'titles of a second file in capitals',
      `${titles.toUpperCase()}\n${ada}\n\ufeff${titles.toUpperCase()}\n`,
    ],
    ['blank lines', `${titles}\n\n${ada}\n\n`],
    ['empty cells at the end', `${titles}\n${ada},,\n`],
    ['empty rows at the end', `${titles}\n${ada}\n,,,,\n,,,,\n`],
    ['columns without a title, which the row leaves out', `${titles},,,\n${ada},\n`],
    ['other columns', `x,${titles},y\n1,${ada},2\n`],
  ])('is read with %s', async (_name, users) => {
    const result = await runTable({ users, map });
    expect(result.hashes).toEqual({ ada: bcrypt });
    expect(result.tally).toMatchObject({ read: 1 });
  });

  it.each([
    [
      'delimiters, quotes and line ends in quotes',
      `${titles}\n1,"a,da",a@example.org,"Ada ""Countess""\nLovelace",\n`,
      { userName: 'a,da', profile: { displayName: 'Ada "Countess" Lovelace' } },
    ],
    [
      'quotes between colons',
      'id:login:email:name\n1:"ada":a@example.org:"Lovelace: ""Ada"""\n',
      { userName: 'ada', profile: { displayName: 'Lovelace: "Ada"' } },
      map.replace('{ columns', "{ delimiter: ':', columns"),
    ],
    [
      'a quote inside of a cell',
      `${titles}\n1,ada,a@example.org,Ada 5" Lovelace,\n`,
      { profile: { displayName: 'Ada 5" Lovelace' } },
    ],
    [
      'nothing as MySQL writes it',
      `${titles}\n1,"ada","a@example.org",\\N,\\N\n`,
      { profile: { firstName: 'ada', lastName: 'ada' } },
    ],
    [
      'the escapes of the batch mode of MySQL',
      'id\tlogin\temail\tname\n1\tada\tada@example.org\tAda\\tB\\\\C\\nD\n',
      { profile: { displayName: 'Ada B\\C D' } },
    ],
  ])('may contain %s', async (_name, users, user, own = map) => {
    const result = await runTable({ users, map: own });
    expect(result.users).toMatchObject([{ user }]);
  });

  it('matches titles in another case unless two of them match', async () => {
    const { users: written } = await runTable({
      users: 'ID,Login,email,Email,NAME\n1,ada,a@example.org,b@example.org,Ada L\n',
      map,
    });
    expect(written).toMatchObject([
      {
        userId: '1',
        user: { userName: 'ada', email: { email: 'a@example.org' }, profile: { displayName: 'Ada L' } },
      },
    ]);
  });

  it('rejects a row with another number of cells by line', async () => {
    const result = await runTable({
      users: `${titles}\n${ada}\n2,"bob b",\n${ada.replaceAll('ada', 'cyd').replace('g-1', 'g-3')}\n`,
      map,
    });
    expect(rejections(result)).toEqual(['record:not-json: line 3: 3 cells where there are 5 titles']);
    expect(Object.keys(result.hashes)).toEqual(['ada', 'cyd']);
  });

  const more = 'id;login;email;displayName;hash;name';
  it.each([
    ['of more columns', `${titles},name\n`, '4: 6 cells where there are 5 titles'],
    ['of another delimiter', `${titles.replaceAll(',', ';')}\n`, '4: 1 cells where there are 5 titles'],
    ['of another delimiter, in a cell', `2,"b\n${more}\n",b@example.org,B,\n`, ''],
  ])('keeps the users before a second header %s', async (_name, second, line) => {
    const bob = ada.replaceAll('ada', 'bob').replace('g-1', 'g-2');
    const result = await runTable({ users: `${titles}\n${ada}\n${bob}\n${second}`, map });
    expect(Object.keys(result.hashes)).toEqual(expect.arrayContaining(['ada', 'bob']));
    expect(rejections(result).join()).toContain(line);
  });

  it.each([
    ['a broken quote makes no dialect of the others', '2,bob,b@example.org,"B \\"b"",x'],
    ['lines of dashes in a cell draw no table', '2,bob,b@example.org,"N   M\n---\n",'],
  ])('is read with %s', async (_name, row) => {
    const users = `${titles}\n${row}\n${ada.replace(/,[^,]*,([^,]*)$/, ',C:\\new\\Table,$1')}\n`;
    const result = await runTable({ users, map });
    const names = result.users.map(({ user }) => (user['profile'] as { displayName?: string }).displayName);
    expect(names).toContain('C:\\new\\Table');
  });

  it('is not binary because of two NULs', async () => {
    const result = await runTable({ users: `${titles}\n${ada}\n2,bob,b@example.org,B\0\0,\n`, map });
    expect(Object.keys(result.hashes)).toContain('ada');
  });

  it.each([
    [
      'that is never closed',
      `2,"bob,b@example.org\n${ada}\n`,
      /a quote is never closed in the row of line 3/,
    ],
    [
      'closed at the next quote',
      `2,"bob,b@example.org,B,\n3,"cyd",c@example.org,C,\n`,
      /goes over several lines/,
    ],
    [
      'closed in a name',
      `2,bob,b@example.org,"B,\n3,cyd,c@example.org,C",${bcrypt}\n`,
      /and it seems to hold others/,
    ],
    [
      'closed after an empty line',
      `2,bob,b@example.org,"B,\n\n3,cyd,c@example.org,C",${bcrypt}\n`,
      /and it seems to hold others/,
    ],
    ['with other cells', `2,"bob\nb",\n`, /3 cells where there are 5 titles: a quote is not closed/],
    ['in two columns', `ada,"${bcrypt}\nbob,${bcrypt}"\n`, /and it seems to hold others/, 'login,hash\n'],
  ])('with an open quote gives no user the cells of another: %s', async (_name, rows, message, head = '') => {
    const users = `${head === '' ? `${titles}\n${ada}\n` : head}${rows}`;
    await expect(runTable({ users, map })).rejects.toThrow(message);
  });

  it.each([
    ['the user name', '2,"bo\nb"'],
    ['the id', '"2\n3",bob'],
  ])('rejects a line end in %s', async (field, cells) => {
    const users = `${titles}\n${cells},b@example.org,B,\n${ada}\n`;
    const result = await runTable({ users, map });
    expect(rejections(result)).toEqual([`record:malformed: a line end in ${field}`]);
    expect(Object.keys(result.hashes)).toEqual(['ada']);
  });

  it('is refused if its titles are not UTF-8', async () => {
    const users = Buffer.from(`${titles},gr\u00f6\u00dfe\n${ada},1\n`, 'latin1');
    await expect(runTable({ users, map })).rejects.toThrow(
      /:1:\d+ \(byte \d+\): the bytes here are not UTF-8/,
    );
  });

  it('unwraps formulas of Excel', async () => {
    const { users } = await runTable({
      users: 'id,login,email,name\n="0041",="ada",a@example.org,"=""Ada L"""\n="2"&"3",=b,b@example.org,="\n',
      map: map.replace(', fullName: name', ', displayName: name'),
    });
    expect(users).toMatchObject([
      { userId: '0041', user: { userName: 'ada', profile: { displayName: 'Ada L' } } },
      { userId: '="2"&"3"', user: { userName: '=b', profile: { displayName: '="' } } },
    ]);
  });

  it('is refused if a named column appears twice', async () => {
    await expect(
      runTable({ users: `id,login,email,email\n1,a,a@example.org,b@example.org\n`, map }),
    ).rejects.toThrow('there are two columns email');
    const other = await runTable({ users: `id,login,email,x,x\n1,a,a@example.org,1,2\n`, map });
    expect(other.tally.read).toBe(1);
  });

  it('rejects ids that a spreadsheet rounded, and drops such phone numbers', async () => {
    const withPhone = map.replace('fullName: name', 'fullName: name, phone: phone');
    const result = await runTable({
      users: 'id;login;email;phone\n1,08235E+20;ada;ada@example.org;\n2;bob;bob@example.org;4,1791E+10\n',
      map: withPhone,
    });
    expect(rejections(result)).toEqual(['record:malformed: the id 1,08235E+20 was rounded by a spreadsheet']);
    expect(result.users.map(({ user }) => user['phone'])).toEqual([undefined]);
    expect(result.tally.reasons.get('phone:dropped')).toBe(1);
  });

  it('keeps the word NULL unless the mapping says otherwise, with a notice', async () => {
    const users = `${titles}\n1,ada,ada@example.org,NULL,NULL\n2,null,null@example.org,Null,NULL\n`;
    const plain = await runTable({ users, map });
    expect(plain.notices).toContain('input:null-words');
    const said = await runTable({
      users,
      map: map.replace('columns: optional', "columns: optional, null: ['NULL']"),
    });
    expect(said.notices).not.toContain('input:null-words');
    expect(said.users.map(({ user }) => user.userName)).toEqual(['ada', 'null']);
    expect(said.tally.reasons.get('password:malformed')).toBeUndefined();
  });

  it.each([
    ['all rows have the same other number of cells', '1,ada\n2,bea\n\n', true],
    ['the numbers differ', '1,ada\n2,bea,bea@example.org\n', false],
    ['there is one row', '1,ada\n', false],
    ['one row fits', `1,ada\n2,bea\n${ada}\n`, false],
  ])('is reported to have another header or not if %s', async (_name, rows, isNamed) => {
    const texts = textsOf(await runTable({ users: `${titles}\n${rows}`, map }), 'input:other-header');
    const cause =
      'users: the rows have 2 cells and the header has 5 titles: the header and the rows are not of the same export';
    expect(texts).toEqual(isNamed ? [cause] : []);
  });

  describe('with backslash escapes as MySQL writes them', () => {
    const name = 'A"d\'a, \tX\nY\\';
    // SELECT ... INTO OUTFILE and mysqldump --tab of MariaDB 10.11, with other ends of cells and lines.
    const files = [
      ['tabs', '1\tada\tada@example.org\tA"d\'a, \\\tX\\\nY\\\\\t\\N\n'],
      ['quotes', '"1","ada","ada@example.org","A\\"d\'a, \tX\\\nY\\\\",\\N\n'],
      ['CR LF', '"1","ada","ada@example.org","A\\"d\'a, \tX\nY\\\\",\\N\r\n'],
    ];
    const own = map.replace('columns: optional', `titles: [${titles}]`);

    it.each(files)('is read with %s', async (_name, row) => {
      const users = row + row.replace('1', '2').replaceAll('ada', 'bob');
      const { users: written } = await runTable({ users, map: own });
      const displayName = name.replaceAll(/[\t\n]/g, ' ');
      expect(written.map(({ user }) => user['profile'])).toMatchObject([{ displayName }, { displayName }]);
    });

    it.each(files)('is read with %s, cut anywhere', async (_name, row) => {
      const delimiter = row.includes('"1"') ? ',' : '\t';
      const dialect = { delimiter, quotes: delimiter === ',', backslashes: true, titles: titles.split(',') };
      const start = { offset: 0, line: 1 };
      const rows = [];
      for await (const batch of scanRows('users', blocksOf(row.repeat(3), 1), dialect, start, 8))
        rows.push(...parseRows('users', { ...batch, dialect }));
      expect(rows).toMatchObject([{ name, hash: '' }, { name }, { name }]);
    });

    it('is read with commas and no quotes if the mapping says so', async () => {
      const users = '1,ada,ada@example.org,A\\, B,\\N\n';
      const { users: written } = await runTable({
        users,
        map: own.replace('titles', "escape: '\\', titles"),
      });
      expect(written[0]?.user).toMatchObject({ profile: { displayName: 'A, B' } });
    });

    it('rejects a row whose escapes appear after the first 64 KiB, with a hint', async () => {
      const plain = Array.from({ length: 10_000 }, (_, at) => `${at},u${at},u${at}@example.org,"Name, U",\n`);
      const users = `${titles}\n${plain.join('')}x,ada,ada@example.org,"A \\"B\\" C",\n`;
      const result = await runTable({ users, map });
      expect(rejections(result)).toEqual([/^record:not-json: line 10002: .*escape: '/]);
    });
  });

  describe('in another encoding', () => {
    const read = (users: Uint8Array, encoding: string) =>
      runTable({ users, map: map.replace('columns: optional', `columns: optional, encoding: ${encoding}`) });
    const table = (name: Uint8Array) =>
      Buffer.concat([Buffer.from(`${titles}\n1,zoe,zoe@example.org,`), name, Buffer.from(',\n')]);

    it.each([
      ['latin1', '5a6feb203a80', 'Zoë :€'],
      ['windows-1252', '5a6feb203a80', 'Zoë :€'],
      ['windows-1250', 'd8e96b', 'Řék'],
      ['windows-1251', 'cee1e0', 'Оба'],
      ['iso-8859-15', 'a4e9', '€é'],
      ['cp850', '4d816c6c6572205ae190', 'Müller ZßÉ'],
      ['ibm866', '80a0', 'Аа'],
      ['koi8-r', 'e1c1', 'Аа'],
      ['shift_jis', '8e528a7891be98595c', '山岳太郎\\'],
      ['euc-jp', 'bbb3', '山'],
      ['gbk', 'd6d0cec4', '中文'],
      ['big5', 'a4a4', '中'],
      ['euc-kr', 'c7d1', '한'],
    ])('%s is decoded: %s is %s', async (encoding, hex, name) => {
      const { users } = await read(table(Buffer.from(hex, 'hex')), encoding);
      expect(users[0]?.user).toMatchObject({ profile: { displayName: name } });
    });

    it.each([
      ['UTF-16', Buffer.from(`\ufeff${titles}\n1,zoe,zoe@example.org,Zoë,\n`, 'utf16le')],
      ['UTF-8', Buffer.from(`\ufeff${titles}\n1,zoe,zoe@example.org,Zoë,\n`)],
    ])('is read by its byte order mark of %s', async (_name, users) => {
      const { users: written } = await read(users, 'windows-1252');
      expect(written[0]?.user).toMatchObject({ profile: { displayName: 'Zoë' } });
    });

    it.each([
      ['windows-1250', 'd88165'],
      ['latin1', '4d816c'],
      ['gbk', 'd6'],
    ])('%s is refused: %s', async (encoding, hex) => {
      await expect(read(table(Buffer.from(hex, 'hex')), encoding)).rejects.toThrow(`are not ${encoding}`);
    });

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

    it('is refused with the known encodings', async () => {
      const users = table(Buffer.from('5a6feb', 'hex'));
      await expect(runTable({ users, map })).rejects.toThrow('not UTF-8');
      await expect(read(users, 'cp950')).rejects.toThrow(
        /source\.encoding: utf8 or latin1 or .*cp850.*shift_jis/,
      );
    });
  });

  describe('of SQL Server', () => {
    const columns = 'id, login, email, first, last, hash, confirmed, active';
    const fields = `user: { id: id, userName: login, email: email, givenName: first, familyName: last,
  emailVerified: { present: confirmed }, state: { active: { column: active } } }
password: { from: hash, format: bcrypt, pepper: none, prehash: none }`;
    /** NULL is written as nothing, the empty text as a NUL. */
    const rows = [
      ['1', 'anna', 'anna@example.com', 'Änne', 'Müller', bcrypt, '2024-05-01 10:11:12.1234567', '1'],
      ['2', 'CORP\\bert', 'bert@example.com', 'Bert', '\0', bcrypt, '', '0'],
      ['3', 'CORP\\nina', 'nina@example.com', 'Nina', 'O"Neil', bcrypt, '', '1'],
    ];
    const write = (table: readonly (readonly string[])[], delimiter: string) =>
      table.map((row) => `${row.join(delimiter)}\r\n`).join('');
    const expected = [
      { userId: '1', user: { userName: 'anna', profile: { firstName: 'Änne', lastName: 'Müller' } } },
      { userId: '2', user: { userName: 'CORP\\bert', profile: { firstName: 'Bert' } } },
      { userId: '3', user: { userName: 'CORP\\nina', profile: { lastName: 'O"Neil' } } },
    ];

    it.each([
      ['-c -C 65001', Buffer.from(write(rows, '\t'))],
      ['-c -C ACP', Buffer.from(write(rows, '\t'), 'latin1'), 'encoding: latin1, '],
      [
        '-c',
        Buffer.from(write(rows, '\t').replace('Änne', '\x8enne').replace('ü', '\x81'), 'latin1'),
        'encoding: cp850, ',
      ],
      ['-c -t, -C 65001', Buffer.from(write(rows, ','))],
      ['-w', Buffer.from(`\ufeff${write(rows, '\t')}`, 'utf16le')],
    ])('is read from bcp %s', async (_flags, users, encoding = '') => {
      const result = await runTable({
        users,
        map: `idport: 1\nsource: { ${encoding}titles: [${columns}] }\n${fields}`,
      });
      expect(rejections(result)).toEqual([]);
      expect(result.users).toMatchObject(expected);
      expect(result.users.map(({ state }) => state)).toEqual([undefined, 'USER_STATE_INACTIVE', undefined]);
      expect(result.tally.reasons.get('field:cleaned')).toBeUndefined();
    });

    it.each([
      ['-n', Buffer.from('\u0001\0\0\0\u0004\0anna\u0010\0anna@example.com', 'latin1')],
      ['-N', Buffer.from('\u0001\0\u0002\0\0\0\u0008\0a\0n\0n\0a\0', 'latin1')],
    ])('is refused from bcp %s', async (_flags, users) => {
      const map = `idport: 1\nsource: { titles: [${columns}] }\n${fields}`;
      await expect(runTable({ users, map })).rejects.toThrow('binary, as bcp -n');
    });

    const titles = columns.split(', ');
    const table = [titles, titles.map((title) => '-'.repeat(title.length)), ...rows];

    it.each([
      ['-s ","', ',', '(3 rows affected)'],
      ['-s tab', '\t', '(3 Zeilen betroffen)'],
    ])('is read from sqlcmd -W %s', async (_flags, delimiter, count) => {
      const users = `${write(table, delimiter)}\r\n${count}\r\n`;
      const result = await runTable({ users, map: `idport: 1\n${fields}` });
      expect(rejections(result)).toEqual([]);
      expect(result.users).toMatchObject(expected);
    });

    const padded = table.map((row, at) => row.map((cell) => cell.padEnd(70, at === 1 ? '-' : ' ')));

    it.each([
      ['sqlcmd', write(padded, ' ')],
      ['sqlcmd -s "|"', write(padded, '|')],
      ['sqlcmd -W', write(table, ' ')],
      [
        'psql',
        ' id | login |      email\n----+-------+---------------\n  1 | ada   | a@example.org\n(1 row)\n',
      ],
      ['mysql -t', '+----+-------+\n| id | login |\n+----+-------+\n|  1 | ada   |\n+----+-------+\n'],
    ])('is refused as the drawn table of %s', async (_program, users) => {
      const run = runTable({ users, map: 'idport: 1\nuser: { id: id, userName: login }' });
      await expect(run).rejects.toThrow('a table drawn for the screen');
    });
  });

  it.each([{ map }, {}])('shows no data if its header is missing', async (given) => {
    await expect(runTable({ users: `${ada}\n`, ...given })).rejects.toThrow(
      /^users: there is no row of titles: the first row holds data$/,
    );
  });
});

describe('a JSON file', () => {
  const user = { id: 'g-1', login: 'ada', email: 'ada@example.org', name: 'Ada Lovelace', hash: bcrypt };
  const line = JSON.stringify(user);
  const read = (users: string) => runTable({ provider: 'json', users, map });

  it.each([
    ['a list', `[${line}]`],
    ['a list over several lines', JSON.stringify([user], null, 2)],
    ['a list as json_agg writes it', `[${line}, \n ${JSON.stringify({ ...user, id: 'g-2', login: 'bob' })}]`],
    ['lines', `${line}\n`],
    ['one line without an end', line],
    ['one object over several lines', JSON.stringify(user, null, 2)],
    ['a list in users', `{"total":1,"users":[${line}]}`],
    ['a list in data', JSON.stringify({ data: [user], next: null }, null, 2)],
    ['pages one after the other', `{"users":[${line}],"next":2}\n{"users":[]}\n`],
    ['a list of pages', `[{"users":[${line}]},{"users":[]}]`],
    ['a list next to another', `{"items":[{"id":"1","title":"x"}],"users":[${line}]}`],
  ])('is read as %s', async (_name, users) => {
    const result = await read(users);
    expect(result.hashes['ada']).toBe(bcrypt);
  });

  it.each([
    `{"data":[${line}],"items":[${line}]}`,
    `[{"users":[${line}]},{"users":[${line}],"members":[${line}]}]`,
  ])('with two lists of users is refused: %s', async (users) => {
    await expect(read(users)).rejects.toThrow('several lists in it may be that of the users');
  });

  it('is joined if SQL Server cut its lines', async () => {
    const text = JSON.stringify(
      Array.from({ length: 40 }, (_, n) => ({ ...user, id: `g-${n}`, login: `ada${n}` })),
    );
    const users = text.replace(/.{2033}/g, '$&\r\n');
    const result = await read(users);
    expect(result.users).toHaveLength(40);
    expect(new Set(Object.values(result.hashes))).toEqual(new Set([bcrypt]));
  });

  it.each([
    ['all', `${line},\n${line},\n`],
    ['all but the last', `${line},\n${line},\n${line}`],
    ['all, with CR', `${line},\r\n${line},\r\n`],
  ])('with commas after lines is refused with a hint: %s', async (_name, users) => {
    await expect(read(users)).rejects.toMatchObject({
      message: /^users:1:1 .*there is a comma after the record of this line/,
      hint: expect.stringContaining('sed'),
    });
  });

  it('with doubled backslashes is refused if most records are broken, else reported', async () => {
    const broken = line.replace('Lovelace', String.raw`\\"L\\"`);
    await expect(read(`${line}\n${broken}\n${broken}\n`)).rejects.toMatchObject({
      message: /users:2:1 .*the backslashes of this line are doubled/,
      hint: expect.stringContaining('psql -qAtX') as string,
    });
    const few = await read(`${line}\n${line}\n${broken}\n`);
    expect(few.notices).toContain('input:double-escaped');
  });

  it('with text that was escaped twice causes a warning', async () => {
    const users = `${JSON.stringify({ ...user, name: 'Ada\\tLovelace' })}\n`;
    expect((await read(users)).notices).toContain('input:double-escaped');
    expect((await read(`${line}\n`)).notices).not.toContain('input:double-escaped');
  });

  it.each([
    [
      'a number that is too large to be exact',
      '"id":108235000000000000001,"email":"a@x.org"',
      'too large to be exact',
    ],
    ['a field that is an object', '"id":"1","email":{"x":1}', 'record:malformed: user.email is not a text'],
  ])('rejects a record with %s', async (_name, fields, reason) => {
    const result = await read(`{"login":"ada",${fields}}\n`);
    expect(rejections(result)).toEqual([expect.stringContaining(reason)]);
  });
});
