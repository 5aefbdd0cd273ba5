/**
 * Reads the rows of one table out of a dump: INSERT and COPY as pg_dump, mysqldump, SQLite and SQL Server write them. The
 * text is read in units (a statement's head, a row), so that memory holds one row and not one statement.
 */
import { InputError, UsageError } from '../../../errors.ts';
import { printable } from '../../../lib/printable.ts';
import { unescapeCell } from '../../rows.ts';
import type { RawElements } from '../../source.ts';
import { type FormRequest, type OpenRows, matchColumnCase } from './form.ts';
import { headText } from './recognise.ts';
import { EndOfText, SqlCursor } from './sql-cursor.ts';
import {
  isMySqlDump,
  nextHead,
  type Skip,
  skipOn,
  startSkip,
  type StatementHead,
  type TableColumns,
} from './sql-text.ts';
import { Computed, readTuple } from './sql-values.ts';

const rowsInBatch = 500;
/** A quote that is never closed must not take the file into memory. */
const longestUnit = 16 * 1024 * 1024;

export function openSql(request: FormRequest): OpenRows {
  const reader = new DumpReader(request);
  return { batches: scanDump(reader, request), table: () => reader.table };
}

async function* scanDump(reader: DumpReader, { blocks }: FormRequest): AsyncGenerator<RawElements> {
  const decoder = new TextDecoder('utf-8');
  const isText = createUtf8Check();
  let values: unknown[] = [];
  for await (const block of blocks) {
    for (const row of reader.feed(decoder.decode(block, { stream: true }), false, isText(block))) {
      values.push(row);
      if (values.length < rowsInBatch) continue;
      yield { form: 'values', values };
      values = [];
    }
  }
  for (const row of reader.feed(decoder.decode(), true, isText())) values.push(row);
  if (values.length > 0) yield { form: 'values', values };
  reader.finish();
}

/** Whether all bytes so far were UTF-8; called without a block at the end. */
function createUtf8Check(): (block?: Uint8Array) => boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let holds = true;
  return (block) => {
    try {
      if (holds) decoder.decode(block, { stream: block !== undefined });
    } catch {
      holds = false;
    }
    return holds;
  };
}

type Row = Record<string, unknown>;
type RowsHead = Extract<StatementHead, { readonly columns: readonly string[] | undefined }>;

/** None of the tables in the dump is that of the users. */
export class NoUserTable extends UsageError {
  readonly tables: readonly string[];

  constructor({ input, table, numbersColumns }: FormRequest, tables: readonly string[]) {
    const how = numbersColumns === true ? 'with --table=<name>' : 'in the mapping: source: { table: ... }';
    const missing =
      numbersColumns === true ? 'a table that looks like one of users' : 'a table with these columns';
    super(`${input.name}: the dump has no rows of ${table === undefined ? missing : `a table ${table}`}`, {
      hint:
        tables.length === 0
          ? 'Dump the data, too.'
          : `There are: ${tables.slice(0, 30).join(', ')}. Name one ${how}.`,
    });
    this.tables = tables;
  }
}

class DumpReader {
  #text = '';
  /** All bytes so far were UTF-8. */
  #isText = true;
  #at = 0;
  /** Lines before `#text`. */
  #lines = 0;
  /** A row that was not whole is tried again when twice as much of it is there: so its bytes are read only twice. */
  #enough = 0;
  /** The statement whose rows are read. */
  #open: RowsHead | undefined;
  #isFirstRow = true;
  #skip: Skip | undefined;
  #columns: readonly string[] = [];
  #stored: readonly string[] = [];
  #bits: readonly string[] = [];
  readonly #created = new Map<string, TableColumns>();
  readonly #seen = new Set<string>();
  /** The first table whose columns nothing names. */
  #nameless: string | undefined;
  /** Whose rows are given out. */
  table: string | undefined;
  /** How many of the named columns it has. */
  #fit = 0;
  readonly #request: FormRequest;
  /** Known by its head, where names stand in double quotes or in none. */
  readonly #isMySql: boolean;

