/** The tables of a dump: their columns, and which one is that of the users. */
import { UsageError } from '../../../errors.ts';
import { adviseEmpty } from '../../../lib/input.ts';
import { shellWord } from '../../../lib/format.ts';
import { type FormRequest, matchColumnCase } from './form.ts';
import { EndOfText, SqlCursor } from './sql-cursor.ts';

export interface TableColumns {
  readonly all: readonly string[];
  /** Without those that the database computes: SQLite and others leave them out of rows. */
  readonly stored: readonly string[];
}

export class DumpTables {
  readonly #created = new Map<string, TableColumns>();
  /** Those that have rows. */
  readonly #seen = new Set<string>();
  /** The first table whose columns nothing names. */
  #nameless: string | undefined;
  /** Whose rows are given out. */
  chosen: string | undefined;
  /** Others that have rows. */
  readonly unread = new Set<string>();
  /** How many of the named columns it has. */
  #fit = 0;
  readonly #request: FormRequest;

  constructor(request: FormRequest) {
    this.#request = request;
  }

  addCreated(table: string, columns: TableColumns): void {
    this.#created.set(table, columns);
  }

  /** The columns of rows, which their own statement may name. */
  columnsOf(table: string, given: readonly string[] | undefined): TableColumns {
    const { source, named } = this.#request;
    const created = this.#findCreated(table);
    const columnsFrom = (names: readonly string[] = source.titles ?? []) =>
      matchColumnCase(named, given ?? names);
    const all = columnsFrom(created?.all);
    this.#seen.add(table);
    if (all.length === 0) this.#nameless ??= table;
    return { all, stored: columnsFrom(created?.stored) };
  }

  /** A name in another case is that of the table, unless there are several. */
  #findCreated(table: string): TableColumns | undefined {
    const exact = this.#created.get(table);
    if (exact !== undefined) return exact;
    const similar = [...this.#created].filter(([name]) => name.toLowerCase() === table.toLowerCase());
    return similar.length === 1 ? similar[0]![1] : undefined;
  }

