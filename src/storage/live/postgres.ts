/** PostgreSQL as a database to read: one read-only snapshot, and cursors in it. */
import { type Row, tablesOf } from '../../lib/live-system.ts';
import { isLoopback } from '../../lib/private-address.ts';
import { importOptional } from '../../lib/optional-package.ts';
import type { Address, OpenedDatabase } from './address.ts';
import { connectTimeout, createGuard, maxRows, rowsFor } from './guard.ts';

/** Inside the transaction: poolers refuse options at the start. */
const settings = `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL jit = off; SET LOCAL synchronize_seqscans = off;
SET LOCAL cursor_tuple_fraction = 1; SET LOCAL standard_conforming_strings = on; SET LOCAL datestyle = 'ISO';
SET LOCAL intervalstyle = 'postgres'; SET LOCAL timezone = 'UTC'; SET LOCAL extra_float_digits = 3; SET LOCAL bytea_output = 'hex';`;

const catalog = `SELECT c.relname, a.attname, t.typname, has_column_privilege(c.oid, a.attnum, 'SELECT')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema()) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
ORDER BY c.relname, a.attnum`;

/** The schema is for the session, all else for the driver. */
function readParameters(url: URL): { readonly connectionString: string; readonly schema: string | null } {
  const address = new URL(url);
  const schema = address.searchParams.get('schema');
  address.searchParams.delete('schema');
  const hasMode = address.searchParams.has('sslmode') || (process.env['PGSSLMODE'] ?? '') !== '';
  // Hashes and the password go through no open line.
  if (!hasMode && !isLoopback(url.hostname)) address.searchParams.set('sslmode', 'verify-full');
  return { connectionString: address.href, schema };
}

/** Throws `InputError`, or `IdportError` where the package is missing. */
export async function openPostgres({ url, host, password }: Address): Promise<OpenedDatabase> {
  const { Client } = (await importOptional('pg@8', 'databases of PostgreSQL', () => import('pg'))).default;
  const { connectionString, schema } = readParameters(url);
  const guard = createGuard(host);
  let client: InstanceType<typeof Client>;
  const close = async (): Promise<void> => {
    // An open cursor, or a side that does not answer, must not hold up the end.
    client.connection.stream.destroy();
  };
  const ask = async (sql: string): Promise<readonly Row[]> => {
    guard.arrived = 0;
    const { rows } = await guard.during(client.query<(string | null)[]>({ text: sql, rowMode: 'array' }));
    return rows;
  };
  try {
    client = new Client({
      connectionString,
      ...(password === undefined ? {} : { password }),
      application_name: 'idport',
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
      // Texts as the database writes them.
      types: { getTypeParser: () => (text: string) => text },
    });
  } catch (error) {
    // A file that the address names.
    throw guard.problem(error);
  }
  try {
    client.on('error', (error) => (guard.failure ??= error));
    const first = guard.watch(client.connection.stream);
    await client.connect();
    if (client.connection.stream !== first) guard.watch(client.connection.stream);
    await ask(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${settings}`);
    if (schema !== null) await ask(`SET LOCAL search_path = ${client.escapeIdentifier(schema)}`);
  } catch (error) {
    await close();
    throw guard.problem(error);
  }
  let cursors = 0;
  async function* read(sql: string): AsyncGenerator<readonly Row[]> {
    const cursor = `idport_${++cursors}`;
    await ask(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`);
    const fetch = (size: number): Promise<readonly Row[]> => {
      const rows = ask(`FETCH ${size} FROM ${cursor}`);
      // Where the reading ends early, it is not awaited.
      rows.catch(() => undefined);
      return rows;
    };
    let size = maxRows / 10;
    let next = fetch(size);
    try {
      for (;;) {
        const rows = await next;
        const isLast = rows.length < size;
        size = rowsFor(rows.length, guard.arrived);
        // The database reads on while these are worked on.
        if (!isLast) next = fetch(size);
        if (rows.length > 0) yield rows;
        if (isLast) return;
      }
    } finally {
      await next.catch(() => undefined);
      if (guard.failure === undefined) await ask(`CLOSE ${cursor}`);
    }
  }
  return {
    host,
    kind: 'postgres',
    tables: async () => tablesOf(await ask(catalog)),
    query: ask,
    read,
    quote: (text) => client.escapeLiteral(text),
    name: (text) => client.escapeIdentifier(text),
    close,
  };
}