  constructor(request: FormRequest) {
    this.#request = request;
    this.#isMySql = isMySqlDump(headText(request.head));
  }

  *feed(text: string, isLast: boolean, isText: boolean): Generator<Row> {
    this.#isText &&= isText;
    this.#lines += countFeeds(this.#text, this.#at);
    this.#text = this.#text.slice(this.#at) + text;
    this.#at = 0;
    if (this.#text.length < this.#enough && !isLast) return;
    try {
      while (this.#at < this.#text.length) {
        const row = this.#step(isLast);
        if (row !== undefined) yield row;
      }
    } catch (error) {
      if (!(error instanceof EndOfText)) throw error;
      if (isLast) throw this.#broken('it ends in the middle of a row or a statement');
    }
    this.#enough = Math.min(2 * (this.#text.length - this.#at), longestUnit + 1);
    if (this.#text.length - this.#at > longestUnit)
      throw this.#broken('a row or a statement is longer than 16 MB');
    if (isLast && this.#open?.isMySql === true) throw this.#broken('it ends in the middle of a statement');
  }

  finish(): void {
    if (this.#open?.kind === 'copy') throw this.#broken('it ends before the end of the rows of a table');
    if (this.table !== undefined || this.#request.isOptional === true) return;
    if (this.#nameless !== undefined && this.#seen.size === 1) throw this.#namelessRows(this.#nameless);
    throw new NoUserTable(this.#request, [...this.#seen]);
  }

  /** Reads a row, or a part of what stands between rows. Throws `EndOfText`, with the state as it was. */
  #step(isLast: boolean): Row | undefined {
    if (this.#open?.kind === 'copy') return this.#copyRow(isLast);
    const isMySql = this.#open?.isMySql ?? this.#isMySql;
    const cursor = new SqlCursor(this.#text, this.#at, { isMySql, isLast });
    if (this.#skip !== undefined) return this.#skipStatement(cursor, this.#skip);
    const row = this.#open === undefined ? this.#statement(cursor) : this.#insertRow(cursor, this.#open);
    this.#at = cursor.at;
    return row;
  }

  #skipStatement(cursor: SqlCursor, skip: Skip): undefined {
    for (let isEnd = false; !isEnd && skip.lost === undefined; this.#at = cursor.at)
      isEnd = skipOn(cursor, skip);
    if (skip.lost !== undefined) throw this.#broken(skip.lost);
    this.#skip = undefined;
  }

  #statement(cursor: SqlCursor): undefined {
    const found = nextHead(cursor);
    if (found === undefined) {
      if (!cursor.isAtEnd) this.#skip = startSkip(cursor);
      return;
    }
    if (found.kind === 'create') this.#created.set(found.table, found.columns);
    else if (found.kind === 'change') {
      const { table: own } = this;
      const changed = found.tables.find((table) => own !== undefined && isSameTable(table, own));
      if (changed !== undefined)
        throw this.#broken(`${found.verb} changes rows of ${changed === '*' ? own : changed}`, cursor.at);
      this.#skip = startSkip(cursor, found);
    } else this.#rows(found, cursor);
  }

  #rows(found: RowsHead, cursor: SqlCursor): void {
    const { source, named } = this.#request;
    const { table } = found;
    this.#seen.add(table);
    const created = this.#columnsOf(table);
    this.#columns = matchColumnCase(named, found.columns ?? created?.all ?? source.titles ?? []);
    this.#stored = matchColumnCase(named, found.columns ?? created?.stored ?? source.titles ?? []);
    this.#bits = matchColumnCase(named, created?.bits ?? []);
    const isRequested = this.#requests(table);
    if (this.#columns.length === 0) this.#nameless ??= table;
    if (isRequested && found.unread !== undefined)
      throw this.#broken(`the rows of ${table} are ${found.unread}`);
    if (isRequested && this.#columns.length === 0) throw this.#namelessRows(table);
    if (isRequested && found.kind === 'insert' && escapesOn.test(headText(this.#request.head)))
      throw this.#broken(
        'its texts have backslashes as escapes, as standard_conforming_strings is off',
        cursor.at,
      );
    this.#isFirstRow = true;
    // A COPY may have no rows.
    if (found.kind !== 'copy') this.#choose(table);
    if (isRequested || found.kind === 'copy') this.#open = found;
    else this.#skip = startSkip(cursor, found);
  }

  /** At the first of its rows. Those of another table that may be the one as well would be lost without a word. */
  #choose(table: string): void {
    const { input, table: pattern } = this.#request;
    const isRequested = this.#requests(table);
    const isOther = this.table !== undefined && this.table !== table;
    const isAsGood = pattern === undefined && this.#countNamed() >= this.#fit;
    if (isOther && (isAsGood || (isRequested && this.#isSameName(table))))
      throw new UsageError(`${input.name}: both ${this.table} and ${table} may be the table of the users`, {
        hint: 'Name one in the mapping, with its schema: source: { table: ... }. Or dump it alone.',
      });
    if (isRequested) [this.table, this.#fit] = [table, this.#countNamed()];
  }

  #countNamed(): number {
    return this.#columns.filter((column) => this.#request.named.has(column)).length;
  }

  /** A name in another case is that of the table, unless there are several. */
  #columnsOf(table: string): TableColumns | undefined {
    const exact = this.#created.get(table);
    if (exact !== undefined) return exact;
    const similar = [...this.#created].filter(([name]) => name.toLowerCase() === table.toLowerCase());
    return similar.length === 1 ? similar[0]![1] : undefined;
  }

  #namelessRows(table: string): UsageError {
    return new UsageError(`${this.#request.input.name}: the rows of ${table} have no names of columns`, {
      hint: 'Dump the table with its CREATE TABLE, or with names (pg_dump --column-inserts, mysqldump --complete-insert), or name them in the mapping: source: { titles: [id, email, ...] }.',
    });
  }

  #requests(table: string): boolean {
    const { table: pattern, named } = this.#request;
    if (pattern !== undefined && !matchesTable(table, pattern)) return false;
    if (pattern?.includes('*') === false) return true;
    if (pattern === undefined && this.table !== undefined && !this.#isSameName(table)) return false;
    return this.#countNamed() >= Math.min(2, named.size);
  }

  /** As the table whose rows are read, in another schema or case; a pattern with a star may name several. */
  #isSameName(table: string): boolean {
    if (this.#request.table?.includes('*') === true) return false;
    const last = (name = ''): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();
    return last(table) === last(this.table);
  }

  #copyRow(isLast: boolean): Row | undefined {
    const feed = this.#text.indexOf('\n', this.#at);
    if (feed === -1 && !isLast) throw new EndOfText();
    const end = feed === -1 ? this.#text.length : feed;
    const line = this.#text.slice(this.#at, this.#text[end - 1] === '\r' ? end - 1 : end);
    const isEnd = line === '\\.';
    const { table } = this.#open!;
    if (this.#isFirstRow && !isEnd) this.#choose(table);
    this.#isFirstRow = false;
    const isRequested = table === this.table;
    const cells = isRequested ? line.split('\t') : [];
    const row =
      isEnd || !isRequested
        ? undefined
        : this.#toRow(cells.map((cell) => (cell === '\\N' ? null : unescapeCell(cell))));
    this.#at = Math.min(end + 1, this.#text.length);
    if (isEnd) this.#open = undefined;
    return row;
  }

  /** A row, or the end of its statement: what else follows a row would be lost. */
  #insertRow(cursor: SqlCursor, head: RowsHead): Row | undefined {
    cursor.skipBlanks();
    if (cursor.isAtEnd && cursor.dialect.isLast && !head.isMySql) {
      this.#open = undefined;
      return undefined;
    }
    const letter = cursor.peek();
    if (!this.#isFirstRow && letter === ',') {
      cursor.at++;
      cursor.skipBlanks();
    } else if (!this.#isFirstRow) return this.#endRows(cursor, head);
    if (cursor.peek() !== '(') throw this.#broken('a row is expected behind a comma', cursor.at);
    const row = this.#toRow(readTuple(cursor));
    this.#isFirstRow = false;
    return row;
  }

  #endRows(cursor: SqlCursor, head: RowsHead): undefined {
    const start = cursor.at;
    const letter = cursor.peek();
    const word = letter === ';' ? '' : cursor.word();
    const isClause = /^(?:ON|RETURNING|AS)$/.test(word ?? '') || (head.isAll === true && word === 'SELECT');
    const isLine = word !== 'GO' || /^[ \t\d;]*\r?(?:\n|$)/.test(cursor.text.slice(cursor.at));
    const isNext = (next.test(word ?? '') && isLine) || (head.isAll === true && word === 'INTO');
    const isSlash = letter === '/' && cursor.isAtLineStart();
    if (word !== '' && !isClause && !isNext && !isSlash)
      throw this.#broken(`a row is followed by ${word ?? `"${printable(letter)}"`}`, start);
    cursor.at = start;
    if (isClause) this.#skip = startSkip(cursor, head);
    this.#open = undefined;
  }

  #toRow(values: readonly unknown[]): Row {
    const columns = values.length === this.#columns.length ? this.#columns : this.#stored;
    if (values.length !== columns.length) {
      throw this.#broken(`a row has ${values.length} values where there are ${this.#columns.length} columns`);
    }
    const row: Row = {};
    for (const [at, column] of columns.entries())
      if (column !== '__proto__') row[column] = this.#readable(column, values[at]);
    return row;
  }

  /** What cannot be read is left out, as binary columns that mysqldump writes as text; of a field, it ends the run. */
  #readable(column: string, value: unknown): unknown {
    // b'1', 0x01 or the byte itself.
    if (this.#bits.includes(column) && typeof value === 'string') return /[1\u0001]$/.test(value) ? '1' : '0';
    const isBinary = !this.#isText && typeof value === 'string' && value.includes('\ufffd');
    if (!isBinary && !(value instanceof Computed)) return value;
    const { input, named } = this.#request;
    if (!named.has(column)) return null;
    if (value instanceof Computed)
      throw this.#broken(`the column ${column} holds ${value.what}, which only a database can compute`);
    throw new InputError(
      'input:invalid-utf8',
      input.name,
      `the column ${column} holds bytes that are not UTF-8`,
      {
        hint: 'Dump it with the encoding UTF-8; mysqldump writes binary columns as text with --hex-blob.',
      },
    );
  }

  #broken(problem: string, at = this.#at): InputError {
    const line = this.#lines + countFeeds(this.#text, at) + 1;
    return new InputError('input:syntax', this.#request.input.name, `line ${line}: ${problem}`, {
      hint: 'Dump the table again.',
    });
  }
}

/** Words that begin another statement: scripts of SQL Server have no semicolons. */
const next =
  /^(?:GO|INSERT|SET|COMMIT|ALTER|CREATE|DROP|END|BEGIN|USE|PRINT|EXEC|IF|DECLARE|DELETE|TRUNCATE|UPDATE|MERGE)$/;

/** Of PostgreSQL, whose texts have no escapes otherwise. */
const escapesOn = /^SET standard_conforming_strings = off;/im;

function countFeeds(text: string, end: number): number {
  let feeds = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) feeds++;
  return feeds;
}

/** In any case; the schema counts only where both name one. */
function isSameTable(one: string, other: string): boolean {
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