  isRequested(table: string, columns: TableColumns): boolean {
    const { table: pattern, named } = this.#request;
    if (this.#isJoined(table) || (pattern !== undefined && !matchesTable(table, pattern))) return false;
    if (pattern?.includes('*') === false) return true;
    if (pattern === undefined && this.chosen !== undefined && !this.#isSameName(table)) return false;
    return this.#countNamed(columns) >= Math.min(2, named.size);
  }

  /** At the first of its rows. Those of another table that may be the one as well would be lost silently. */
  choose(table: string, columns: TableColumns): void {
    const { input, table: pattern, isOptional } = this.#request;
    const isRequested = this.isRequested(table, columns);
    const fit = this.#countNamed(columns);
    const isOther = this.chosen !== undefined && this.chosen !== table;
    const isAsGood = pattern === undefined && fit >= this.#fit && !this.#isJoined(table);
    if (isOther && (isAsGood || (isRequested && this.#isSameName(table))))
      throw new UsageError(
        `${input.name}: both ${this.chosen} and ${table} may be the table ${isOptional === true ? pattern : 'of the users'}`,
        `Name one in the mapping, with its schema: ${isOptional === true ? 'from, in tables' : 'source: { table: ... }'}. Or dump it alone.`,
      );
    if (isRequested) [this.chosen, this.#fit] = [table, fit];
    else this.unread.add(table);
  }

  /** It may be that of the users only where the mapping names it as this one, too. */
  #isJoined(table: string): boolean {
    const { table: pattern, joined = [] } = this.#request;
    return pattern === undefined && joined.some((from) => matchesTable(table, from));
  }

  #countNamed({ all }: TableColumns): number {
    return all.filter((column) => this.#request.named.has(column)).length;
  }

  /** As the table whose rows are read, in another schema or case, or as a pattern has it; one with a star may name several. */
  #isSameName(table: string): boolean {
    const { table: pattern } = this.#request;
    if (pattern !== undefined) return !pattern.includes('*');
    const last = (name = '') => name.slice(name.lastIndexOf('.') + 1).toLowerCase();
    return last(table) === last(this.chosen);
  }

  /** At the end of the dump. Throws `UsageError` where no table is that of the users. */
  finish(): void {
    if (this.chosen !== undefined || this.#request.isOptional === true) return;
    if (this.#nameless !== undefined && this.#seen.size === 1) throw this.namelessRows(this.#nameless);
    throw new NoUserTable(this.#request, [...this.#seen]);
  }

  namelessRows(table: string): UsageError {
    return new UsageError(
      `${this.#request.input.name}: the rows of ${table} have no names of columns`,
      'Dump the table with its CREATE TABLE, or with names (pg_dump --column-inserts, mysqldump --complete-insert), or name them in the mapping: source: { titles: [id, email, ...] }.',
    );
  }
}

/** None of the tables in the dump is that of the users. */
export class NoUserTable extends UsageError {
  readonly tables: readonly string[];

  constructor({ input, table, numbersColumns }: FormRequest, tables: readonly string[]) {
    const how =
      numbersColumns === true
        ? `Draft from one: \`idport map ${shellWord(input.name)} --table=<name>\`.`
        : 'Name one in the mapping: source: { table: ... }.';
    const missing =
      numbersColumns === true ? 'a table that looks like one of users' : 'a table with these columns';
    // Of a database, only the table of the users is read.
    const isMeant = (name: string) => (table === undefined ? input.isLive : matchesTable(name, table));
    const empty = tables.find(isMeant);
    super(
      empty === undefined
        ? `${input.name}: the dump has no rows of ${table === undefined ? missing : `a table ${table}`}`
        : `${input.name}: the table ${empty} has no rows`,
      tables.length === 0 || empty !== undefined
        ? adviseEmpty(input, 'Dump the data, too.')
        : `There are: ${tables.slice(0, 30).join(', ')}. ${how}`,
    );
    this.tables = tables;
  }
}

/** In any case; the schema counts only where both name one. */
export function isSameTable(one: string, other: string): boolean {
  return matchesTable(one, other) || matchesTable(other, one);
}

/** `users`, `auth.users`, `*_usermeta`, `users|user`; the schema counts only where the pattern names one. */
export function matchesTable(table: string, pattern: string): boolean {
  const name = table.toLowerCase();
  return pattern
    .toLowerCase()
    .split('|')
    .some((requested) => {
      const own = requested.includes('.') ? name : name.slice(name.lastIndexOf('.') + 1);
      return requested.startsWith('*') ? own.endsWith(requested.slice(1)) : own === requested;
    });
}

/** The columns that a CREATE TABLE names, with the cursor after its first word; undefined for any other CREATE. */
export function readCreate(cursor: SqlCursor): { table: string; columns: TableColumns } | undefined {
  for (let words = 0; !cursor.matchWord(/^TABLE$/); words++) {
    if (words === 3 || cursor.word() === undefined) return undefined;
  }
  cursor.skipWords(/^(?:IF|NOT|EXISTS)$/);
  const table = cursor.name();
  if (table === undefined || cursor.peek() !== '(') return undefined;
  const parts = readParts(cursor);
  return parts && { table, columns: columnsOf(parts) };
}

/** What is between the commas of CREATE TABLE, without texts and comments; undefined where no bracket closes it. */
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
/** Constraints and indexes. A column may be named key or index, too: its brackets hold a number or a text. */
const notColumns = new RegExp(
  String.raw`^(?:(?:CONSTRAINT|PRIMARY|UNIQUE|FOREIGN|CHECK|FULLTEXT|SPATIAL|LIKE)\b|EXCLUDE\s*(?:USING\b|\()|PERIOD\s+FOR\b|` +
    String.raw`(?:KEY|INDEX)\s*(?:${identifier}\s*)?(?:USING\s+\w+\s*)?\(\s*[^\d\s'])`,
  'i',
);

const computed = /\sAS\s*\(/i;

function columnsOf(parts: readonly string[]): TableColumns {
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
