/** Tracks the tables of a dump and their columns, and chooses the table of users. */
import { UsageError } from '../../../errors.ts';
import { adviseEmpty } from '../../../lib/input.ts';
import { createColumnMatch, type FormRequest } from './form.ts';
import { EndOfText, SqlCursor } from './sql-cursor.ts';

export interface TableColumns {
  readonly all: readonly string[];
  /** Columns without generated ones, which SQLite and others leave out of rows. */
  readonly stored: readonly string[];
}

export class DumpTables {
  readonly #created = new Map<string, TableColumns>();
  /** Tables that have rows. */
  readonly #seen = new Set<string>();
  /** First table that may be the requested one, but whose columns are not named anywhere. */
  #nameless: string | undefined;
  /** Table whose rows are returned. */
  chosen: string | undefined;
  /** Database whose tables are read, where the dump has several. */
  database = 'the default database';
  /** Database of the chosen table. */
  #chosenIn = '';
  /** Other tables that have rows. */
  readonly unread = new Set<string>();
  /** Named columns that the chosen table has. */
  #fit: readonly string[] = [];
  readonly #request: FormRequest;
  readonly #match: ReturnType<typeof createColumnMatch>;

  constructor(request: FormRequest) {
    this.#request = request;
    this.#match = createColumnMatch(request.named);
  }

  /** Reports whether the chosen table is of another database. */
  get isElsewhere() {
    return this.chosen !== undefined && this.database !== this.#chosenIn;
  }

  addCreated(table: string, columns: TableColumns) {
    this.#created.set(table, columns);
  }

  /** Returns the columns of rows. `given` are those that their own statement names. */
  columnsOf(table: string, given: readonly string[] | undefined): TableColumns {
    const { source, table: pattern } = this.#request;
    const created = this.#findCreated(table);
    const columnsFrom = (names: readonly string[] = source.titles ?? []) => this.#match(given ?? names);
    const all = columnsFrom(created?.all);
    this.#seen.add(table);
    if (all.length === 0 && (pattern === undefined || matchesTable(table, pattern))) this.#nameless ??= table;
    return { all, stored: columnsFrom(created?.stored) };
  }

  /** Finds a created table, ignoring case, and the schema where one name lacks it, unless several fit. */
  #findCreated(table: string) {
    const exact = this.#created.get(table);
    if (exact !== undefined) return exact;
    const similar = [...this.#created].filter(([name]) => isSameTable(name, table));
    return similar.length === 1 ? similar[0]![1] : undefined;
  }

