/** PostgreSQL as a database to read: one read-only snapshot, and cursors in it. */
import { type Row, tablesOf } from '../../lib/database.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { importOptional } from '../../lib/optional-package.ts';
import type { Address } from './address.ts';
import type { OpenedDatabase } from './database.ts';
import {
  connectTimeout,
  liveProblem,
  mostBytes,
  mostRows,
  rowsFor,
  tooLarge,
  withinSilence,
} from './guard.ts';

/** Inside the transaction: poolers refuse options at the start. */
const settings = `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL jit = off; SET LOCAL synchronize_seqscans = off;
SET LOCAL cursor_tuple_fraction = 1; SET LOCAL standard_conforming_strings = on; SET LOCAL datestyle = 'ISO';
SET LOCAL intervalstyle = 'postgres'; SET LOCAL timezone = 'UTC'; SET LOCAL extra_float_digits = 3; SET LOCAL bytea_output = 'hex';`;

const catalog = `SELECT c.relname, a.attname, t.typname, has_column_privilege(c.oid, a.attnum, 'SELECT')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema()) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
ORDER BY c.relname, a.attnum`;

/** Throws `InputError`, or `IdportError` where the package is missing. */
export async function openPostgres({ url, place, password }: Address): Promise<OpenedDatabase> {
  const { default: pg } = await importOptional('pg@8', 'databases of PostgreSQL', () => import('pg'));
  const address = new URL(url);
  const schema = address.searchParams.get('schema');
  address.searchParams.delete('schema');
  const hasMode = address.searchParams.has('sslmode') || (process.env['PGSSLMODE'] ?? '') !== '';
  // Hashes and the password go through no open line.
  if (!hasMode && !isLoopback(url.hostname)) address.searchParams.set('sslmode', 'verify-full');
  const client = new pg.Client({
    connectionString: address.href,
    ...(password === undefined ? {} : { password }),
    application_name: 'idport',
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    // Texts as the database writes them.
    types: { getTypeParser: () => (text: string) => text },
  });
  let failure: unknown;
  let arrived = 0;
  const quote = (text: string): string => client.escapeLiteral(text);
  const name = (text: string): string => client.escapeIdentifier(text);
  const ask = async (sql: string): Promise<readonly Row[]> => {
    arrived = 0;
    try {
      const { rows } = await withinSilence(
        place,
        client.query<(string | null)[]>({ text: sql, rowMode: 'array' }),
      );
      return rows;
    } catch (error) {
      throw liveProblem(place, failure ?? error);
    }
  };
  client.on('error', (error) => (failure ??= error));
  const close = async (): Promise<void> => {
    // An open cursor, or a side that does not answer, must not hold up the end.
    client.connection.stream.destroy();
  };
  try {
    await client.connect();
    client.connection.stream.on('data', (block: Buffer) => {
      arrived += block.length;
      if (arrived <= mostBytes) return;
      failure ??= tooLarge(place);
      client.connection.stream.destroy();
    });
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${settings}`);
    if (schema !== null) await client.query(`SET LOCAL search_path = ${name(schema)}`);
  } catch (error) {
    await close();
    throw liveProblem(place, failure ?? error);
  }
  let cursors = 0;
  async function* read(sql: string): AsyncGenerator<readonly Row[]> {
    const cursor = `idport_${++cursors}`;
    await ask(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`);
    try {
      for (let size = mostRows / 10; ;) {
        const rows = await ask(`FETCH ${size} FROM ${cursor}`);
        if (rows.length > 0) yield rows;
        if (rows.length < size) return;
        size = rowsFor(rows.length, arrived);
      }
    } finally {
      if (failure === undefined) await ask(`CLOSE ${cursor}`).catch(() => undefined);
    }
  }
  const tables = async () => tablesOf(await ask(catalog));
  return { place, kind: 'postgres', tables, query: ask, read, quote, name, close };
}
