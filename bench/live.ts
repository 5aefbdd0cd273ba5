/**
 * `migrate keycloak --database` of a PostgreSQL that a real Keycloak has filled, beside a script that fetches and writes the
 * same rows, and beside the same users in a file. `scripts/live-programs.sh` installs both.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatCount } from '../src/lib/format.ts';
import { partsOfRealm } from '../src/sources/keycloak/live-sql.ts';
import { has, type LiveDatabase, startKeycloak, startPostgres } from '../test/support/live-programs.ts';
import type { Bench, BenchOptions, Row } from './bench.ts';
import { idport, nodeVersion } from './measure.ts';
import { race } from './race.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const judged = 'idport, 1 thread';

export const liveBench: Bench = {
  name: 'live',
  about: 'convert the users of a running Keycloak on PostgreSQL (100000 users)',
  async *rows(options) {
    if (!has.postgres || !has.keycloak('postgres')) {
      options.say('no PostgreSQL or no Keycloak: scripts/live-programs.sh installs them');
      return;
    }
    const folder = mkdtempSync(join(tmpdir(), 'idport-bench-'));
    const database = await startPostgres();
    try {
      for (const count of options.sizes.length > 0 ? options.sizes : [100_000]) {
        options.say(`making about ${formatCount(count)} users`);
        yield* await compare(folder, database, await fill(database, count), options);
      }
    } finally {
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const inRealm = `realm_id = (select id from realm where name = 'orchard')`;

/** As many copies of the users of a realm as are needed; the number of users. */
async function fill(database: LiveDatabase, count: number): Promise<number> {
  database.sql('drop schema public cascade; create schema public');
  const realm = join(root, 'fixtures/keycloak/exports/kc-26.7.3-orchard/orchard.json');
  const keycloak = await startKeycloak('postgres', database.port, readFileSync(realm, 'utf8'));
  await keycloak.stop();
  // A conversion that rejects users does not end with 0.
  database.sql(
    `update user_entity set email = id || '@example.org' where coalesce(email, '') !~ '^\\w+(\\.\\w+)*@'`,
  );
  database.sql(`create table first as select id from user_entity where ${inRealm}`);
  const copies = Math.ceil(count / Number(database.sql('select count(*) from first'))) - 1;
  for (const [table, change] of Object.entries(changes)) {
    const of = `t.${table === 'user_entity' ? 'id' : 'user_id'} in (select id from first)`;
    const copy = `(jsonb_populate_record(t, jsonb_build_object(${change}))).*`;
    database.sql(
      `insert into ${table} select ${copy} from ${table} t, generate_series(1, ${copies}) n where ${of}`,
    );
  }
  database.sql('drop table first; analyze');
  return Number(database.sql(`select count(*) from user_entity where ${inRealm}`));
}

const copyOf = (column: string) => `'${column}', md5(t.${column} || n)::uuid`;

/** What is different in copy `n` of a row `t`. */
const changes = {
  user_entity: `${copyOf('id')}, 'username', t.username || '-' || n, 'email', n || '.' || t.email, 'email_constraint', n || t.id`,
  user_attribute: `${copyOf('id')}, ${copyOf('user_id')}`,
  credential: `${copyOf('id')}, ${copyOf('user_id')}`,
  federated_identity: `${copyOf('user_id')}, 'federated_user_id', t.federated_user_id || '-' || n`,
  user_role_mapping: copyOf('user_id'),
  user_group_membership: copyOf('user_id'),
  user_required_action: copyOf('user_id'),
};

function compare(
  folder: string,
  database: LiveDatabase,
  count: number,
  options: BenchOptions,
): Promise<Row[]> {
  const [statement, realm, output] = ['users.sql', 'realm.json', 'body.json'].map((name) =>
    join(folder, name),
  );
  const realmId = database.sql(`select id from realm where name = 'orchard'`).trim();
  const users = partsOfRealm('postgres', 26.07, `'${realmId}'`).find(({ before }) =>
    before.includes('"users"'),
  );
  writeFileSync(statement!, users!.sql);
  const convert = (threads: number, ...source: readonly string[]) => [
    ...idport,
    'migrate',
    'keycloak',
    '--org=1',
    '--target-profile=all-verifiers',
    `--threads=${threads}`,
    `--output=${output}`,
    ...source,
  ];
  const live = [`--database=${database.url}`, '--realm-name=orchard'];
  return race(
    {
      task: `keycloak on PostgreSQL, ${formatCount(count)} users`,
      count,
      output: output!,
      entrants: [
        {
          who: `Node ${nodeVersion}, rows to a file`,
          command: [
            process.execPath,
            join(root, 'bench/standins/copy-rows.js'),
            database.url,
            statement!,
            realm!,
          ],
        },
        { who: judged, command: convert(1, ...live) },
        { who: 'idport, 2 threads', command: convert(2, ...live) },
        { who: 'idport, the file, 1 thread', command: convert(1, `--realm=${realm}`) },
      ],
      judged,
      maxBytes: 150e6,
    },
    options,
  );
}
