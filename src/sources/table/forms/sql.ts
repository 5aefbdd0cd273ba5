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
import { BrokenDump, EndOfText, SqlCursor } from './sql-cursor.ts';
import { DumpTables, isSameTable, type TableColumns } from './sql-tables.ts';
import { isMySqlDump, nextHead, plainSkip, type RowsHead, type Skip, skipOn, startSkip } from './sql-text.ts';
import { Computed, readTuple } from './sql-values.ts';

const rowsInBatch = 500;
/** Longest unit in characters, so that an unclosed quote does not read the whole file into memory. */
const longestUnit = 16 * 1024 * 1024;

export function openSql(request: FormRequest): OpenRows {
  const dump = new Dump(request);
  const { tables } = dump;
  return { batches: scanDump(dump), table: () => tables.chosen, unread: tables.unread };
}

async function* scanDump(dump: Dump): AsyncGenerator<RawElements> {
  let values: unknown[] = [];
  while (!(await dump.isOver())) {
    const { skip, rows } = await dump.read((cursor) => beginStatement(cursor, dump));
    if (skip !== undefined)
      await dump.read((cursor) => {
        while (!skipOn(cursor, skip)) cursor.start = cursor.at;
      });
    if (rows === undefined) continue;
    const { head, columns } = rows;
    const readRow = head.kind === 'copy' ? createCopyReader(rows, dump.tables) : createInsertReader(head);
    const readRows = (cursor: SqlCursor) => {
      while (values.length < rowsInBatch) {
        const row = readRow(cursor);
        if (row === undefined) return true;
        if (row !== otherRow) values.push(toRow(row, columns, dump));
        cursor.start = cursor.at;
      }
      return false;
    };
    for (let isEnd = false; !isEnd;) {
      isEnd = await dump.read(readRows, head.isMySql);
      if (values.length < rowsInBatch) continue;
      yield { form: 'values', values };
      values = [];
    }
  }
  if (values.length > 0) yield { form: 'values', values };
  dump.tables.finish();
}

/** A dump, of which a part is in memory. */
class Dump {
  readonly request: FormRequest;
  readonly tables: DumpTables;
  /** Whether all bytes so far were UTF-8. */
  isText = true;
  #text = '';
  #at = 0;
  #isLast = false;
  /** Number of lines before `#text`. */
  #lines = 0;
  readonly #parts: AsyncIterator<string>;
  /** Detected by the head of the dump, even if names have double quotes or none. */
  readonly #isMySql: boolean;
  /** Whether backslashes escape in texts of PostgreSQL. */
  readonly hasEscapes: boolean;

  constructor(request: FormRequest) {
    const head = headText(request.head);
    this.request = request;
    this.tables = new DumpTables(request);
    this.#isMySql = isMySqlDump(head);
    this.hasEscapes = escapesOn.test(head);
    this.#parts = this.#decode(request.blocks);
  }

