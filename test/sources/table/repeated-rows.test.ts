import { describe, expect, it } from 'vitest';
import { reasons } from '../../../src/records/reasons.ts';
import { rejections, runTable, type TableResult } from '../../support/table-run.ts';

const one = '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.';
const other = '$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';
const idp = ['google=1', 'github=2'];

const linksOf = ({ users }: TableResult) =>
  users.map(({ user }) =>
    (user['idps'] as { externalUserId: string }[] | undefined)?.map((link) => link.externalUserId),
  );

const notesOf = ({ events, tally }: TableResult): readonly unknown[] => [
  [...tally.reasons].filter(([code]) => code.startsWith('rows:')),
  ...rejections({ events }),
];

const map = `
idport: 1
source: { columns: optional }
user: { id: id, email: email, fullName: name, links: { alias: provider, externalUserId: uid }, roles: { from: role } }
password: { from: hash, format: bcrypt, pepper: none, prehash: none }
`;

describe('consecutive rows of one user', () => {
  it('give the first password, name and link', async () => {
    const users = `id,email,name,hash,provider,uid\n1,a@example.org,,,google,g\n1,a@example.org,Ada L,${one},google,g\n`;
    const result = await runTable({ users, map, flags: { idp } });
    expect(result.hashes).toEqual({ 'a@example.org': one });
    expect(result.users[0]?.user).toMatchObject({ profile: { displayName: 'Ada L' } });
    expect(linksOf(result)).toEqual([['g']]);
    expect(notesOf(result)).toEqual([[['rows:joined', 1]]]);
    expect(result.tally.reasons.has('password:none')).toBe(false);
  });

  it('that differ become one user with a note', async () => {
    const users = `id,email,name,hash\n1,a@example.org,Ada L,${one}\n1,a@example.org,Ada B,${other}\n`;
    const result = await runTable({ users, map });
    expect(result.hashes).toEqual({ 'a@example.org': one });
    const noted = result.tally.reasons.get('rows:differ');
    expect(noted).toBe(1);
  });

  it('with another user name are rejected as a second user', async () => {
    const users = 'id,email\n1,a@example.org\n1,b@example.org\n';
    const result = await runTable({ users, map });
    expect(notesOf(result)).toEqual([[], /^user-skipped:duplicate-id: /]);
  });

  it('that are apart are rejected with a remedy', async () => {
    const users =
      'id,email,provider,uid\n1,a@example.org,google,g\n2,b@example.org,,\n1,a@example.org,github,h\n';
    const result = await runTable({ users, map, flags: { idp } });
    expect(notesOf(result)).toEqual([[], /^user-skipped:duplicate-id: /]);
    expect(reasons['user-skipped:duplicate-id'].remedy).toMatch(/ORDER BY id.*joined table by itself/);
  });

  it('are skipped by a rule one by one', async () => {
    const users = 'id,email,langcode\n1,a@example.org,de\n1,a@example.org,en\n2,b@example.org,de\n';
    const result = await runTable({
      users,
      map: `${map}where: [{ skip: translation, when: { column: langcode, is: [de] } }]\n`,
    });
    expect(result.users.map(({ userId }) => userId)).toEqual(['1']);
    expect(notesOf(result)).toEqual([[['rows:joined', 1]], 'user-skipped:by-mapping: translation']);
  });
});

/** Larger than several batches; the rows differ in length, so that cuts fall anywhere. */
const rows = Array.from({ length: 2500 }, (_, number) =>
  ['google', 'github', 'google'].slice(0, 1 + (number % 3)).map((provider, at) => ({
    id: `u${number}`,
    email: `user${number}@example.org`,
    name: `Ada ${'x'.repeat((number * 7) % 90)}`,
    provider,
    uid: `${provider}-${number}-${at}`,
    role: `r${at}`,
  })),
).flat();
const columns = ['id', 'email', 'name', 'provider', 'uid', 'role'] as const;
const values = rows.map((row) => `('${columns.map((column) => row[column]).join("','")}')`);

it.each([
  [
    'CSV',
    [columns.join(','), ...rows.map((row) => columns.map((column) => row[column]).join(','))].join('\n'),
  ],
  ['JSON lines', rows.map((row) => JSON.stringify(row)).join('\n')],
  ['JSON', JSON.stringify(rows)],
  ['SQL', `INSERT INTO users (${columns.join(',')}) VALUES ${values.join(',\n')};\n`],
])('rows of one user across a batch boundary become one user: %s', async (_form, users) => {
  const result = await runTable({ users, map, flags: { idp } });
  expect(result.users).toHaveLength(2500);
  expect(rejections(result)).toEqual([]);
  const expected = rows.map(({ uid }) => uid);
  expect(linksOf(result).flat()).toEqual(expected);
});
