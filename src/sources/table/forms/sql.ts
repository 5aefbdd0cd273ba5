/**
 * Reads the rows of one table out of a dump: INSERT and COPY as pg_dump, mysqldump, SQLite and SQL Server write them. The
 * text is read in units (a statement's head, a row), so that memory holds one row and not one statement.
 */
import { InputError, UsageError } from '../../../errors.ts';
import { unescapeCell } from '../../rows.ts';
import type { RawElements } from '../../source.ts';
import { type FormRequest, type OpenRows, spellAs } from './form.ts';
import { headText } from './recognise.ts';
import { columnsOfTable, headOf, readTuple, type StatementHead, type TableColumns } from './sql-text.ts';

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

const mySqlHead = /^(?:-- (?:MySQL|MariaDB) dump |\/\*!\d{5} SET )/m;

type Row = Record<string, unknown>;

class DumpReader {
  #text = '';
  /** All bytes so far were UTF-8. */
  #isText = true;
  #at = 0;
  /** A row that was not whole is tried again when twice as much of it is there: so its bytes are read only twice. */
  #enough = 0;
  /** The statement whose rows are read. */
  #open: StatementHead | undefined;
  #columns: readonly string[] = [];
  #stored: readonly string[] = [];
  #isRequested = false;
  readonly #created = new Map<string, TableColumns>();
  readonly #seen = new Set<string>();
  /** The first table whose columns nothing names. */
  #nameless: string | undefined;
  /** Whose rows are given out. */
  table: string | undefined;
  readonly #request: FormRequest;
  /** Known by its head, where names stand in double quotes or in none. */
  readonly #isMySql: boolean;

  constructor(request: FormRequest) {
    this.#request = request;
    this.#isMySql = mySqlHead.test(headText(request.head));
  }

