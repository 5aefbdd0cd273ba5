import { describe, expect, it } from 'vitest';
import { isObject } from '../../../src/lib/json-value.ts';
import { BrokenRecord } from '../../../src/sources/raw-record.ts';
import { parseBatch } from '../../../src/sources/elements.ts';
import { userOf, scanUsers } from '../../../src/sources/auth0/files.ts';
import type { Notice } from '../../../src/notice.ts';
import { memoryInput } from '../../support/memory-input.ts';

async function read(text: string | Buffer, notices: Notice[] = []) {
  const records: unknown[] = [];
  const input = memoryInput('file', text, { blockBytes: 7 });
  for await (const { elements } of scanUsers([input], (notice) => notices.push(notice))) {
    const values = [...parseBatch({ input: 'file', elements })];
    expect('count' in elements ? elements.count : values.length).toBe(values.length);
    for (const value of values) {
      if (value instanceof BrokenRecord) records.push('broken');
      else records.push(isObject(value) ? userOf(value) : value);
    }
  }
  return records;
}

const [a, b] = ['a', 'b'].map((id) => ({ user_id: id }));
const [ja, jb] = [a, b].map((user) => JSON.stringify(user));

describe('scanUsers', () => {
  it.each([
    ['lines', `${ja}\n${jb}\n`, [a, b]],
    ['lines of which the first is broken', `{"user_id":\n${ja}\n${jb}`, ['broken', a, b]],
    ['lines of which the first is not JSON at all', `hello\n${ja}\n`, ['broken', a]],
    ['a page', `{"start":0,"users":[${ja}],"total":1}`, [a]],
    [
      'a page whose users come after many keys',
      `{${Array.from({ length: 50 }, (_, i) => `"k${i}":[{"users":[1]}]`).join(',')},"users":[${ja}]}`,
      [a],
    ],
    ['a table', `user_id,email\r\na,"x@y"\r\n\r\nb,\r\n`, [{ user_id: 'a', email: 'x@y' }, { user_id: 'b' }]],
    [
      'a table with quoted titles and semicolons',
      `"email";"Given Name"\n"x@y";"Ada; Ann"\n`,
      [{ email: 'x@y', given_name: 'Ada; Ann' }],
    ],
    [
      'a table with nested titles',
      `user_id,identities[0].connection,identities[0].user_id,app_metadata.plan,__proto__\na,db,5,pro,x\n`,
      [
        {
          user_id: 'a',
          identities: [{ connection: 'db', user_id: '5' }],
          app_metadata: { plan: 'pro' },
          ['__proto__#5']: 'x',
        },
      ],
    ],
    [
      'a table whose titles contradict each other',
      'user_id,identities[0].connection,identities.length,identities.__proto__.x\na,db,3,y\n',
      [{ user_id: 'a', identities: { length: '3', ['__proto__']: { x: 'y' } } }],
    ],
  ])('reads %s', async (_, text, expected) => {
    expect(JSON.parse(JSON.stringify(await read(text)))).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  it('reports users that the pages lack', async () => {
    const notices: Notice[] = [];
    await read(`{"total":3,"users":[${ja}]}{"users":[${jb}],"total":7}`, notices);
    expect(notices).toMatchObject([{ code: 'input:missing-pages', text: / 7 .* 2;/ }]);
  });

  it('accepts duplicate titles only if they are not fields', async () => {
    await expect(read('user_id,email,Email\na,x@y,z@y\n')).rejects.toThrow(
      'two columns for email: email, Email',
    );
    expect(await read('user_id,team,team\na,1,2\n')).toHaveLength(1);
  });

  it.each([
    ['', 'input:empty'],
    [' \n ', 'input:empty'],
    ['hello', 'input:unknown-form'],
    ['name,age\nx,5\n', 'input:unknown-form'],
    [`[${ja}] 5`, 'input:lost-page'],
    [`{"users":[${ja}]} {"error":"x"}`, 'input:lost-page'],
    [`{"users":{}}`, 'input:lost-page'],
    [`{"users":null}`, 'input:lost-page'],
    [`[${ja},]`, 'input:syntax'],
    [`[${ja}`, 'input:truncated'],
    ['user_id\n"a', 'input:syntax'],
  ])('refuses %j', async (text, code) => {
    await expect(read(text)).rejects.toMatchObject({ code });
  });
});

const table = (...rows: string[]) => ['user_id,email,name', ...rows, ''].join('\n');
const one = { user_id: 'a', email: 'x@y', name: "'Ann" };

it.each([
  ['all ids and addresses: one is taken from each cell', table("'a,'x@y,''Ann"), [one]],
  [
    'empty cells stay empty',
    table("'a,,", ",'x@y,O'Neil"),
    [{ user_id: 'a' }, { email: 'x@y', name: "O'Neil" }],
  ],
  ['quoted cells', table(`"'a","'x@y","''Ann"`), [one]],
  ['one id without: all stay', table("'a,,", 'b,,'), [{ user_id: "'a" }, { user_id: 'b' }]],
  [
    'one address without: all stay',
    table("'a,'x@y,", "'b,x@z,").slice(0, -1),
    [
      { user_id: "'a", email: "'x@y" },
      { user_id: "'b", email: 'x@z' },
    ],
  ],
  ['a name alone', table("a,x@y,'t Hooft"), [{ user_id: 'a', email: 'x@y', name: "'t Hooft" }]],
  ['no id and no address at all', table(",,'t Hooft"), [{ name: "'t Hooft" }]],
  [
    'far after the first rows, one without: it stays as it is',
    table(...Array.from({ length: 18_000 }, () => "'a,'x@y,"), 'b,,'),
    [...Array.from({ length: 18_000 }, () => ({ user_id: 'a', email: 'x@y' })), { user_id: 'b' }],
  ],
])('scanUsers with an apostrophe before each cell: %s', async (_name, text, expected) => {
  expect(await read(text)).toEqual(expected);
});
