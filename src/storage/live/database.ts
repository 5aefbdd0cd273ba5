/** Opens the database of an address. */
import type { Database } from '../../lib/database.ts';
import { type Login, readAddress } from './address.ts';

export type OpenedDatabase = Database & { close(): Promise<void> };

const rules = {
  flag: 'database',
  example: 'postgres://idport@db.example.org/keycloak',
  ports: { 'postgres:': 5432, 'postgresql:': 5432, 'mysql:': 3306, 'mariadb:': 3306 },
};

/** Throws `UsageError` for what is no address, `InputError` for a database that cannot be used. */
export async function openDatabase(login: Login): Promise<OpenedDatabase> {
  const address = readAddress(login, rules);
  if (address.url.protocol.startsWith('postgres'))
    return (await import('./postgres.ts')).openPostgres(address);
  return (await import('./mysql.ts')).openMysql(address);
}
