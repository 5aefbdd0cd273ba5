/** The statements for the database of Keycloak, and what is made of their rows. */
import { expect, it } from 'vitest';
import type { Database, Row } from '../../../src/lib/live-system.ts';
import { openLiveRealms } from '../../../src/sources/keycloak/live.ts';
import { grantStatements, partsOfRealm } from '../../../src/sources/keycloak/live-sql.ts';
import type { KeycloakOptions } from '../../../src/sources/keycloak/options.ts';

interface Recorded {
  readonly version?: string;
  readonly realms?: readonly Row[];
  readonly users?: readonly string[];
}

/** A database that answers with recorded rows. */
function database({
  version = '26.7.3',
  realms = [
    ['1', 'master'],
    ['2', 'orchard'],
  ],
  users = [],
}: Recorded): Database {
  return {
    host: 'db:5432',
    kind: 'postgres',
    tables: async () => [],
    query: async (sql) => {
      if (sql.includes('MIGRATION_MODEL')) return version === '' ? [] : [[version]];
      return sql.includes('count(*)') ? [[String(users.length)]] : realms;
    },
    async *readTable() {},
    async *readTexts(sql) {
      if (!sql.includes('from USER_ENTITY U where U.REALM_ID')) return;
      for (const user of users) yield { rows: 1, text: Buffer.from(`,${user}\n`) };
    },
    quote: (text) => `'${text}'`,
  };
}

async function readRealm(recorded: Recorded, options: Partial<KeycloakOptions> = {}): Promise<unknown> {
  const { inputs } = await openLiveRealms(database(recorded), options as KeycloakOptions);
  const blocks: Uint8Array[] = [];
  for await (const block of inputs[0]!.blocks()) blocks.push(block);
  return JSON.parse(Buffer.concat(blocks).toString());
}

it('openLiveRealms builds an export from rows', async () => {
  expect(await readRealm({ users: ['{"username":"ada"}', '{"username":"ben"}'] })).toMatchObject({
    id: '2',
    realm: 'orchard',
    users: [{ username: 'ada' }, { username: 'ben' }],
    federatedUsers: [],
  });
});

it('openLiveRealms reads the named realm, or the only one with users', async () => {
  expect(await readRealm({}, { realmName: 'master' })).toMatchObject({ realm: 'master' });
  expect(await readRealm({ realms: [['1', 'master']] })).toMatchObject({ realm: 'master' });
  const several = {
    realms: [
      ['1', 'master'],
      ['2', 'a'],
      ['3', 'b'],
    ],
  };
  await expect(readRealm(several)).rejects.toThrow('db:5432: more than one realm holds users: "a", "b"');
  expect(await readRealm(several, { allRealms: true })).toMatchObject({ realm: 'master' });
  await expect(readRealm({}, { realmName: 'c' })).rejects.toThrow('db:5432: there is no realm "c"');
  await expect(readRealm({ realms: [] })).rejects.toThrow(/there is no realm$/);
});

it.each(['17.0.1', '99.0.0', '', 'x'])('openLiveRealms refuses version %j', async (version) => {
  await expect(readRealm({ version })).rejects.toMatchObject({ code: 'input:live', exitCode: 1 });
});

it('partsOfRealm selects only tables and columns of the version', () => {
  const sqlOf = (version: number) =>
    partsOfRealm('mysql', version, "'r'")
      .map(({ sql }) => sql)
      .join('\n');
  // MySQL cuts what it quotes of a column of any length.
  expect(sqlOf(26)).not.toMatch(/json_quote\((?!left\()/);
  // Its collations would make one of two names that differ in case.
  expect(sqlOf(26)).not.toContain('and M.NAME = N');
  expect(sqlOf(18)).not.toMatch(/ORG\b|LONG_VALUE|\b[KGA]\.TYPE =/);
  expect(sqlOf(24)).toContain('LONG_VALUE');
  expect(sqlOf(25)).toMatch('from ORG O');
  expect(sqlOf(25)).not.toMatch(/O\.ALIAS|\b[KGA]\.TYPE =/);
  expect(sqlOf(25)).toContain("'kc.org'");
  expect(sqlOf(26)).not.toContain('kc.org');
  expect(sqlOf(26)).toMatch('O.ALIAS');
  expect(sqlOf(26.05)).not.toContain('G.ORG_ID');
  expect(sqlOf(26.06)).toContain('G.ORG_ID = O.ID');
});

it('grantStatements names every table that is read', () => {
  const all = [18, 25, 99]
    .flatMap((version) => partsOfRealm('postgres', version, "'r'").map(({ sql }) => sql))
    .join(' ');
  const read = new Set(Array.from(all.matchAll(/(?:from|join) ([A-Z_]+) /g), ([, name = '']) => name));
  const granted = grantStatements();
  for (const name of read) expect(granted).toContain(name.toLowerCase());
  expect(granted).toMatch(/^GRANT SELECT ON client, .* TO idport;$/m);
});
