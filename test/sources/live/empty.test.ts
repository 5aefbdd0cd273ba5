/** A running system without users: advice about exports would not help. */
import { expect, it, vi } from 'vitest';
import { createReadMeter } from '../../../src/flows/read/read-meter.ts';
import { type Database, type Directory, liveInput, tablesOf } from '../../../src/lib/live-system.ts';
import type { KeycloakOptions } from '../../../src/sources/keycloak/options.ts';
import { scanInputs } from '../../../src/sources/keycloak/scan.ts';
import type { Notice } from '../../../src/notice.ts';
import { openLiveEntries, openLiveTables } from '../../../src/sources/table/live.ts';
import { readMapping } from '../../../src/sources/table/mapping/read.ts';
import type { TableOptions } from '../../../src/sources/table/mapping/schema.ts';
import { scanTables } from '../../../src/sources/table/scan.ts';

const { watch } = createReadMeter(() => {});
const hint = 'Check that this is the address of the system with the users.';
const tablesIn = (...names: string[]) =>
  tablesOf(
    names.flatMap((name) =>
      ['id', 'login', 'email'].map((column) => [...name.split(' '), column, 'text', 't']),
    ),
  );
const database = {
  host: 'db:5432',
  tables: async () => tablesIn('users public.users -', 'auth.users auth.users -'),
  query: () => Promise.resolve([['0']]),
  async *readTable() {},
} as Partial<Database> as Database;
const directory: Directory = { host: 'ldap:389', async *read() {} };

it.each([
  [
    'a table that the mapping names',
    'source: { table: users }',
    tables,
    'the table public.users has no rows',
  ],
  ['a table of another schema', 'source: { table: auth.users }', tables, 'the table auth.users has no rows'],
  ['a table with its columns', '', tables, 'the table public.users has no rows'],
  ['a directory', '', (options) => openLiveEntries(directory, options), 'there is nothing in it'],
])('an empty running system is read once and reported: %s', async (_, source, open, message) => {
  const options = await reading(source);
  const { inputs } = await open(options);
  const read = vi.spyOn(inputs[0]!, 'blocks');
  const batches = scanTables(inputs.map(watch), options, () => {});
  await expect(batches.next()).rejects.toMatchObject({ message: expect.stringContaining(message), hint });
  expect(read).toHaveBeenCalledOnce();
});

async function reading(source: string) {
  const text = `idport: 1\n${source}\nuser: { id: id, userName: login, email: email }\n`;
  return { mapping: await readMapping(text, 'map.yaml'), mappingName: 'map.yaml' } as TableOptions;
}

function tables(options: TableOptions, found = database) {
  return openLiveTables(found, options, () => {});
}

it.each(['users|user', '*users|*user'])('two tables that match %s are refused', async (pattern) => {
  const options = await reading(`source: { table: '${pattern}' }`);
  await expect(
    tables(options, { ...database, tables: async () => tablesIn('user a.user -', 'users a.users -') }),
  ).rejects.toThrow('user, users may each be the table of the users');
});

it('a realm without users in the database is reported', async () => {
  const notices: Notice[] = [];
  const input = liveInput('shop@db:1', async function* read() {
    yield '{"realm":"shop","users":[]}\n';
  });
  const batches = scanInputs([watch(input)], {} as KeycloakOptions, (notice) => notices.push(notice));
  await batches.next();
  expect(notices).toMatchObject([{ code: 'input:no-users', text: `no users in shop@db_1. ${hint}` }]);
});
