import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { readTime } from '../../../src/sources/table/mapping/times.ts';
import { textsOf } from '../../support/desk.ts';
import { rejections, runTable } from '../../support/table-run.ts';

const bcrypt = '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.';

/** One row of JSON with this mapping of the user. */
async function readUser(row: object, user: string, rest = ''): Promise<Readonly<Record<string, unknown>>> {
  const map = `idport: 1\nsource: { columns: optional }\nuser:\n  id: id\n  email: { value: a@example.org }\n${user}\n${rest}`;
  const result = await runTable({ provider: 'json', users: `${JSON.stringify({ id: '1', ...row })}\n`, map });
  return { ...result.users[0]?.user, state: result.users[0]?.state };
}

/** A name, a value of a mapping, a row; the resulting user name. */
const values = [
  ['a column', 'login', { login: 'ada' }, 'ada'],
  ['the first that is not empty', '[nick, login]', { nick: ' ', login: 'ada' }, 'ada'],
  ['a place inside', 'a.b[1].c', { a: { b: [0, { c: 'ada' }] } }, 'ada'],
  ['JSON in a cell', 'a.b', { a: '{"b":"ada"}' }, 'ada'],
  ['a name with a dot', '\'["a.b"]\'', { 'a.b': 'ada' }, 'ada'],
  ['a title with dots', 'a.b', { 'a.b': 'ada' }, 'ada'],
  ['the end of a name', '\'m["*_login"]\'', { m: { wp_7_login: 'ada' } }, 'ada'],
  ['a number', 'login', { login: 7 }, '7'],
  ['a constant', '{ value: ada }', {}, 'ada'],
  ['a template', "{ template: '{a}.{b}' }", { a: 'ada', b: 'l' }, 'ada.l'],
  ['a template read backwards', "{ extract: 'x|{id}', from: a }", { a: 'x|ada' }, 'ada'],
  ['a prefix', '{ from: n, prefix: u- }', { n: 7 }, 'u-7'],
  [
    'steps',
    '{ from: a, then: [trim, lower, { strip-prefix: x- }, { replace: [b, d] }] }',
    { a: ' X-ABA ' },
    'ada',
  ],
  ['a map with a default', '{ from: a, map: { x: ada }, default: bob }', { a: 'y' }, 'bob'],
  ['a part', "{ from: a, then: [{ split: '|' }, { take: 1 }] }", { a: 'x|ada|y' }, 'ada'],
  ['an array of Postgres', '{ from: a, then: [pg-array, { take: 1 }] }', { a: '{x,"a da"}' }, 'a da'],
  ['no array of Postgres', '{ from: a, then: [pg-array, { take: 0 }] }', { a: '{"a":1,"b"}' }, '{"a":1,"b"}'],
  ['a Python dictionary', '{ from: a, then: [pg-array, { take: 0 }] }', { a: "{'a': 1}" }, "{'a': 1}"],
  ['the first key', "'a.*'", { a: { x: 'ada', y: 'bob' } }, 'ada'],
  [
    'a list of PHP',
    '{ from: a, then: [php-unserialize, keys, { take: 0 }] }',
    { a: 'a:1:{s:3:"ada";b:1;}' },
    'ada',
  ],
  ['entities', '{ from: a, then: [html-unescape] }', { a: 'a&amp;da' }, 'a&da'],
  ['a parameter', '{ from: a, then: [{ url-param: x }] }', { a: 'otpauth://totp/x?y=1&x=ada' }, 'ada'],
  [
    'the name of a group',
    '{ from: a, then: [rdn] }',
    { a: 'CN=a\\2C \\c3\\a4\\, \\\\d,OU=b' },
    'a, \u00e4, \\d',
  ],
  [
    'a GUID of Windows',
    '{ from: a, then: [uuid-le] }',
    { a: '33221100554477668899aabbccddeeff' },
    '00112233-4455-6677-8899-aabbccddeeff',
  ],
  [
    'a UUID of MySQL',
    '{ from: a, then: [uuid] }',
    { a: '00112233445566778899AABBCCDDEEFF' },
    '00112233-4455-6677-8899-aabbccddeeff',
  ],
  [
    'one of a list',
    '{ first: { of: l, where: { column: t, is: [x] }, take: v } }',
    {
      l: [
        { t: 'y', v: 'b' },
        { t: 'x', v: 'ada' },
      ],
    },
    'ada',
  ],
  [
    'the same of all, put together',
    '{ all: { of: l, where: { absent: u }, take: v }, then: [{ join: d }] }',
    { l: [{ v: 'a' }, { v: 'x', u: 1 }, { v: 'a' }] },
    'ada',
  ],
  ['a value on a condition', '[{ from: a, when: { column: f } }, b]', { a: 'x', b: 'ada', f: 'no' }, 'ada'],
  ['upper', '{ from: a, then: [upper] }', { a: 'ada' }, 'ADA'],
  ['digits', '{ from: a, then: [digits] }', { a: '+41 (7) 8' }, '4178'],
  ['json', '{ from: a, then: [json, { take: 0 }] }', { a: '["ada"]' }, 'ada'],
  ['base64-to-text', '{ from: a, then: [base64-to-text] }', { a: 'YWRh' }, 'ada'],
  ['bytes-to-base32', '{ from: a, then: [bytes-to-base32] }', { a: [72, 101, 108, 108, 111] }, 'JBSWY3DP'],
  // What the program itself gives for this seed and mask (django-allauth 65).
  [
    'allauth-recovery-codes',
    '{ from: a, then: [json, allauth-recovery-codes, { join: " " }] }',
    { a: '{"seed":"0123456789abcdef0123456789abcdef01234567","used_mask":5}' },
    '14265627 72098617 06140299 18761587 51930121 90754611 31334072 57793223',
  ],
  [
    'allauth-recovery-codes that were taken over',
    '{ from: a, then: [allauth-recovery-codes, { take: 0 }] }',
    { a: { migrated_codes: ['ada'] } },
    'ada',
  ],
  ['prefix and suffix', '{ from: a, then: [{ prefix: a }, { suffix: a }] }', { a: 'd' }, 'ada'],
  ['strip-suffix', '{ from: a, then: [{ strip-suffix: x }] }', { a: 'adax' }, 'ada'],
  ['before and after', "{ from: a, then: [{ before: '@' }, { after: ':' }] }", { a: 'x:ada@y' }, 'ada'],
  ['default', '{ from: a, then: [{ default: ada }] }', {}, 'ada'],
] as const satisfies readonly (readonly [string, string, object, string])[];

