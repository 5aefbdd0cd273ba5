/** MySQL and MariaDB as a database to read: one read-only snapshot, and one result after the other in it. */
import type { Connection, QueryOptions } from 'mysql2';
import { InputError } from '../../errors.ts';
import { type Row, tablesOf } from '../../lib/database.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { importOptional } from '../../lib/optional-package.ts';
import type { Address } from './address.ts';
import type { OpenedDatabase } from './database.ts';
import { connectTimeout, liveProblem, mostBytes, tooLarge, withinSilence } from './guard.ts';

/** As mysqldump reads: backslashes escape, times are UTC. */
const settings = [
  `set session sql_mode = ''`,
  `set session time_zone = '+00:00'`,
  'set session group_concat_max_len = 1073741824',
  'set session transaction isolation level repeatable read',
  'start transaction with consistent snapshot, read only',
];

const catalog = `select TABLE_NAME, COLUMN_NAME, DATA_TYPE, 't' from information_schema.COLUMNS
where TABLE_SCHEMA = database() order by TABLE_NAME, ORDINAL_POSITION`;

const rowsInBatch = 100;

/** Throws `InputError`, or `IdportError` where the package is missing. */
export async function openMysql({ url, place, password }: Address): Promise<OpenedDatabase> {
  const { createConnection } = await importOptional(
    'mysql2@3',
    'databases of MySQL and MariaDB',
    () => import('mysql2'),
  );
  const connection = createConnection({
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: password ?? process.env['MYSQL_PWD'] ?? '',
    database: decodeURIComponent(url.pathname.slice(1)),
    // Hashes and the password go through no open line.
    ...(isLoopback(url.hostname) || url.searchParams.get('ssl') === 'false' ? {} : { ssl: {} }),
    charset: 'utf8mb4',
    connectTimeout,
  });
  return readWith(connection, place);
}

interface State {
  failure: unknown;
  arrived: number;
  /** A second result would wait for the end of the first, and the first for its reader. */
  isReading: boolean;
  /** There is no cursor: the rest of a result arrives, and is dropped. */
  isDropping: boolean;
}

const optionsOf = (sql: string): QueryOptions => ({
  sql,
  rowsAsArray: true,
  typeCast: (field) => field.string('utf8'),
});

async function readWith(connection: Connection, place: string): Promise<OpenedDatabase> {
  const state: State = { failure: undefined, arrived: 0, isReading: false, isDropping: false };
  // Its type does not show the socket.
  const { stream } = connection as unknown as { readonly stream: NodeJS.ReadableStream };
  const problem = (error: unknown): InputError => liveProblem(place, state.failure ?? error);
  const closed = new Promise<never>((_, reject) => {
    stream.once('close', () => reject(new Error('the connection was closed')));
  });
  closed.catch(() => undefined);
  const inTime = <Value>(work: Promise<Value>): Promise<Value> =>
    withinSilence(place, Promise.race([work, closed]));
  connection.on('error', (error) => (state.failure ??= error));
  stream.on('data', (block: Buffer) => {
    state.arrived += block.length;
    if (state.arrived <= mostBytes || state.isDropping) return;
    state.failure ??= tooLarge(place);
    connection.destroy();
  });
  const query = async (sql: string): Promise<readonly Row[]> => {
    if (state.isReading) throw new Error('two results at once');
    state.arrived = 0;
    const rows = new Promise<readonly Row[]>((resolve, reject) => {
      connection.query(optionsOf(sql), (error, found) =>
        error === null ? resolve(found as unknown as Row[]) : reject(error),
      );
    });
    return inTime(rows).catch((error: unknown) => {
      throw problem(error);
    });
  };
  const read = (sql: string): AsyncGenerator<readonly Row[]> =>
    readRows(connection, { sql, state, problem, inTime });
  try {
    for (const sql of settings) await query(sql);
  } catch (error) {
    connection.destroy();
    throw error;
  }
  return {
    place,
    kind: 'mysql',
    tables: async () => tablesOf(await query(catalog)),
    query,
    read,
    quote: (text) => `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", "''")}'`,
    name: (text) => `\`${text.replaceAll('`', '``')}\``,
    close: async () => connection.destroy(),
  };
}

interface Reading {
  readonly sql: string;
  readonly state: State;
  readonly problem: (error: unknown) => InputError;
  /** What the work gives, unless the connection breaks or nothing comes. */
  readonly inTime: <Value>(work: Promise<Value>) => Promise<Value>;
}

async function* readRows(
  connection: Connection,
  { sql, state, problem, inTime }: Reading,
): AsyncGenerator<readonly Row[]> {
  if (state.isReading) throw new Error('two results at once');
  state.isReading = true;
  state.arrived = 0;
  const command = connection.query(optionsOf(sql));
  const ended = new Promise<void>((resolve) => command.once('end', resolve));
  const rows = command.stream({ highWaterMark: rowsInBatch });
  const iterator = rows[Symbol.asyncIterator]();
  let batch: Row[] = [];
  try {
    for (;;) {
      const next = await inTime(iterator.next());
      if (next.done === true) break;
      state.arrived = 0;
      batch.push(next.value as Row);
      if (batch.length < rowsInBatch) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } catch (error) {
    throw problem(error);
  } finally {
    state.isDropping = true;
    rows.destroy();
    await inTime(ended).catch(() => undefined);
    state.isDropping = false;
    state.isReading = false;
  }
}