  *feed(text: string, isLast: boolean, isText: boolean): Generator<Row> {
    this.#isText &&= isText;
    this.#text = this.#text.slice(this.#at) + text;
    this.#at = 0;
    if (this.#text.length < this.#enough && !isLast) return;
    while (this.#at < this.#text.length) {
      const before = this.#at;
      const open = this.#open;
      const row = this.#open === undefined ? this.#head(isLast) : this.#row(this.#open, isLast);
      if (row !== undefined) yield row;
      if (this.#at === before && this.#open === open) break;
    }
    this.#enough = Math.min(2 * (this.#text.length - this.#at), longestUnit + 1);
    if (this.#text.length - this.#at > longestUnit)
      throw this.#broken('a row or a statement is longer than 16 MB');
    if (isLast && this.#open !== undefined && this.#text.slice(this.#at).trim() !== '')
      throw this.#broken('it ends in the middle of a row');
  }

  finish(): void {
    if (this.#open?.kind === 'copy') throw this.#broken('it ends before the end of the rows of a table');
    if (this.table !== undefined || this.#request.isOptional === true) return;
    const { input, table } = this.#request;
    if (this.#nameless !== undefined && this.#seen.size === 1) throw this.#namelessRows(this.#nameless);
    const names = [...this.#seen].slice(0, 30).join(', ');
    throw new UsageError(
      `${input.name}: the dump has no rows of ${table === undefined ? 'a table with these columns' : `a table ${table}`}`,
      {
        hint:
          names === ''
            ? 'Dump the data, too.'
            : `There are: ${names}. Name one in the mapping: source: { table: ... }.`,
      },
    );
  }

  /** Reads the head of a statement, or skips to the next line. */
  #head(isLast: boolean): undefined {
    const found = headOf(this.#text, this.#at, isLast);
    if (found === undefined) return;
    this.#at = found.end;
    if (found.kind === 'create') this.#created.set(found.table.toLowerCase(), columnsOfTable(found.body));
    if (found.kind !== 'insert' && found.kind !== 'copy') return;
    this.#seen.add(found.table);
    const created = this.#created.get(found.table.toLowerCase());
    const { titles = [] } = this.#request.source;
    const { named } = this.#request;
    this.#columns = spellAs(named, found.columns ?? created?.all ?? titles);
    this.#stored = spellAs(named, found.columns ?? created?.stored ?? titles);
    this.#isRequested = this.#wants(found.table);
    if (this.#columns.length === 0) this.#nameless ??= found.table;
    if (this.#isRequested && this.#columns.length === 0) throw this.#namelessRows(found.table);
    if (this.#isRequested) this.table = found.table;
    this.#open = found;
  }

  #namelessRows(table: string): UsageError {
    return new UsageError(`${this.#request.input.name}: the rows of ${table} have no names of columns`, {
      hint: 'Dump the table with its CREATE TABLE, or with names (pg_dump --column-inserts, mysqldump --complete-insert), or name them in the mapping: source: { titles: [id, email, ...] }.',
    });
  }

  #wants(table: string): boolean {
    const { table: pattern, named } = this.#request;
    if (pattern !== undefined && !matchesTable(table, pattern)) return false;
    if (pattern?.includes('*') === false) return true;
    if (pattern === undefined && this.table !== undefined) return table === this.table;
    return this.#columns.filter((column) => named.has(column)).length >= Math.min(2, named.size);
  }

  #row(head: StatementHead, isLast: boolean): Row | undefined {
    return head.kind === 'copy' ? this.#copyRow(isLast) : this.#insertRow(head, isLast);
  }

  #copyRow(isLast: boolean): Row | undefined {
    const feed = this.#text.indexOf('\n', this.#at);
    if (feed === -1 && !isLast) return undefined;
    const end = feed === -1 ? this.#text.length : feed;
    const line = this.#text.slice(this.#at, this.#text[end - 1] === '\r' ? end - 1 : end);
    this.#at = Math.min(end + 1, this.#text.length);
    if (line === '\\.') {
      this.#open = undefined;
      return undefined;
    }
    if (!this.#isRequested) return undefined;
    const cells = line.split('\t');
    return this.#toRow(cells.map((cell) => (cell === '\\N' ? null : unescapeCell(cell))));
  }

  #insertRow(head: StatementHead, isLast: boolean): Row | undefined {
    const found = readTuple(this.#text, this.#at, head.backslashes || this.#isMySql);
    if (found === undefined) {
      if (isLast && this.#text.slice(this.#at).trim() !== '')
        throw this.#broken('it ends in the middle of a row');
      return undefined;
    }
    if (found.kind === 'end') {
      // What follows may only be cut off.
      if (found.end >= this.#text.length && !isLast) return undefined;
      this.#at = found.end;
      this.#open = undefined;
      return undefined;
    }
    if (found.kind === 'broken') throw this.#broken(found.problem);
    this.#at = found.end;
    return this.#isRequested ? this.#toRow(found.values) : undefined;
  }

  #toRow(values: readonly unknown[]): Row {
    const columns = values.length === this.#columns.length ? this.#columns : this.#stored;
    if (values.length !== columns.length) {
      throw this.#broken(`a row has ${values.length} values where there are ${this.#columns.length} columns`);
    }
    const row: Row = {};
    for (const [at, column] of columns.entries())
      if (column !== '__proto__')
        row[column] = this.#isText ? values[at] : this.#readable(column, values[at]);
    return row;
  }

  /** Bytes that are no UTF-8, as mysqldump writes binary columns, are left out; those of a field end the run. */
  #readable(column: string, value: unknown): unknown {
    if (typeof value !== 'string' || !value.includes('\ufffd')) return value;
    const { input, named } = this.#request;
    if (!named.has(column)) return null;
    throw new InputError(
      'input:invalid-utf8',
      input.name,
      `the column ${column} holds bytes that are not UTF-8`,
      {
        hint: 'Dump it with the encoding UTF-8; mysqldump writes binary columns as text with --hex-blob.',
      },
    );
  }

  #broken(problem: string): InputError {
    return new InputError('input:syntax', this.#request.input.name, problem, {
      hint: 'Dump the table again.',
    });
  }
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
