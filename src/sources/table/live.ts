/**
 * Reads tables of a running database, and entries of a running directory, as the dump and the LDIF that their own tools
 * write.
 */
import { InputError, UsageError } from '../../errors.ts';
import {
  type Database,
  type Table,
  type Directory,
  type DirectoryEntry,
  countedRows,
  liveInput,
} from '../../lib/live-system.ts';
import { note, type Notify } from '../../notice.ts';
import { groupBy } from '../../lib/group-by.ts';
import { matchesTable } from './forms/sql-tables.ts';
import { columnsOf } from './mapping/reader.ts';
import type { TableOptions } from './mapping/schema.ts';

/** Throws `UsageError` if it is not clear which table has the users, and `InputError` if a table may not be read. */
export async function openLiveTables(db: Database, { mapping, mappingName }: TableOptions, notify: Notify) {
  const { source = {}, tables: joined = {} } = mapping;
  if (source.format !== undefined && source.format !== 'sql') {
    throw new UsageError(
      `${mappingName} is about files of ${source.format}: source.format`,
      'Leave that out for a database.',
    );
  }
  const all = await db.tables();
  const { ownNames: named } = columnsOf(mapping);
  const users = chooseUsers(db, all, source.table, named);
  const words = new Set(JSON.stringify(mapping).match(/[\w:-]+/g));
  // Includes missing tables, so that the users are not read once more to look for their rows.
  const companions = Object.fromEntries(
    Object.entries(joined).map(([name, { from = name }]) => {
      const fitting = all.filter((table) => fits(table, from));
      if (from.includes('*')) refuseTwins(db.host, from, fitting, (table) => namedOf(table, words).join());
      return [name, fitting.map((table) => openTable(db, table, words))];
    }),
  );
  const missing = Object.keys(joined).filter((name) => !companions[name]![0] && !joined[name]!.optional);
  if (missing.length > 0) {
    const readable = db.kind === 'mysql' ? ' that this account may read' : '';
    const text = `${db.host}: there is no table${readable} for ${missing.join(', ')}, which the mapping joins`;
    notify(note('map:no-table', text));
  }
  return { inputs: users.map((table) => openTable(db, table, named)), companions };
}

/**
 * Returns the table that the pattern names, or several with different columns if it has a star. Without a pattern, returns the
 * table with the most columns that the mapping names.
 */
function chooseUsers(
  { host }: Database,
  tables: readonly Table[],
  pattern: string | undefined,
  named: ReadonlySet<string>,
) {
  const score = (table: Table) => namedOf(table, named).length;
  const hasStar = pattern?.includes('*') === true;
  const least = hasStar || pattern === undefined ? Math.min(2, named.size) : 0;
  const fitting = tables.filter((table) => score(table) >= least && fits(table, pattern ?? '*'));
  const most = pattern === undefined ? Math.max(...fitting.map(score)) : 0;
  const chosen = fitting.filter((table) => score(table) >= most);
  if (chosen.length === 0) {
    throw new UsageError(
      `${host}: there is no table ${pattern ?? 'with the columns of the mapping'} in this database`,
      `This account may read ${names(tables.filter(({ columns }) => columns.length > 0).slice(0, 30)) || 'none'}. Name one in the mapping: source: { table: ... }.`,
    );
  }
  refuseTwins(host, 'of the users', chosen, (table) => (hasStar ? namedOf(table, named).join() : ''));
  return chosen;
}

const names = (tables: readonly Table[]) => tables.map(({ name }) => name).join(', ');

const namedOf = ({ columns, hidden }: Table, named: ReadonlySet<string>) =>
  [...columns.map(({ name }) => name), ...hidden].filter((column) => named.has(column));

/** Throws `UsageError` if two tables have the same key, as those of two installations do. */
function refuseTwins(host: string, what: string, tables: readonly Table[], keyOf: (table: Table) => string) {
  for (const twins of groupBy(tables, keyOf).values())
    if (twins.length > 1)
      throw new UsageError(
        `${host}: ${names(twins)} may each be the table ${what}`,
        'Name one in the mapping: source: { table: ... }, or from, in tables.',
      );
}

/** Without a schema, a pattern is of tables in the schema of the connection. */
function fits({ name, full }: Table, pattern: string) {
  if (pattern.includes('.')) return matchesTable(full, pattern);
  return name !== full && matchesTable(name, pattern);
}

/** Throws `InputError` if columns that the mapping names may not be read. */
function openTable(db: Database, table: Table, named: ReadonlySet<string>) {
  const { name, full, quoted, columns, hidden } = table;
  const lost = columns.length === 0 ? hidden : hidden.filter((column) => named.has(column));
  if (lost.length > 0) {
    throw new InputError(
      'input:live',
      db.host,
      `a permission is missing: ${name} (${lost.slice(0, 10).join(', ')})`,
      `Grant it: GRANT SELECT ON ${quoted} TO <user>;`,
    );
  }
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const titles = columns.map((column) => quote(column.name)).join(', ');
  return liveInput(`${name}@${db.host}`, async function* read() {
    // MySQL does not list columns that the account may not read, and only this statement needs all of them.
    if (db.kind === 'mysql' && [...named].some((one) => columns.every((column) => column.name !== one)))
      await db.query(`select * from ${quoted} limit 0`);
    yield `COPY ${quote(full)} (${titles}) FROM stdin;\n`;
    const count = `select count(*) from ${quoted}`;
    for await (const { text } of countedRows(db, `rows of ${name}`, count, db.readTable(table))) yield text;
    yield '\\.\n';
  });
}

/** Opens all entries, with the attributes that the mapping names. */
export async function openLiveEntries(directory: Directory, { mapping }: TableOptions) {
  const attributes = [...new Set(['objectClass', ...columnsOf(mapping).ownNames])].filter(
    (name) => /^[\w.;-]+$/.test(name) && name !== 'dn',
  );
  const input = liveInput(`users@${directory.host}`, async function* read() {
    for await (const entries of directory.read(attributes)) yield entries.map(writeEntry).join('');
  });
  return { inputs: [input], companions: {} };
}

/** Writes an entry as in RFC 2849: values that are not safe are base64. */
function writeEntry({ dn, attributes }: DirectoryEntry) {
  const lines = [['dn', Buffer.from(dn)] as const, ...attributes].map(([name, value]) => {
    const text = value.toString('latin1');
    const isSafe = /^(?:[\x21-\x39\x3b\x3d-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/.test(text);
    return isSafe ? `${name}: ${text}\n` : `${name}:: ${value.toString('base64')}\n`;
  });
  return `${lines.join('')}\n`;
}
