/** Reads MySQL and MariaDB: one read-only snapshot, in which results are read one after the other. */
import type { Duplex } from 'node:stream';
import type { Connection, QueryOptions } from 'mysql2';
import { type OpenedDatabase, type Row, type Table, tablesOf } from '../../lib/live-system.ts';
import { InputError } from '../../errors.ts';
import { bytesText } from '../../lib/strings.ts';
import { isLoopback } from '../../lib/private-address.ts';
import { importOptional } from '../../lib/optional-package.ts';
import type { Address } from './address.ts';
import { connectTimeout, createGuard, type Guard } from './guard.ts';

/** Settings as mysqldump reads: backslashes escape, times are UTC. An import may take a day between two rows. */
const settings = [
  `set session sql_mode = ''`,
  `set session time_zone = '+00:00'`,
  'set session group_concat_max_len = 1073741824',
  'set session net_write_timeout = 86400',
  'set session wait_timeout = 86400',
  'set session transaction isolation level repeatable read',
  'start transaction with consistent snapshot, read only',
];

const catalog = `select TABLE_NAME, concat(TABLE_SCHEMA, '.', TABLE_NAME), concat('\`', replace(TABLE_NAME, '\`', '\`\`'), '\`'),
  COLUMN_NAME, DATA_TYPE, 't'
from information_schema.COLUMNS where TABLE_SCHEMA = database() order by TABLE_NAME, ORDINAL_POSITION`;

const rowsInBatch = 100;

/** Throws `InputError`, or `IdportError` if the package is missing. */
export async function openMysql(address: Address): Promise<OpenedDatabase> {
  const { createConnection } = await importOptional(
    'mysql2@3',
    'databases of MySQL and MariaDB',
    () => import('mysql2'),
  );
  const { url, password } = address;
  const ssl = url.searchParams.get('ssl') ?? String(!isLoopback(url.hostname));
  const connection = createConnection({
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: password || process.env['MYSQL_PWD'] || '',
    database: decodeURIComponent(url.pathname.slice(1)),
    // Hashes and the password must not go over an unencrypted connection.
    ...(ssl !== 'false' && { ssl: { verifyIdentity: true } }),
    charset: 'utf8mb4',
    connectTimeout,
  });
  return readWith(connection, address);
}

const optionsOf = (sql: string): QueryOptions => ({
  sql,
  rowsAsArray: true,
  typeCast: (field) => field.string('utf8'),
});

const escapeCell = (text: string) =>
  text.replaceAll(/[\\\n\r\t]/g, (letter) => JSON.stringify(letter).slice(1, -1));

/** mysqldump writes columns of these types as hex. */
const bytes = /binary|blob|geom|point|polygon|linestring|^bit$/;

const nameOf = (text: string) => `\`${text.replaceAll('`', '``')}\``;

function selectOf({ quoted, columns }: Table) {
  const values = columns.map((column) => {
    const value = nameOf(column.name);
    if (!bytes.test(column.type)) return value;
    return `hex(${column.type === 'bit' ? `cast(${value} as binary)` : value})`;
  });
  return `select ${values.join(', ')} from ${quoted}`;
}

function copyLine({ columns }: Table): (row: Row) => string {
  const textsOf = columns.map(({ type }) => (bytes.test(type) ? bytesText : String));
  return (row) =>
    `${row.map((cell, at) => (cell === null ? '\\N' : escapeCell(textsOf[at]!(cell)))).join('\t')}\n`;
}

function lineOf(text: string | null, host: string) {
  if (text !== null) return `${text}\n`;
  // The database returns null for a text that is longer than its packets.
  throw new InputError(
    'input:live',
    host,
    'a row is longer than the database can send',
    'Raise max_allowed_packet for this account.',
  );
}

async function readWith(connection: Connection, { host, signal }: Address): Promise<OpenedDatabase> {
  const guard = createGuard(host, signal);
  // The type does not show the socket, which a TLS socket replaces.
  const inside = connection as unknown as { readonly stream: Duplex };
  const closed = new Promise<never>((_, reject) => {
    const watch = () =>
      guard
        .watch(inside.stream)
        .once('close', () => reject(guard.problem(new Error('the connection was closed'))));
    const first = watch();
    connection.once('connect', () => inside.stream === first || watch());
  });
  closed.catch(() => undefined);
  const during: Guard['during'] = (work) => guard.during(Promise.race([work, closed]));
  connection.on('error', (error) => (guard.failure ??= error));
  const query = async (sql: string) => {
    guard.arrived = 0;
    const [rows] = await during(connection.promise().query(optionsOf(sql)));
    return rows as unknown as readonly Row[];
  };
  async function* read(sql: string, write: (row: Row) => string) {
    guard.arrived = 0;
    const command = connection.query(optionsOf(sql));
    const ended = new Promise<void>((resolve) => command.once('end', resolve));
    const rows = command.stream({ highWaterMark: rowsInBatch });
    const iterator = rows[Symbol.asyncIterator]();
    let batch: Row[] = [];
    try {
      for (let isOver = false; !isOver;) {
        const next = await during(iterator.next());
        isOver = next.done === true;
        guard.arrived = 0;
        if (!isOver && batch.push(next.value as Row) < rowsInBatch) continue;
        yield { rows: batch.length, text: Buffer.from(batch.map(write).join('')) };
        batch = [];
      }
    } finally {
      // There is no cursor. The rest of a result arrives and is dropped.
      guard.isDropping = true;
      rows.destroy();
      if (guard.failure === undefined) await during(ended).catch(() => undefined);
      guard.isDropping = false;
    }
  }
  try {
    for (const sql of settings) await query(sql);
  } catch (error) {
    connection.destroy();
    throw error;
  }
  return {
    host,
    kind: 'mysql',
    tables: async () => tablesOf(await query(catalog)),
    query,
    readTable: (table) => read(selectOf(table), copyLine(table)),
    readTexts: (sql) => read(sql, ([text = null]) => lineOf(text, host)),
    quote: (text) => `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", "''")}'`,
    close: async () => connection.destroy(),
  };
}
