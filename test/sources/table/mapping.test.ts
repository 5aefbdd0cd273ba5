import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { readTime } from '../../../src/sources/table/mapping/times.ts';
import { fixture, readProject } from '../../support/folder.ts';
import { rejections, runTable } from '../../support/table-run.ts';

const bcrypt = '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.';

/** One row of JSON with this mapping of the user. */
async function readUser(row: object, user: string): Promise<Readonly<Record<string, unknown>>> {
  const map = `idport: 1\nsource: { columns: optional }\nuser:\n  id: id\n  email: { value: a@example.org }\n${user}\n`;
  const result = await runTable({ provider: 'json', users: `${JSON.stringify({ id: '1', ...row })}\n`, map });
  return { ...result.users[0]?.user };
}

const { values, conditions }: Record<string, any[]> = parse(
  readFileSync(fixture('mapping-values.yaml'), 'utf8'),
);

describe('a value of a mapping', () => {
  it.each(values!)('is read: $what', async ({ value, row, userName }) => {
    expect(await readUser(row, `  userName: ${value}`)).toMatchObject({ userName });
  });

  it('never reads inherited properties', async () => {
    for (const path of ['constructor.name', '__proto__.x', 'toString']) {
      expect(await readUser({}, `  userName: [${path}, id]`)).toMatchObject({ userName: '1' });
    }
  });
});

it('every step and condition of docs/mapping-reference.md has an example in fixtures/mapping-values.yaml', () => {
  const page = readProject('docs/mapping-reference.md');
  const steps = page.slice(page.indexOf('**Steps**'), page.indexOf('**A condition**'));
  const names = [...steps.matchAll(/`\{? ?([\w-]+)/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(20);
  const table = page.slice(page.indexOf('| Condition |'), page.indexOf('Times are ISO'));
  const keys = [...table.matchAll(/\{ (\w+):|, (\w+):/g)].map(([, first, next]) => first ?? next ?? '');
  expect(keys).toContain('bit');
  const stepsTried = values!.map(({ value }) => value).join(' ');
  const conditionsTried = conditions!.map(({ condition }) => condition).join(' ');
  expect(names.filter((name) => !new RegExp(`[[{ ]${name}[\\]:,]`).test(stepsTried))).toEqual([]);
  expect(keys.filter((key) => !conditionsTried.includes(`${key}:`))).toEqual([]);
});

it.each(conditions!)('the condition $condition of $row is $holds', async ({ condition, row, holds }) => {
  const { email } = await readUser(row, `  emailVerified: ${condition}`);
  expect((email as { isEmailVerified?: boolean }).isEmailVerified ?? false).toBe(holds);
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
    expect(result.tally.reasons.get('contact:not-migrated')).toBe(1);
    expect(result.read('r.json')).toContain('"b@example.org, c@example.org, +41441234567"');
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
});

it('a hash shared by several users is noted, except one without a salt', async () => {
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
    ...['key: "a[b"', 'key: a, where: { present: "a[b" }', 'key: a, pivot: { name: "a[b" }'].map((table) => [
      table,
      `idport: 1\ntables: { t: { ${table} } }\nuser: { email: email }`,
      'the path a\\[b cannot be read',
    ]),
  ])('is refused in one line: %s', async (_name, map, problem) => {
    await expect(run(map)).rejects.toThrow(new RegExp(`^map\\.yaml: .*${problem}$`));
  });
});
