/**
 * Reads the rows of one table from a dump: INSERT and COPY as pg_dump, mysqldump, SQLite and SQL Server write them. It reads
 * in units (a statement's head, a row), so that memory holds one row and not a whole statement.
 */
import { InputError } from '../../../errors.ts';
import { printable } from '../../../lib/format.ts';
import { strictDecoder } from '../../../lib/strings.ts';
import { countFeeds, unescapeCell } from '../../rows.ts';
import type { RawElements } from '../../source.ts';
import type { FormRequest, OpenRows } from './form.ts';
import { headText } from './recognise.ts';
import { EndOfText, SqlCursor } from './sql-cursor.ts';
import { DumpTables, isSameTable, type TableColumns } from './sql-tables.ts';
import { isMySqlDump, nextHead, type Skip, skipOn, startSkip, type StatementHead } from './sql-text.ts';
import { Computed, readTuple } from './sql-values.ts';

const rowsInBatch = 500;
/** Longest unit in characters, so that an unclosed quote does not read the whole file into memory. */
const longestUnit = 16 * 1024 * 1024;

export function openSql(request: FormRequest): OpenRows {
  const reader = new DumpReader(request);
  return {
    batches: scanDump(reader, request),
    table: () => reader.tables.chosen,
    unread: reader.tables.unread,
  };
}

async function* scanDump(reader: DumpReader, { blocks }: FormRequest): AsyncGenerator<RawElements> {
  const decoder = new TextDecoder('utf-8');
  const strict = strictDecoder();
  let isText = true;
  let values: unknown[] = [];
  for await (const block of blocks) {
    isText &&= strict(block) !== undefined;
    for (const row of reader.feed(decoder.decode(block, { stream: true }), false, isText)) {
      values.push(row);
      if (values.length < rowsInBatch) continue;
      yield { form: 'values', values };
      values = [];
    }
  }
  isText &&= strict() !== undefined;
  for (const row of reader.feed(decoder.decode(), true, isText)) values.push(row);
  if (values.length > 0) yield { form: 'values', values };
  reader.finish();
}

type Row = Record<string, unknown>;
type RowsHead = Extract<StatementHead, { readonly columns: readonly string[] | undefined }>;

class DumpReader {
  #text = '';
  /** Whether all bytes so far were UTF-8. */
  #isText = true;
  #at = 0;
  /** Number of lines before `#text`. */
  #lines = 0;
  /** Length of text at which to try again. It doubles for an incomplete row, so that its bytes are read about twice. */
  #enough = 0;
  /** Statement whose rows are being read. */
  #open: RowsHead | undefined;
  #isFirstRow = true;
  #skip: Skip | undefined;
  #columns: TableColumns = { all: [], stored: [] };
  readonly tables: DumpTables;
  readonly #request: FormRequest;
  /** Detected by the head of the dump, even if names have double quotes or none. */
  readonly #isMySql: boolean;

  constructor(request: FormRequest) {
    this.#request = request;
    this.tables = new DumpTables(request);
    this.#isMySql = isMySqlDump(headText(request.head));
  }

