/** Opens a running database, by the scheme of its address. */
import type { OpenedDatabase } from '../../lib/live-system.ts';
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
