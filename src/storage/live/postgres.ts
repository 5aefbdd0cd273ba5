/** Reads PostgreSQL: one read-only snapshot, in which COPY statements are read one after the other. */
import type { Client } from 'pg';
import { UsageError } from '../../errors.ts';
import { batchMemory, BatchBuilder } from '../../lib/batch-memory.ts';
import { type OpenedDatabase, type Row, tablesOf } from '../../lib/live-system.ts';
import { isLoopback } from '../../lib/private-address.ts';
import { importOptional } from '../../lib/optional-package.ts';
import type { Address } from './address.ts';
import { connectTimeout, createGuard, type Guard } from './guard.ts';

/**
 * Set inside the transaction, because connection poolers refuse options at the start. With `row_security = off`, a policy that would
 * hide rows is an error.
 */
const settings = `SET LOCAL row_security = off; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL jit = off; SET LOCAL synchronize_seqscans = off;
SET LOCAL standard_conforming_strings = on; SET LOCAL datestyle = 'ISO';
SET LOCAL intervalstyle = 'postgres'; SET LOCAL timezone = 'UTC'; SET LOCAL extra_float_digits = 3; SET LOCAL bytea_output = 'hex';`;

const catalog = `SELECT CASE WHEN n.nspname = current_schema() THEN c.relname::text ELSE n.nspname || '.' || c.relname END,
  n.nspname || '.' || c.relname, format('%I.%I', n.nspname, c.relname), a.attname, t.typname, has_column_privilege(c.oid, a.attnum, 'SELECT')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
ORDER BY n.nspname <> current_schema(), n.nspname, c.relname, a.attnum`;

/** JSON text has no control characters. With these options, COPY writes it unchanged. */
const asItIs = String.raw`(FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')`;

/** Approximate number of bytes that may have arrived and not been read yet. */
const maxWaiting = 128 * 1024;

/** `schema` is for the session, everything else for the driver, which takes the password from the address alone. */
function readParameters(url: URL, password: string) {
  const address = new URL(url);
  address.password = encodeURIComponent(password);
  const schema = address.searchParams.get('schema');
  address.searchParams.delete('schema');
  // The driver would prefer these to what was checked before.
  const hidden = ['host', 'port', 'user', 'password'].find((name) => address.searchParams.has(name));
  if (hidden !== undefined) {
    throw new UsageError(
      `the address of the database has ?${hidden}=`,
      'It begins with postgres://user@host:port/name. A socket is %2Fvar%2Frun%2Fpostgresql in place of the host.',
    );
  }
  const mode = address.searchParams.get('sslmode') ?? process.env['PGSSLMODE'] ?? '';
  // Hashes and the password must not go over an unencrypted connection.
  const isHere = isLoopback(url.hostname) || /^%2f/i.test(url.hostname);
  // The driver checks the certificate in these modes too, but warns of them.
  if (mode === '' ? !isHere : /^(?:prefer|require|verify-ca)$/.test(mode))
    address.searchParams.set('sslmode', 'verify-full');
  return { connectionString: address.href, schema };
}

/**
 * Reads rows while earlier ones are processed, up to `maxWaiting`. There is a message for each row, and handing on a few at a
 * time would take longer than reading them.
 */
async function* copyRows(client: Client, guard: Guard, sql: string) {
  const { connection } = client;
  const lines = new BatchBuilder(maxWaiting);
  let rows = 0;
  let isOver = false;
  let wake = () => {};
  const add = ({ chunk }: { readonly chunk: Buffer }) => {
    guard.arrived = 0;
    // The driver reuses its memory.
    lines.append(chunk, 0, chunk.length);
    rows++;
    if (lines.length <= maxWaiting) return;
    connection.stream.pause();
    wake();
  };
  connection.on('copyData', add);
  const copying = client.query(sql).finally(() => (isOver = true));
  copying.catch(() => undefined);
  try {
    for (;;) {
      const full = new Promise<void>((resolve) => (wake = resolve));
      if (lines.length <= maxWaiting) await guard.during(Promise.race([copying, full]));
      if (lines.length === 0) break;
      const batch = { rows, text: lines.take() };
      rows = 0;
      connection.stream.resume();
      yield batch;
      batchMemory.release(batch.text.buffer);
    }
  } finally {
    connection.off('copyData', add);
    // There is no need to wait for the rest of the rows.
    if (!isOver) connection.stream.destroy();
  }
}

/** Throws `InputError`, or `IdportError` if the package is missing. */
export async function openPostgres({ url, host, password, signal }: Address): Promise<OpenedDatabase> {
  const { Client } = (await importOptional('pg@8', 'databases of PostgreSQL', () => import('pg'))).default;
  const { connectionString, schema } = readParameters(url, password);
  const guard = createGuard(host, signal);
  let client: InstanceType<typeof Client>;
  const close = async () => {
    // Rows that still arrive, or a server that does not answer, must not delay the end.
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
      application_name: 'idport',
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
      // Values are texts as the database writes them.
      types: { getTypeParser: () => (text: string) => text },
    });
  } catch (error) {
    // The address may name a file that cannot be read.
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
  const copy = (sql: string, options = '') => copyRows(client, guard, `COPY (${sql}) TO STDOUT ${options}`);
  return {
    host,
    kind: 'postgres',
    tables: async () => tablesOf(await ask(catalog)),
    query: ask,
    readTable: ({ quoted, columns }) =>
      copy(`SELECT ${columns.map(({ name }) => client.escapeIdentifier(name)).join(', ')} FROM ${quoted}`),
    readTexts: (sql) => copy(sql, asItIs),
    quote: (text) => client.escapeLiteral(text),
    close,
  };
}