  *feed(text: string, isLast: boolean, isText: boolean) {
    this.#isText = isText;
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

  finish() {
    if (this.#open?.kind === 'copy') throw this.#broken('it ends before the end of the rows of a table');
    this.tables.finish();
  }

  /** Reads a row, or part of the text between rows. Throws `EndOfText` without changing the state. */
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
    if (found.kind === 'use') this.tables.database = found.database;
    else if (found.kind === 'create') this.tables.addCreated(found.table, found.columns);
    else if (found.kind === 'change') {
      const { chosen, isElsewhere } = this.tables;
      const changed = found.tables.find(
        (table) => chosen !== undefined && !isElsewhere && isSameTable(table, chosen),
      );
      if (changed !== undefined)
        throw this.#broken(`${found.verb} changes rows of ${changed === '*' ? chosen : changed}`, cursor.at);
      this.#skip = startSkip(cursor, found);
    } else this.#rows(found, cursor);
  }

  #rows(found: RowsHead, cursor: SqlCursor) {
    const { table } = found;
    this.#columns = this.tables.columnsOf(table, found.columns);
    const isRequested = this.tables.isRequested(table, this.#columns);
    if (isRequested && found.unread !== undefined)
      throw this.#broken(`the rows of ${table} are ${found.unread}`);
    if (isRequested && this.#columns.all.length === 0) throw this.tables.namelessRows(table);
    if (isRequested && found.kind === 'insert' && escapesOn.test(headText(this.#request.head)))
      throw this.#broken(
        'its texts have backslashes as escapes, as standard_conforming_strings is off',
        cursor.at,
      );
    this.#isFirstRow = true;
    // A COPY may be empty, so its table is chosen at its first row.
    if (found.kind !== 'copy') this.tables.choose(table, this.#columns);
    if (isRequested || found.kind === 'copy') this.#open = found;
    else this.#skip = startSkip(cursor, found);
  }

  #copyRow(isLast: boolean) {
    const feed = this.#text.indexOf('\n', this.#at);
    if (feed === -1 && !isLast) throw new EndOfText();
    const end = feed === -1 ? this.#text.length : feed;
    const line = this.#text.slice(this.#at, this.#text[end - 1] === '\r' ? end - 1 : end);
    const isEnd = line === '\\.';
    const { table } = this.#open!;
    if (this.#isFirstRow && !isEnd) this.tables.choose(table, this.#columns);
    this.#isFirstRow = false;
    const isRow = !isEnd && table === this.tables.chosen && !this.tables.isElsewhere;
    const cellOf = (cell: string) => (cell === '\\N' ? null : unescapeCell(cell));
    const row = isRow ? this.#toRow(line.split('\t').map(cellOf)) : undefined;
    this.#at = Math.min(end + 1, this.#text.length);
    if (isEnd) this.#open = undefined;
    return row;
  }

  /** Reads a row or the end of its statement. Throws for anything else after a row, because it would be lost. */
  #insertRow(cursor: SqlCursor, head: RowsHead): Row | undefined {
    cursor.skipBlanks();
    if (cursor.isAtEnd && cursor.dialect.isLast && !head.isMySql) {
      this.#open = undefined;
      return undefined;
    }
    const letter = cursor.peek();
    if (!this.#isFirstRow && letter === ',') {
      cursor.skip();
    } else if (!this.#isFirstRow) return this.#endRows(cursor, head);
    if (cursor.peek() !== '(') throw this.#broken('a row is expected after a comma', cursor.at);
    const row = this.#toRow(readTuple(cursor));
    this.#isFirstRow = false;
    return row;
  }

  #endRows(cursor: SqlCursor, head: RowsHead): undefined {
    const start = cursor.at;
    const letter = cursor.peek();
    const word = letter === ';' ? '' : cursor.word();
    const isClause = /^(?:ON|RETURNING|AS)$/.test(word ?? '') || (head.isAll === true && word === 'SELECT');
    const isLine = word !== 'GO' || /^..[ \t\d;]*\r?(?:\n|$)/.test(cursor.text.slice(start));
    const isNext = (next.test(word ?? '') && isLine) || (head.isAll === true && word === 'INTO');
    const isSlash = letter === '/' && cursor.isAtLineStart();
    if (word !== '' && !isClause && !isNext && !isSlash)
      throw this.#broken(`a row is followed by ${word ?? `"${printable(letter)}"`}`, start);
    cursor.at = start;
    if (isClause) this.#skip = startSkip(cursor, head);
    this.#open = undefined;
  }

  #toRow(values: readonly unknown[]) {
    const { all, stored } = this.#columns;
    const columns = values.length === all.length ? all : stored;
    if (values.length !== columns.length)
      throw this.#broken(`a row has ${values.length} values where there are ${all.length} columns`);
    const row: Row = {};
    for (const [at, column] of columns.entries())
      if (column !== '__proto__') row[column] = this.#readable(column, values[at]);
    return row;
  }

  /** Replaces unreadable values, such as binary columns that mysqldump writes as text, by null. Throws if the mapping names the column. */
  #readable(column: string, value: unknown) {
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
      'Dump it with the encoding UTF-8; mysqldump writes binary columns as text with --hex-blob.',
    );
  }

  #broken(problem: string, at = this.#at) {
    const line = this.#lines + countFeeds(this.#text, at) + 1;
    return new InputError(
      'input:syntax',
      this.#request.input.name,
      `line ${line}: ${problem}`,
      'Dump the table again, or export it as CSV.',
    );
  }
}

/** Words that start another statement. SQL Server scripts have no semicolons. */
const next =
  /^(?:GO|INSERT|SET|COMMIT|ALTER|CREATE|DROP|END|BEGIN|USE|PRINT|EXEC|IF|DECLARE|DELETE|TRUNCATE|UPDATE|MERGE)$/;

/** PostgreSQL setting that turns on backslash escapes in texts. */
const escapesOn = /^SET standard_conforming_strings = off;/im;
