import { expect, it } from 'vitest';
import { reasons } from '../../../src/records/reasons.ts';
import { rejections, runTable, type TableResult } from '../../support/table-run.ts';

const idp = ['google=1', 'github=2'];

const linksOf = ({ users }: TableResult) =>
  users.map(({ user }) =>
    (user['idps'] as { externalUserId: string }[] | undefined)?.map((link) => link.externalUserId),
  );

const map = `
idport: 1
source: { columns: optional }
user: { id: id, email: email, fullName: name, links: { alias: provider, externalUserId: uid }, roles: { from: role } }
password: { from: hash, format: bcrypt, pepper: none, prehash: none }
`;

/** Larger than several batches, as one user is; the rows differ in length, so that cuts fall anywhere. */
const rows = Array.from({ length: 2500 }, (_, number) =>
  Array.from({ length: number === 1000 ? 1900 : 1 + (number % 3) }, (_, at) => ({
    id: `u${number}`,
    email: `user${number}@example.org`,
    name: `Ada ${'x'.repeat((number * 7) % 90)}`,
    provider: at % 2 === 0 ? 'google' : 'github',
    uid: `${number}-${at}`,
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

it('the remedy for rows of one user that are apart is an order or a table by itself', () => {
  expect(reasons['user-skipped:duplicate-id'].remedy).toMatch(/ORDER BY id.*joined table by itself/);
});