  isRequested(table: string, columns: TableColumns) {
    const { table: pattern, named } = this.#request;
    if (this.#isJoined(table) || (pattern !== undefined && !matchesTable(table, pattern))) return false;
    if (pattern?.includes('*') === false && !this.isElsewhere) return true;
    if (pattern === undefined && this.chosen !== undefined && lastName(table) !== lastName(this.chosen))
      return false;
    return this.#namedOf(columns).length >= Math.min(2, named.size);
  }

  /** Called at the first row of a table. Throws if two tables may be the one, because the rows of the other would be lost silently. */
  choose(table: string, columns: TableColumns) {
    const { input, table: pattern, isOptional } = this.#request;
    const isRequested = this.isRequested(table, columns);
    const fit = this.#namedOf(columns);
    const isOther = this.chosen !== undefined && (this.chosen !== table || this.isElsewhere);
    const isAsGood = pattern === undefined && fit.length >= this.#fit.length && !this.#isJoined(table);
    const of = (database: string) => (this.isElsewhere ? ` of ${database}` : '');
    if (isOther && (isAsGood || (isRequested && this.#isTwin(table, fit))))
      throw new UnclearTable(
        `${input.name}: both ${this.chosen}${of(this.#chosenIn)} and ${table}${of(this.database)} may be the table ${isOptional === true ? pattern : 'of the users'}`,
        this.isElsewhere ? 'Dump one database alone.' : `${adviseName} Or dump it alone.`,
        [this.chosen!, table],
      );
    if (isRequested) [this.chosen, this.#chosenIn, this.#fit] = [table, this.database, fit];
    else this.unread.add(table);
  }

  /** Reports whether the table is only joined. If the mapping names the table of users, that name decides instead. */
  #isJoined(table: string) {
    const { table: pattern, joined = [] } = this.#request;
    return pattern === undefined && joined.some((from) => matchesTable(table, from));
  }

  #namedOf({ all }: TableColumns) {
    return all.filter((column) => this.#request.named.has(column));
  }

  /**
   * Reports whether the table and the chosen one match a pattern alike: under a star, if they have the same named columns, as
   * tables of two installations do. Joined tables with different names are all read.
   */
  #isTwin(table: string, fit: readonly string[]) {
    const { table: pattern, isOptional } = this.#request;
    if (pattern === undefined || this.isElsewhere) return true;
    const nameOf = (one = '') => pattern.split('|').find((name) => matchesTable(one, name))!;
    const name = nameOf(table);
    if (name.includes('*')) return fit.join() === this.#fit.join();
    return isOptional !== true || name === nameOf(this.chosen);
  }

  /** Called at the end of the dump. Throws `UsageError` if there was no table of users. */
  finish() {
    const { input, table, isOptional } = this.#request;
    if (this.chosen !== undefined) return;
    const tables = [...this.#seen];
    if (this.#nameless !== undefined && (table !== undefined || tables.length === 1))
      throw this.namelessRows(this.#nameless);
    if (isOptional === true) return;
    // A live database is only read for the table of users.
    const empty = tables.find(
      (name) => !this.unread.has(name) && (table === undefined ? input.isLive : matchesTable(name, table)),
    );
    const missing =
      table === undefined
        ? 'a table that looks like one of users'
        : `a table ${table} with columns of the mapping`;
    throw new UnclearTable(
      `${input.name}: ${empty === undefined ? `the dump has no rows of ${missing}` : `the table ${empty} has no rows`}`,
      tables.length === 0 || empty !== undefined
        ? adviseEmpty(input, 'Dump the data, too, into the same file: cat *.sql > dump.sql.')
        : `There are: ${tables.slice(0, 30).join(', ')}. If the users are in another file, join the files: cat *.sql > dump.sql. ${adviseName}`,
      tables,
    );
  }

  namelessRows(table: string) {
    return new UsageError(
      `${this.#request.input.name}: the rows of ${table} have no names of columns`,
      'Dump the table with its CREATE TABLE, or with names (pg_dump --column-inserts, mysqldump --complete-insert), or name them in the mapping: source: { titles: [id, email, ...] }.',
    );
  }
}

const lastName = (table: string) => table.slice(table.lastIndexOf('.') + 1).toLowerCase();

/** Thrown if no table in the dump is the table of users, or several may be. */
export class UnclearTable extends UsageError {
  readonly tables: readonly string[];

  constructor(message: string, hint: string, tables: readonly string[]) {
    super(message, hint);
    this.tables = tables;
  }
}

const adviseName =
  'Name one in the mapping, with its schema: source: { table: <name> }, or from, in tables. --print-map prints a built-in mapping. `idport map` takes it as --table=<name>.';

/** Compares table names ignoring case. The schema only counts if both have one. */
export function isSameTable(one: string, other: string) {
  return matchesTable(one, other) || matchesTable(other, one);
}

/** Matches patterns such as `users`, `auth.users`, `*_usermeta`, `users|user`. The schema only counts if the pattern has one. */
export function matchesTable(table: string, pattern: string) {
  const name = table.toLowerCase();
  return pattern
    .toLowerCase()
    .split('|')
    .some((requested) => {
      const own = requested.includes('.') ? name : lastName(table);
      return requested.startsWith('*') ? own.endsWith(requested.slice(1)) : own === requested;
    });
}

/** Reads the columns of a CREATE TABLE, with the cursor after its first word. Returns undefined for any other CREATE. */
export function readCreate(cursor: SqlCursor) {
  for (let words = 0; !cursor.matchWord(/^TABLE$/); words++) {
    if (words === 3 || cursor.word() === undefined) return undefined;
  }
  cursor.skipWords(/^(?:IF|NOT|EXISTS)$/);
  const table = cursor.name();
  if (table === undefined || cursor.peek() !== '(') return undefined;
  const parts = readParts(cursor);
  return parts && { table, columns: columnsOf(parts) };
}

/** Returns the parts between the commas of CREATE TABLE, without texts and comments, or undefined if it is not closed. */
function readParts(cursor: SqlCursor) {
  const parts = [''];
  cursor.skip();
  for (let depth = 1; depth > 0;) {
    if (cursor.peek() === '') throw new EndOfText();
    const { kind, text: written } = cursor.token();
    const text = kind === 'text' ? "''" : written;
    if (text === ';' || (kind === 'word' && /^CREATE$/i.test(text))) return undefined;
    if (text === '(') depth++;
    if (text === ')') depth--;
    if (text === ',' && depth === 1) parts.push('');
    else if (depth > 0) parts[parts.length - 1] += ` ${text}`;
  }
  return parts.map((part) => part.trim());
}

const identifier = '(?:"(?:[^"]|"")+"|`[^`]+`|\\[[^\\]]+\\]|[\\w$]+)';
/** Matches constraints and indexes. A column named key or index has a number or a text in its parentheses. */
const notColumns = new RegExp(
  String.raw`^(?:(?:CONSTRAINT|PRIMARY|UNIQUE|FOREIGN|CHECK|FULLTEXT|SPATIAL|LIKE)\b|EXCLUDE\s*(?:USING\b|\()|PERIOD\s+FOR\b|` +
    String.raw`(?:KEY|INDEX)\s*(?:${identifier}\s*)?(?:USING\s+\w+\s*)?\(\s*[^\d\s'])`,
  'i',
);

const computed = /\sAS\s*\(/i;

function columnsOf(parts: readonly string[]) {
  const all: string[] = [];
  const stored: string[] = [];
  for (const part of parts) {
    if (notColumns.test(part)) continue;
    const name = new SqlCursor(part, 0, { isMySql: false, isLast: true }).name();
    if (name === undefined) continue;
    all.push(name);
    if (!computed.test(part)) stored.push(name);
  }
  return { all, stored };
}