describe('a value of a mapping', () => {
  it.each(values)('writes a hash: %s', async (_name, value, row, expected) => {
    expect(await readUser(row, `  userName: ${value}`)).toMatchObject({ userName: expected });
  });

  it('never reads inherited properties', async () => {
    for (const path of ['constructor.name', '__proto__.x', 'toString']) {
      expect(await readUser({}, `  userName: [${path}, id]`)).toMatchObject({ userName: '1' });
    }
  });
});

/** A condition, a row, whether it holds. */
const conditions = [
  ['{ column: f, is: no }', { f: 'FALSCH' }, true],
  ['{ column: f, is: no }', { f: '' }, false],
  ['{ present: at }', { at: '2024-01-02' }, true],
  ['{ present: at }', { at: '0000-00-00 00:00:00' }, false],
  ['{ present: at }', { at: '0000-00-00 00:00:00.000000' }, false],
  ['{ present: at }', { at: 'FAUX' }, false],
  ['{ present: at }', { at: null }, false],
  ['{ present: at }', { at: 'NULL' }, false],
  ['{ present: at }', { at: '(null)' }, false],
  ['{ absent: at }', {}, true],
  ['{ has: at.x }', { at: { x: '' } }, true],
  ['{ has: at.x }', { at: {} }, false],
  ['{ column: f }', { f: 'T' }, true],
  ['{ column: f }', { f: true }, true],
  ...['WAHR', 'VRAI', '-1', '1.0', 'x'].map((f) => ['{ column: f }', { f }, true] as const),
  ['{ column: f }', { f: '0' }, false],
  ['{ column: f, is: [x, 7] }', { f: 7 }, true],
  ["{ column: f, is: ['yes'] }", { f: 'no' }, false],
  ['{ future: at }', { at: '9999-12-31 23:59:59.9999999 +00:00' }, true],
  ['{ future: at }', { at: '2020-01-01T00:00:00Z' }, false],
  ['{ future: at }', { at: 'infinity' }, true],
  ['{ past: at }', { at: '-infinity' }, true],
  ['{ future: at, by: 1d }', { at: '9999-12-31' }, true],
  ['{ past: at }', { at: '20200101000000Z' }, true],
  ['{ past: at }', { at: 1_577_836_800 }, true],
  ['{ past: at }', { at: '01-JAN-20 07.51.57.521000000 PM' }, true],
  ['{ past: at }', { at: '01-JAN-20' }, true],
  ['{ future: at }', { at: 'Nov 22 9026 12:07PM' }, true],
  ['{ past: at }', { at: 'Wed Jan 01 2020 12:07:38 GMT+0100 (CET)' }, true],
  ['{ past: at }', { at: '2020-01-01 12:07:38.684 +0000 UTC' }, true],
  ['{ past: at }', { at: 'never' }, false],
  ['{ all: [{ column: f }, { column: g }] }', { f: 1, g: 0 }, false],
  ['{ any: [{ column: f }, { column: g }] }', { f: 1, g: 0 }, true],
  ['{ not: { column: f } }', { f: 1 }, false],
  ["{ column: l, split: '|', same: m }", { l: 'a|b', m: 'b' }, true],
  ['{ column: l, same: m }', { l: 'a', m: 'b' }, false],
  ["{ column: n, contains: '@' }", { n: 'a@b' }, true],
  ["{ column: n, contains: '@' }", { n: 'ab' }, false],
  ['{ column: o, keys: [a, b] }', { o: { a: 1 } }, true],
  ['{ column: o, keys: [a, b] }', { o: '{"a":1,"c":2}' }, false],
  ['{ column: o, keys: [a, b] }', { o: 'a' }, false],
  ['{ column: n, bit: 2 }', { n: '514' }, true],
  ['{ column: n, bit: 2 }', { n: 512 }, false],
  ['true', {}, true],
] as const satisfies readonly (readonly [string, object, boolean])[];

