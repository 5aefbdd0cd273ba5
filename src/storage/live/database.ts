/** Opens a running database, by the scheme of its address. */
import type { Clock } from '../../lib/clock.ts';
import type { Database, OpenedDatabase, RowLines } from '../../lib/live-system.ts';
import { type Login, readAddress } from './address.ts';

const rules = {
  flag: 'database',
  example: 'postgres://idport@db.example.org/keycloak',
  ports: { 'postgres:': 5432, 'postgresql:': 5432, 'mysql:': 3306, 'mariadb:': 3306 },
};

/** Throws `UsageError` for an invalid address, and `InputError` for a database that cannot be used. */
export async function openDatabase(login: Login): Promise<OpenedDatabase> {
  const address = readAddress(login, rules);
  if (address.url.protocol.startsWith('postgres'))
    return (await import('./postgres.ts')).openPostgres(address);
  return (await import('./mysql.ts')).openMysql(address);
}

/** Pauses between batches, so that at most `perSecond` rows are read per second. */
export function atRate(db: Database, perSecond: number, clock: Clock): Database {
  async function* slowed(batches: AsyncIterable<RowLines>) {
    for await (const lines of batches) {
      const next = clock.monotonic() + (1000 * lines.rows) / perSecond;
      yield lines;
      await clock.sleep(next - clock.monotonic());
    }
  }
  return {
    ...db,
    readTable: (table) => slowed(db.readTable(table)),
    readTexts: (sql) => slowed(db.readTexts(sql)),
  };
}