  async *#decode(blocks: AsyncIterable<Uint8Array>) {
    const decoder = new TextDecoder('utf-8');
    const strict = strictDecoder();
    for await (const block of blocks) {
      this.isText &&= strict(block) !== undefined;
      yield decoder.decode(block, { stream: true });
    }
    this.isText &&= strict() !== undefined;
    yield decoder.decode();
  }

  async isOver() {
    while (this.#at === this.#text.length && !this.#isLast) await this.#readOn();
    return this.#at === this.#text.length;
  }

  /** Returns what `unit` reads. If the text ends before, more is read, and `unit` begins again at the cursor's start. */
  async read<Value>(unit: (cursor: SqlCursor) => Value, isMySql = this.#isMySql) {
    for (;;) {
      const cursor = new SqlCursor(this.#text, this.#at, { isMySql, isLast: this.#isLast });
      try {
        const value = unit(cursor);
        this.#at = cursor.at;
        return value;
      } catch (error) {
        if (error instanceof BrokenDump) throw this.#problem(error.message, error.at ?? cursor.start);
        if (!(error instanceof EndOfText)) throw error;
        this.#at = cursor.start;
      }
      if (this.#isLast) throw this.#problem('it ends in the middle of a row or a statement');
      await this.#readOn();
    }
  }

  /** Reads further parts. The text doubles for an incomplete unit, so that its characters are read about twice. */
  async #readOn() {
    const rest = this.#text.length - this.#at;
    if (rest > longestUnit) throw this.#problem('a row or a statement is longer than 16 MB');
    this.#lines += countFeeds(this.#text, this.#at);
    this.#text = this.#text.slice(this.#at);
    this.#at = 0;
    do {
      const { done, value = '' } = await this.#parts.next();
      this.#isLast = done === true;
      this.#text += value as string;
    } while (!this.#isLast && this.#text.length < Math.min(2 * rest, longestUnit + 1));
  }

  #problem(problem: string, at = this.#at) {
    const line = this.#lines + countFeeds(this.#text, at) + 1;
    return new InputError(
      'input:syntax',
      this.request.input.name,
      `line ${line}: ${problem}`,
      'Dump the table again, or export it as CSV.',
    );
  }
}

interface OpenTable {
  readonly head: RowsHead;
  readonly columns: TableColumns;
}

/** Reads a statement up to its rows, or up to what is skipped of it. */
function beginStatement(cursor: SqlCursor, dump: Dump): { readonly rows?: OpenTable; readonly skip?: Skip } {
  const { tables } = dump;
  const head = nextHead(cursor);
  if (head === undefined) return cursor.isAtEnd ? {} : { skip: startSkip(cursor) };
  if (head.kind === 'use') tables.database = head.database;
  else if (head.kind === 'create') tables.addCreated(head.table, head.columns);
  else if (head.kind === 'change') {
    const { chosen, isElsewhere } = tables;
    const changed = head.tables.find(
      (table) => chosen !== undefined && !isElsewhere && isSameTable(table, chosen),
    );
    if (changed !== undefined)
      throw new BrokenDump(`${head.verb} changes rows of ${changed === '*' ? chosen : changed}`, cursor.at);
    return { skip: plainSkip() };
  } else return beginRows(head, cursor, dump);
  return {};
}

function beginRows(head: RowsHead, cursor: SqlCursor, { tables, hasEscapes }: Dump) {
  const { table, kind, unread } = head;
  const columns = tables.columnsOf(table, head.columns);
  const isRequested = tables.isRequested(table, columns);
  if (isRequested && unread !== undefined) throw new BrokenDump(`the rows of ${table} are ${unread}`);
  if (isRequested && columns.all.length === 0) throw tables.namelessRows(table);
  if (isRequested && kind === 'insert' && hasEscapes)
    throw new BrokenDump(
      'its texts have backslashes as escapes, as standard_conforming_strings is off',
      cursor.at,
    );
  // A COPY may be empty, so its table is chosen at its first row.
  if (kind === 'insert') tables.choose(table, columns);
  return isRequested || kind === 'copy' ? { rows: { head, columns } } : { skip: plainSkip() };
}

/** Stands for a row of another table. */
const otherRow: readonly unknown[] = [];

/** Returns a function that reads the cells of the next row, or undefined after the last one. */
function createCopyReader({ head: { table }, columns }: OpenTable, tables: DumpTables) {
  let isFirst = true;
  return (cursor: SqlCursor) => {
    if (cursor.peek() === '') throw new BrokenDump('it ends before the end of the rows of a table');
    const line = cursor.line();
    if (line === '\\.') return undefined;
    if (isFirst) tables.choose(table, columns);
    isFirst = false;
    if (table !== tables.chosen || tables.isElsewhere) return otherRow;
    return line.split('\t').map((cell) => (cell === '\\N' ? null : unescapeCell(cell)));
  };
}

/** Does the same for VALUES. Throws for anything else after a row, because it would be lost. */
function createInsertReader(head: RowsHead) {
  let isFirst = true;
  return (cursor: SqlCursor) => {
    cursor.skipBlanks();
    if (!isFirst) {
      const letter = cursor.peek();
      if (letter === '' && head.isMySql) throw new BrokenDump('it ends in the middle of a statement');
      if (letter !== ',') return endRows(cursor, head);
      cursor.skip();
    }
    if (cursor.peek() !== '(') throw new BrokenDump('a row is expected after a comma', cursor.at);
    const cells = readTuple(cursor);
    isFirst = false;
    return cells;
  };
}

function endRows(cursor: SqlCursor, { isAll }: RowsHead) {
  const start = cursor.at;
  const letter = cursor.peek();
  const word = cursor.word() ?? '';
  const isLine = word !== 'GO' || /^..[ \t\d;]*\r?(?:\n|$)/.test(cursor.text.slice(start));
  const isNext = (next.has(word) && isLine) || (isAll === true && /^(?:SELECT|INTO)$/.test(word));
  const isEnd = letter === ';' || letter === '' || (letter === '/' && cursor.isAtLineStart());
  if (!isNext && !isEnd)
    throw new BrokenDump(`a row is followed by ${word || `"${printable(letter)}"`}`, start);
  cursor.at = start;
  return undefined;
}

function toRow(values: readonly unknown[], { all, stored }: TableColumns, dump: Dump) {
  const columns = values.length === all.length ? all : stored;
  if (values.length !== columns.length)
    throw new BrokenDump(`a row has ${values.length} values where there are ${all.length} columns`);
  const row: Record<string, unknown> = {};
  for (const [at, column] of columns.entries())
    if (column !== '__proto__') row[column] = readable(column, values[at], dump);
  return row;
}

/** Replaces unreadable values, such as binary columns that mysqldump writes as text, by null. Throws if the mapping names the column. */
function readable(column: string, value: unknown, { request: { input, named }, isText }: Dump) {
  const isBinary = !isText && typeof value === 'string' && value.includes('\ufffd');
  if (!isBinary && !(value instanceof Computed)) return value;
  if (!named.has(column)) return null;
  if (value instanceof Computed)
    throw new BrokenDump(`the column ${column} holds ${value.what}, which only a database can compute`);
  throw new InputError(
    'input:invalid-utf8',
    input.name,
    `the column ${column} holds bytes that are not UTF-8`,
    'Dump it with the encoding UTF-8; mysqldump writes binary columns as text with --hex-blob.',
  );
}

/** Words that start another statement, or a clause that changes no row. SQL Server scripts have no semicolons. */
const next = new Set(
  'GO INSERT SET COMMIT ALTER CREATE DROP END BEGIN USE PRINT EXEC IF DECLARE DELETE TRUNCATE UPDATE MERGE ON RETURNING AS'.split(
    ' ',
  ),
);

/** PostgreSQL setting that turns on backslash escapes in texts. */
const escapesOn = /^SET standard_conforming_strings = off;/im;