it('every step and condition of docs/mapping-reference.md has an example in this test', () => {
  const page = readFileSync(new URL('../../../docs/mapping-reference.md', import.meta.url), 'utf8');
  const steps = page.slice(page.indexOf('**Steps**'), page.indexOf('**A condition**'));
  const names = [...steps.matchAll(/`\{? ?([\w-]+)/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(20);
  const table = page.slice(page.indexOf('| Condition |'), page.indexOf('Times are ISO'));
  const keys = [...table.matchAll(/\{ (\w+):|, (\w+):/g)].map(([, first, next]) => first ?? next ?? '');
  expect(keys).toContain('bit');
  const stepsTried = values.map(([, value]) => value).join(' ');
  const conditionsTried = conditions.map(([condition]) => condition).join(' ');
  expect(names.filter((name) => !new RegExp(`[[{ ]${name}[\\]:,]`).test(stepsTried))).toEqual([]);
  expect(keys.filter((key) => !conditionsTried.includes(`${key}:`))).toEqual([]);
});

it.each(conditions)('the condition %s of %j is %s', async (condition, row, expected) => {
  const { email } = await readUser(row, `  emailVerified: ${condition}`);
  expect((email as { isEmailVerified?: boolean }).isEmailVerified ?? false).toBe(expected);
});

it.each([
  ['22.11.2020 12:07', ': 22.11.2020 12:07'],
  ['11/22/2020', ': 11/22/2020'],
  ['2020-11-22 01:07 PM', ': 2020-11-22 01:07 PM'],
  ['my-secret-1', ''],
  ['$2y$10$abcdefghijklmnopqrstuu', ''],
])('an unreadable time rejects its user, and is shown unless it may be a secret: %s', async (at, shown) => {
  const map = 'idport: 1\nuser: { id: id, email: email, state: { inactive: { past: at } } }\n';
  const result = await runTable({ users: `id,email,at\n1,a@example.org,${at}\n`, map });
  expect(rejections(result)).toEqual([`record:malformed: at is not a time that can be read${shown}`]);
});

it.each(['America/Los_Angeles', 'Asia/Tokyo'])(
  'a time without a zone is read as UTC on a machine in %s',
  (zone) => {
    vi.stubEnv('TZ', zone);
    expect(timesWithoutZone.filter((text) => readTime(text) !== Date.UTC(2026, 10, 22))).toEqual([]);
    expect(readTime('Sun Nov 22 12:07:38 PST 2026')).toBe(Date.UTC(2026, 10, 22, 20, 7, 38));
    vi.unstubAllEnvs();
  },
);

const timesWithoutZone = [
  '2026-11-22',
  '2026-11-22T00:00',
  '20261122000000',
  '22 Nov 2026',
  '22-November-2026',
  'Nov-22-2026',
  'Sun, 22-Nov-2026 00:00:00',
  '22-NOV-26 12.00.00.000000 AM',
  'Nov 22 2026 12:00AM',
];

describe('a mapping of other user fields', () => {
  it('parses phone numbers by the country of the row, or else of the flag', async () => {
    const rows = [
      '1,a,0446681800,CH',
      '2,b,0446681800,',
      '3,c,0446681800,XX',
      '4,d,,DE',
      '4,d,0446681800,CH',
    ];
    const users = ['id,login,tel,land', ...rows, ''].join('\n');
    const map =
      "idport: 1\nuser: { id: id, userName: login, email: { template: '{login}@example.org' }, phone: tel, phoneRegion: land }";
    const result = await runTable({ users, map, flags: { 'default-region': 'DE' } });
    const numbers = ['+41446681800', '+49446681800', undefined, '+41446681800'];
    expect(result.users.map(({ user }) => user['phone']?.phone)).toEqual(numbers);
  });

  it('writes one link per plain column, and reports a missing id', async () => {
    const links = (each: string) =>
      `idport: 1\nsource: { columns: optional }\nuser: { id: id, email: email, links: { each: ${each} } }`;
    const users = 'id,email,google,sub\n1,a@example.org,g-1,s-1\n2,b@example.org,,\n3,c@example.org,null,\n';
    const flags = { idp: ['google=9'] };
    for (const [each, externalUserId] of [
      ['google, alias: { value: google }, externalUserId: google', 'g-1'],
      ['google, alias: { value: google }, externalUserId: sub', 's-1'],
    ] as const) {
      const run = await runTable({ users, map: links(each), flags });
      expect(run.users.map(({ user }) => user['idps'])).toMatchObject([
        [{ externalUserId }],
        undefined,
        undefined,
      ]);
    }
    const none = await runTable({
      users,
      map: links('google, alias: provider, externalUserId: google'),
      flags,
    });
    expect(none.tally.reasons.get('idp:missing-id')).toBe(1);
  });

  it('writes links from a list, an object and columns', async () => {
    const links = `  links:
    - { each: list, alias: provider, externalUserId: uid, displayName: name }
    - { each: object, alias: '@key', externalUserId: userId }
    - { alias: { value: google }, externalUserId: google_id }`;
    const map = `idport: 1\nsource: { columns: optional }\nuser:\n  id: id\n  email: email\n${links}`;
    const row = {
      id: '1',
      email: 'a@example.org',
      list: [{ provider: 'github', uid: 5, name: 'octo' }],
      object: { oidc: { userId: 'o-1' } },
      google_id: 'g-1',
    };
    const result = await runTable({
      provider: 'json',
      users: `${JSON.stringify(row)}\n${JSON.stringify({ id: '2', email: 'b@example.org', google_id: '' })}\n`,
      map,
      flags: { idp: ['github=10', 'oidc=11', 'google=12'] },
    });
    expect(result.users[0]?.user['idps']).toEqual([
      { configId: '10', externalUserId: '5', displayName: 'octo' },
      { configId: '11', externalUserId: 'o-1' },
      { configId: '12', externalUserId: 'g-1' },
    ]);
    expect(result.users[1]?.user['idps']).toBeUndefined();
  });

  it.each([
    ['{ from: k }', { k: 'jbsw y3dp-ehpk3pxp' }, 'JBSWY3DPEHPK3PXP'],
    ['{ from: k, encoding: hex }', { k: '48656c6c6f21deadbeef' }, 'JBSWY3DPEHPK3PXP'],
    ['{ from: k, encoding: text }', { k: 'Hello' }, 'JBSWY3DP'],
    ['{ from: k, when: { column: on } }', { k: 'JBSWY3DP', on: 0 }, undefined],
    ['{ from: k, digits: d }', { k: 'JBSWY3DP', d: 8 }, undefined],
    ['{ from: k }', { k: 'eyJpdiI6IlN0' }, undefined],
  ])('writes a TOTP secret: %s of %j', async (otp, row, expected) => {
    expect((await readUser(row, `  otp: ${otp}`))['otpCode']).toBe(expected);
  });

  it.each([
    ['in plain text and as hashes', 'JBSWY3DP', [{ hash: bcrypt }, { raw: 'one' }, { raw: 'two' }]],
    ['not without one-time passwords', '', undefined],
  ])('writes recovery codes %s', async (_, key, expected) => {
    const fields = "  otp: { from: key }\n  recoveryCodes: { from: codes, split: ';' }";
    expect((await readUser({ key, codes: `one; two;${bcrypt}` }, fields))['recoveryCodes']).toEqual(expected);
  });

  it('writes the named metadata, or the rest', async () => {
    const users = '{"id":"1","email":"a@example.org","plan":"pro","n":{"x":1},"secret":"s"}\n';
    const map = 'idport: 1\nuser: { id: id, email: email, metadata: { tier: plan } }\nunused: [secret]\n';
    expect((await runTable({ provider: 'json', users, map })).metadata).toEqual({ tier: 'pro' });
    for (const plan of ['{}', '[]', '"{}"', '" [ ] "'])
      expect(
        (
          await runTable({
            provider: 'json',
            users: `[{"id":"1","email":"a@example.org","plan":${plan}}]`,
            map,
          })
        ).metadata,
      ).toEqual({});
    const rest = map.replace('tier: plan', "tier: plan, '*': rest");
    expect((await runTable({ provider: 'json', users, map: rest })).metadata).toEqual({
      tier: 'pro',
      n: '{"x":1}',
    });
  });

  it('drops metadata with numbers that JSON rounds, and reports it', async () => {
    const users = '{"id":"1","email":"a@example.org","n":{"x":[12345678901234567890]},"m":{"x":1}}\n';
    const map = 'idport: 1\nuser: { id: id, email: email, metadata: { "*": rest } }\n';
    const { metadata, tally } = await runTable({ provider: 'json', users, map });
    expect(metadata).toEqual({ m: '{"x":1}' });
    expect(tally.reasons.get('attribute:dropped')).toBe(1);
  });

  it('skips users and makes service accounts by a rule', async () => {
    const map = `idport: 1
where:
  - { skip: deleted, when: { present: deleted_at } }
  - { machine: true, when: { column: type, is: [bot] } }
user: { id: id, userName: id, email: email, displayName: name, metadata: { type: type } }
source: { columns: optional }`;
    const users =
      '{"id":"a","email":"a@example.org","deleted_at":"2024-01-01"}\n{"id":"b","name":"B\\n","type":"bot"}\n{"id":"\\u0000","type":"bot"}\n{"id":"c","email":"c@example.org"}\n'.replace(
        'B',
        'B'.repeat(201),
      );
    const result = await runTable({ provider: 'json', users, map });
    expect(rejections(result)).toEqual(['user-skipped:by-mapping: deleted', 'user-skipped:no-username: ']);
    expect(result.machines.map(({ user }) => [user.userName, user.name])).toEqual([['b', 'B'.repeat(200)]]);
    expect(result.metadata).toEqual({ type: 'bot' });
    expect(result.users.map(({ user }) => user.userName)).toEqual(['c']);
  });

  it('lists columns that it does not name, except unused ones', async () => {
    const users = 'id,email,avatar,token\n1,a@example.org,x,y\n';
    const result = await runTable({
      users,
      map: 'idport: 1\nuser: { id: id, email: email }\nunused: [token]\n',
    });
    expect(textsOf(result, 'map:unused-column')).toEqual(['columns that the mapping does not name: avatar']);
  });

  it('names contacts that are not migrated', async () => {
    const users = JSON.stringify([
      {
        id: '1',
        emails: ['a@example.org', 'b@example.org'],
        more: 'A@example.org|c@example.org',
        tel: '+41441234567',
      },
      { id: '2', emails: ['d@example.org'], more: '', tel: '' },
    ]);
    const map =
      'idport: 1\nuser: { id: id, email: emails, contacts: [{ from: more, then: [{ split: "|" }] }, tel] }\n';
    const result = await runTable({ provider: 'json', users, map, flags: { report: 'r.json' } });
    const { users: told } = result.json('r.json') as {
      users: { reasons: { code: string; detail?: string }[] }[];
    };
    const notes = told.map(
      ({ reasons }) => reasons.find(({ code }) => code === 'contact:not-migrated')?.detail,
    );
    expect(notes).toEqual(['b@example.org, c@example.org, +41441234567', undefined]);
  });

  it('ignores the key that a rejects file adds', async () => {
    const users = '{"idport:rejected":{"code":"x"},"id":"1","email":"a@example.org"}\n';
    const map = 'idport: 1\nuser: { id: id, email: email, metadata: { "*": rest } }\n';
    const result = await runTable({ provider: 'json', users, map });
    expect(result.notices).not.toContain('map:unused-column');
    expect(result.metadata).toEqual({});
  });

  it('does not show column names that may contain a hash', async () => {
    const users = `[{"id":"1","email":"a@example.org","Nick Name":"x","${bcrypt}":1,"5f4dcc3b5aa765d61d8327deb882cf99":2}]`;
    const result = await runTable({
      provider: 'json',
      users,
      map: 'idport: 1\nuser: { id: id, email: email }\n',
    });
    expect(textsOf(result, 'map:unused-column')).toEqual([
      'columns that the mapping does not name: Nick Name and 2 more',
    ]);
  });

  it('gives the second user of a name a new name and id with --duplicates=suffix', async () => {
    const own = {
      users: 'login,team\nAda,a\nada,b\n',
      map: 'idport: 1\nuser: { userName: login, metadata: { team: team } }\n',
    };
    const flags = { 'email-fallback': 'placeholder', 'email-domain': 'example.org' };
    const result = await runTable({ ...own, flags: { ...flags, duplicates: 'suffix' } });
    expect(result.users.map(({ user }) => user.userName)).toEqual(['Ada', 'ada-2']);
    const [first, second] = result.users.map(({ userId }) => userId);
    expect(second).not.toBe(first);
    expect(result.orgs[0]?.userMetadata?.map(({ id }) => id)).toEqual([first, second]);
    expect(rejections(await runTable({ ...own, flags }))).toEqual([
      'user-skipped:duplicate-username: same user name as record 1 of users',
    ]);
  });

  it('is not needed if the columns have usual names', async () => {
    const users = `id,username,email,email_verified,first_name,last_name,password,blocked\n1,ada,ada@example.org,true,Ada,Lovelace,${bcrypt},no\n2,bob,bob@example.org,true,Bob,B,,2024-01-02 03:04:05\n3,cid,cid@example.org,true,Cid,C,,never\n4,dan,dan@example.org,true,Dan,D,,-\n`;
    const result = await runTable({ users });
    expect(result.hashes).toEqual({ ada: bcrypt });
    // The time of a block says that there is one.
    expect(result.users.filter(({ state }) => state).map(({ userId }) => userId)).toEqual(['2']);
    expect(result.tally.reasons.get('password:peppered-or-prehashed')).toBe(1);
  });
});

describe('a mapping of passwords', () => {
  const read = async (row: object, password: string) =>
    (await readUser(row, '', `password: ${password}`))['hashedPassword'];

  it.each([
    ['{ from: h, format: auto, pepper: none, prehash: none }', { h: bcrypt }, bcrypt],
    ['{ from: h, format: django }', { h: `bcrypt$${bcrypt}` }, bcrypt],
    [
      '{ from: h, format: { column: kind, map: { b: mcf, d: django } }, pepper: none, prehash: none }',
      { h: `bcrypt$${bcrypt}`, kind: 'd' },
      bcrypt,
    ],
    [
      '{ pbkdf2: { digest: sha256, rounds: { from: n, default: 10000 }, salt: { from: s, encoding: text }, key: { from: k, encoding: hex } } }',
      { s: 'salt', k: 'aa'.repeat(32) },
      `$pbkdf2-sha256$10000$c2FsdA==$${Buffer.alloc(32, 0xaa).toString('base64')}`,
    ],
    [
      "{ pbkdf2: { digest: sha1, rounds: 185000, packed: { from: k, encoding: hex, strip-prefix: '{pbkdf2}', layout: [{ salt: 8 }, { key: rest }] } } }",
      { k: `{pbkdf2}${'aa'.repeat(8)}${'bb'.repeat(20)}` },
      `$pbkdf2$185000$${Buffer.alloc(8, 0xaa).toString('base64')}$${Buffer.alloc(20, 0xbb).toString('base64')}`,
    ],
    [
      '{ digest: { of: md5(salt + ":" + password), key: { from: k, encoding: hex }, salt: { from: s } } }',
      { k: 'ab'.repeat(16), s: 'salt' },
      `$md5salted-prefix$salt:$${Buffer.alloc(16, 0xab).toString('base64')}`,
    ],
  ])('writes a hash: %s', async (password, row, expected) => {
    expect(await read(row, password)).toEqual({ value: expected });
  });

  it.each([
    ['{ from: h, format: bcrypt, pepper: password, prehash: none }', 'password:peppered'],
    ['{ from: h, format: bcrypt, pepper: none, prehash: hex(sha256(password)) }', 'password:prehashed'],
    ['{ none: the vendor gives none out }', 'password:not-given'],
  ])('%s writes no hash', async (password, code) => {
    const map = `idport: 1\nuser: { id: id, email: email }\npassword: ${password}\n`;
    const result = await runTable({
      provider: 'json',
      users: `{"id":"1","email":"a@example.org","h":"${bcrypt}"}\n`,
      map,
    });
    expect(result.hashes).toEqual({ 'a@example.org': undefined });
    expect([...result.tally.reasons.keys()]).toContain(code);
  });

  it('reads a secret part of the salt from a file', async () => {
    const map = `idport: 1
user: { id: id, email: email }
password:
  pbkdf2: { digest: sha256, rounds: 1000, salt: { from: s, encoding: text }, key: { from: k, encoding: hex }, salted: salt + secret }
  secret: { file: cookie.key }
`;
    const users = `{"id":"1","email":"a@example.org","s":"salt","k":"${'aa'.repeat(32)}"}\n`;
    const result = await runTable({ provider: 'json', users, map, files: { 'cookie.key': 'pepper\n' } });
    expect(Object.values(result.hashes)[0]).toContain(`$${Buffer.from('saltpepper').toString('base64')}$`);
  });

  const declared = `{ from: k, format: { column: algo, map: { b: bcrypt, own: declared } }, pepper: none, prehash: none,
  pbkdf2: { digest: sha256, rounds: 1000, salt: { from: s, encoding: text }, key: { from: k, encoding: hex } } }`;

  it('chooses the format per row', async () => {
    const key = 'aa'.repeat(32);
    const users = `id,email,algo,s,k\n1,a@example.org,own,salt,${key}\n2,b@example.org,b,,${bcrypt}\n3,c@example.org,x,,${key}\n`;
    const result = await runTable({
      users,
      map: `idport: 1\nuser: { id: id, email: email }\npassword: ${declared}\n`,
    });
    expect(Object.values(result.hashes)).toEqual([/^\$pbkdf2-sha256\$1000\$c2FsdA==\$/, bcrypt, undefined]);
  });

  it.each([
    [declared.replace(/,\s*pbkdf2: .*$/, ' }'), /it names declared, but there is no pbkdf2, scrypt/],
    [declared.replace('own: declared', 'own: md5'), /there is both format and pbkdf2/],
  ])('is refused: %s', async (password, message) => {
    const run = runTable({
      users: 'id,email,algo,s,k\n',
      map: `idport: 1\nuser: { email: email }\npassword: ${password}\n`,
    });
    await expect(run).rejects.toThrow(message);
  });
});

it('a hash shared by several users is noted, except one without a salt', async () => {
  const bcrypt = '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.';
  const hashes = [bcrypt, 'ab'.repeat(16), bcrypt, 'ab'.repeat(16), bcrypt];
  const rows = hashes.map((hash, at) => `${at},u${at}@example.org,${hash}\n`);
  const result = await runTable({
    users: `id,email,hash\n${rows.join('')}`,
    map: 'idport: 1\nuser: { id: id, email: email }\npassword: { from: hash, format: auto, else: md5, pepper: none, prehash: none }\n',
    flags: { report: 'report.json' },
  });
  expect(result.tally.reasons.get('password:shared')).toBe(2);
  expect(result.read('report.json').match(/the same as [^"]*/g)).toEqual([
    'the same as u0@example.org',
    'the same as u0@example.org',
  ]);
});

it('a shared hash is noted only within one batch', async () => {
  const file = (id: string) =>
    `id,email,kind,hash\nm${id},,bot,\n${id},${id}@example.org,,$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.\n`;
  const result = await runTable({
    users: file('1'),
    files: { more: file('2') },
    flags: { users: ['users', 'more'] },
    map: `idport: 1\nwhere: [{ machine: true, when: { present: kind } }]\nuser: { id: id, email: email }\npassword: { from: hash, format: auto, pepper: none, prehash: none }\n`,
  });
  expect(result.tally).toMatchObject({ read: 4 });
  expect(result.tally.reasons.get('password:shared')).toBeUndefined();
});

describe('an invalid mapping', () => {
  const run = (map: string) => runTable({ users: 'id,email,hash\n1,a@example.org,x\n', map });

  it.each([
    [
      'idport: 1\nuser: { emial: email }',
      /map\.yaml: user\.emial: there is no such key/,
      /Did you mean email/,
    ],
    ['idport: 1\nuser: { email: emial }', /user\.email: there is no column emial/, /Did you mean email/],
    ['idport: 1\nuser: { email: mobile }', /there is no column mobile/, /There are: id, email, hash/],
    [
      'idport: 1\nuser: { email: { from: email, thn: [trim] } }',
      /user\.email\.thn: there is no such key/,
      /then/,
    ],
    [
      'idport: 1\nuser: { email: email, otp: totp }',
      /user\.otp: an object with keys or a list is expected/,
      /./,
    ],
    [
      'idport: 1\nuser: { email: email, otp: { secret: id } }',
      /user\.otp\.secret: there is no such key/,
      /./,
    ],
    ['idport: 1\nuser: { email: email }\npasword: {}', /pasword: there is no such key/, /password/],
    ['idport: 1\nuser: { email: { from: email, then: [trimm] } }', /user\.email\.then\[0\]/, /./],
    [
      'idport: 1\nuser: { email: email }\npassword: { from: hash, format: bcrypt }',
      /pepper and prehash are not declared/,
      /pepper: none/,
    ],
    [
      'idport: 1\nuser: { email: email }\npassword: { from: hash, format: bcript }',
      /no form of hashes named bcript/,
      /bcrypt/,
    ],
    ['idport: 2\nuser: { email: email }', /idport: 1 is expected/, /./],
    ['idport: 1\nuser: { email: [', /map\.yaml:2:\d+: invalid YAML/, undefined],
    ['idport: 1', /user: an object with keys is expected/, /./],
    [
      'idport: 1\nuser: { email: email, state: { inactive: { present: id, absent: id } } }',
      /user\.state\.inactive: a condition has one/,
      /^$/,
    ],
  ])('is refused with a hint: %j', async (map, message, hint) => {
    const error = await run(map).then(
      () => undefined,
      (error: unknown) => error as Error & { exitCode: number; hint?: string },
    );
    expect(error?.message).toMatch(message);
    expect(error?.exitCode).toBe(2);
    expect(error?.hint ?? '').toMatch(hint ?? /^$/);
  });

  const nested = 'it is nested too deeply';
  it.each([
    ['deep nesting', `idport: 1\nuser: { email: ${'['.repeat(50_000)}`, nested],
    ['lists in lists', `idport: 1\nuser: { email: ${'['.repeat(20_000)}x${']'.repeat(20_000)} }`, nested],
    [
      'aliases that grow',
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\nidport: 1\nuser: {}`,
      'it cannot be read as YAML',
    ],
    [
      'length',
      `idport: 1\nuser: { email: email }\nunused: [${'x, '.repeat(200_000)}]`,
      'too long for a mapping',
    ],
    [
      'deep conditions',
      `idport: 1\nuser: { email: email, emailVerified: ${'{ not: '.repeat(2000)}true${' }'.repeat(2000)} }`,
      nested,
    ],
  ])('is refused in one line: %s', async (_name, map, problem) => {
    await expect(run(map)).rejects.toThrow(new RegExp(`^map\\.yaml: .*${problem}$`));
  });
});

it.each([
  ['a number', 7, 7],
  ['a text in another case', 'Y@Example.org', 'y@example.org'],
])('a list element is found by %s of the row', async (_what, primary, id) => {
  const users = JSON.stringify({
    id: '1',
    primary,
    emails: [
      { id: 6, a: 'x@example.org' },
      { id, a: 'y@example.org' },
    ],
  });
  const map = "idport: 1\nuser: { id: id, email: 'emails[id=@primary].a' }\n";
  const result = await runTable({ provider: 'json', users, map });
  expect(result.users[0]?.user).toMatchObject({ email: { email: 'y@example.org' } });
});
