/** Reads statements of dumps, as far as it takes to find their rows. */
import { printable } from '../../../lib/format.ts';
import { BrokenDump, EndOfText, SqlCursor } from './sql-cursor.ts';
import { readCreate, type TableColumns } from './sql-tables.ts';

export interface RowsHead {
  readonly kind: 'insert' | 'copy';
  /** Name with its schema: `auth.users`. */
  readonly table: string;
  readonly columns: readonly string[] | undefined;
  /** MySQL: backslashes escape in texts. */
  readonly isMySql: boolean;
  /** Why its rows cannot be read: they are no VALUES, or in another file. */
  readonly unread?: string;
  /** Oracle's INSERT ALL, which has a head for each row. */
  readonly isAll?: boolean;
}

type StatementHead =
  | RowsHead
  | { readonly kind: 'create'; readonly table: string; readonly columns: TableColumns }
  /** The tables that follow are of this database. */
  | { readonly kind: 'use'; readonly database: string }
  /** A statement that may change rows of one of these tables. `*` means any table. */
  | { readonly kind: 'change'; readonly tables: readonly string[]; readonly verb: string };

/** Reads the head of a statement. Returns undefined and does not move for other statements. Throws `EndOfText`. */
function readHead(cursor: SqlCursor) {
  const start = cursor.at;
  const verb = cursor.word() ?? '';
  if (cursor.isAtEnd && verb !== '' && rowVerbs.some((full) => full.startsWith(verb))) throw new EndOfText();
  const head = heads[verb]?.(cursor, verb);
  if (head === undefined) cursor.at = start;
  return head;
}

/** Statements with rows. A file that ends in the middle of one is truncated. */
const rowVerbs = ['INSERT', 'REPLACE', 'COPY'];

type ReadHead = (cursor: SqlCursor, verb: string) => StatementHead | undefined;

const heads: Readonly<Record<string, ReadHead>> = {
  INSERT: readInsert,
  REPLACE: readInsert,
  UPSERT: readInsert,
  /** Further head of INSERT ALL. */
  INTO: readInsert,
  COPY: readCopy,
  LOAD: readLoad,
  BULK: readLoad,
  CREATE: (cursor) => {
    const created = readCreate(cursor);
    return created && { kind: 'create', ...created };
  },
  MERGE: readChange,
  DROP: readChange,
  UPDATE: readNames,
  DELETE: readNames,
  TRUNCATE: readNames,
  WITH: readNames,
  DO: readNames,
  ROLLBACK: (_, verb) => ({ kind: 'change', tables: ['*'], verb }),
};

const modifiers =
  /^(?:LOW_PRIORITY|DELAYED|HIGH_PRIORITY|IGNORE|OR|ABORT|FAIL|ROLLBACK|UPDATE|REPLACE|INTO|FIRST)$/;

function readInsert(cursor: SqlCursor, verb: string): StatementHead | undefined {
  if (cursor.matchWord(/^OVERWRITE$/)) return readChange(cursor, 'INSERT OVERWRITE');
  cursor.skipWords(modifiers);
  const isAll = cursor.matchWord(/^ALL$/) || verb === 'INTO';
  cursor.skipWords(modifiers);
  const isMySql = cursor.dialect.isMySql || cursor.peek() === '`';
  const table = cursor.name();
  if (cursor.isAtEnd) throw new EndOfText();
  // The table is missing, and another statement begins.
  if (table === undefined || /(?:^|\.)(?:INSERT|REPLACE|COPY)$/i.test(table)) return undefined;
  if (cursor.matchWord(/^PARTITION$/)) cursor.skipTo(')');
  cursor.skipBlanks();
  if (cursor.matchWord(/^AS$/)) cursor.name();
  const open = cursor.at;
  const columns = cursor.peek() === '(' ? cursor.names() : undefined;
  if (columns === undefined) cursor.at = open;
  if (cursor.matchWord(/^OVERRIDING$/)) cursor.skipWords(/^(?:USER|SYSTEM|VALUE)$/);
  const head = { kind: 'insert', table, columns, isMySql, isAll } as const;
  const form = cursor.word() ?? '';
  if (/^VALUES?$/.test(form) && cursor.peek() === '(') return head;
  if (cursor.isAtEnd && 'VALUES'.startsWith(form)) throw new EndOfText();
  cursor.at = open;
  return { ...head, unread: 'an INSERT without VALUES (...)' };
}

function readCopy(cursor: SqlCursor): StatementHead | undefined {
  const table = cursor.name();
  if (table === undefined) return undefined;
  const columns = cursor.peek() === '(' ? cursor.names() : undefined;
  if (!cursor.matchWord(/^FROM$/)) return undefined;
  const isHere = cursor.matchWord(/^STDIN$/);
  const start = cursor.at;
  cursor.skipTo(';');
  const options = cursor.text
    .slice(start, cursor.at)
    .replaceAll(/[\s()]+/g, ' ')
    .trim();
  const isText = /^(?:WITH ?)?(?:FORMAT '?text'? ?)?;$/i.test(options);
  if (isHere) cursor.line();
  const head = { kind: isHere ? 'copy' : 'insert', table, columns, isMySql: false } as const;
  if (isHere && isText) return head;
  return { ...head, unread: isHere ? 'a COPY that is not in the format text' : elsewhere };
}

const elsewhere = 'in another file';

/** Reads `LOAD DATA INFILE` (MySQL) and `BULK INSERT` (SQL Server). */
function readLoad(cursor: SqlCursor, verb: string): StatementHead | undefined {
  if (!cursor.matchWord(verb === 'BULK' ? /^INSERT$/ : /^(?:DATA|XML)$/)) return undefined;
  if (verb !== 'BULK')
    while (!cursor.matchWord(/^TABLE$/)) {
      if (cursor.peek() === '') throw new EndOfText();
      if (cursor.token().text === ';') return undefined;
    }
  const table = cursor.name();
  return table === undefined
    ? undefined
    : { kind: 'insert', table, columns: undefined, isMySql: cursor.dialect.isMySql, unread: elsewhere };
}

function readChange(cursor: SqlCursor, verb: string): StatementHead | undefined {
  cursor.skipWords(/^(?:INTO|TABLE|IF|EXISTS)$/);
  const table = cursor.name();
  return table === undefined ? undefined : { kind: 'change', tables: [table], verb };
}

/** Reads a statement that may name the table anywhere. Every name in it counts, in DO also the words of its text. */
function readNames(cursor: SqlCursor, verb: string): StatementHead {
  const tables: string[] = [];
  const last =
    verb === 'DELETE' || verb === 'UPDATE'
      ? /^(?:WHERE|INSERT|REPLACE|UPSERT|COPY|CREATE)$/i
      : /^(?:INSERT|COPY|CREATE)$/i;
  while (cursor.peek() !== ';' && !cursor.isAtEnd) {
    const start = cursor.at;
    const name = cursor.name();
    const other = name === undefined ? cursor.token() : undefined;
    if (other?.kind === 'text' && verb === 'DO') tables.push(...(other.text.match(/[\w$.]+/g) ?? []));
    if (last.test(name ?? '')) {
      cursor.at = start;
      break;
    }
    if (name !== undefined) tables.push(name);
  }
  return { kind: 'change', tables, verb };
}

/** State of skipping a statement, which may be longer than the text read so far. */
export interface Skip {
  /** Whether the statement is a routine, whose inner statements add no rows. */
  readonly isRoutine: boolean;
  /** Number of BEGIN without END. */
  depth: number;
}

export const plainSkip = (): Skip => ({ isRoutine: false, depth: 0 });

const routine = /^(?:CREATE|ALTER)\s[^;'"]{0,200}?\b(?:TRIGGER|FUNCTION|PROCEDURE|PACKAGE|RULE|EVENT)\b/i;

/** Starts skipping a statement. Throws `BrokenDump` if none begins here. */
export function startSkip(cursor: SqlCursor): Skip {
  const isRoutine = routine.test(ahead(cursor, 250));
  // The first word of a statement does not start another one.
  if (cursor.word() === undefined)
    throw new BrokenDump(`no statement begins with ${printable(cursor.peek())}`, cursor.at);
  return { isRoutine, depth: 0 };
}

/** Matches a text that ends where values of another statement begin. An earlier quote is missing or one is too many. */
const flipped = /\n\s*(?:INSERT|REPLACE)\s[^;]*\(\s*.$/i;

/** Returns the next characters. Throws `EndOfText` if more may follow. */
function ahead({ text, at, dialect }: SqlCursor, count: number) {
  if (text.length - at < count && !dialect.isLast) throw new EndOfText();
  return text.slice(at, at + count);
}

/**
 * Skips a token. Returns true at the end of the statement: at a semicolon or at the start of the next one. Throws `BrokenDump`
 * where skipping would lose rows.
 */
export function skipOn(cursor: SqlCursor, skip: Skip) {
  cursor.skipBlanks();
  if (cursor.peek() === '' && skip.depth > 0) throw new EndOfText();
  if (cursor.isAtEnd) return true;
  const start = cursor.at;
  const isLineStart = cursor.isAtLineStart();
  if (isLineStart && /^GO\s*?(?:\n|$)/i.test(cursor.text.slice(start, start + 10))) return true;
  const { kind, text: written } = cursor.token();
  const text = written.toUpperCase();
  if (text === ';') return skip.depth === 0;
  if (isLineStart && cursor.text.startsWith('\\.', start))
    throw new BrokenDump('the rows of a COPY end here, which began nowhere', cursor.at);
  if (!skip.isRoutine && kind === 'text' && flipped.test(text))
    throw new BrokenDump('a quote before it is not closed, or one too many', cursor.at);
  if (skip.isRoutine) {
    skip.depth = Math.max(0, skip.depth + depthOf(text, cursor));
    return false;
  }
  if (kind !== 'word' || !/^(?:INSERT|REPLACE|UPSERT|COPY|CREATE)$/.test(text)) return false;
  cursor.at = start;
  const starts = isLineStart ? /^\w+\s/ : /^[IRU]\w+(?:\s+\w+){0,3}?\s+INTO\s/i;
  if (starts.test(ahead(cursor, 100))) return true;
  cursor.token();
  return false;
}

function depthOf(text: string, cursor: SqlCursor) {
  if (text === '(' || text === 'BEGIN' || text === 'CASE') return 1;
  if (text !== 'END') return text === ')' ? -1 : 0;
  return cursor.matchWord(/^(?:IF|LOOP|WHILE|REPEAT|FOR)$/) ? 0 : -1;
}

/** Yields each statement head of a text that may be truncated. */
export function* headsOf(text: string) {
  const cursor = new SqlCursor(text, 0, { isMySql: isMySqlDump(text), isLast: true });
  try {
    while (!cursor.isAtEnd) {
      const head = nextHead(cursor);
      if (head !== undefined) yield head;
      if (head?.kind === 'copy') skipCopy(cursor);
      else if (head?.kind !== 'create') {
        const skip = head === undefined ? startSkip(cursor) : plainSkip();
        while (!skipOn(cursor, skip));
      }
    }
  } catch (error) {
    if (!(error instanceof EndOfText || error instanceof BrokenDump)) throw error;
  }
}

/** Reads psql's `\copy`. It is a single line, and its rows are in another file. */
function readClientCopy(cursor: SqlCursor): StatementHead | undefined {
  const table = cursor.name();
  cursor.line();
  return table === undefined
    ? nextHead(cursor)
    : { kind: 'insert', table, columns: [], isMySql: false, unread: elsewhere };
}

function skipCopy(cursor: SqlCursor) {
  const end = cursor.text.indexOf('\n\\.', cursor.at - 1);
  if (end === -1) throw new EndOfText();
  cursor.at = end + 3;
}

/** Matches a line for the program that runs the statements. */
const command = /(?:REM|REMARK|PROMPT)\b(?=[^\n]*\n)|GO(?=[ \t\d;]*\r?\n)|\\(?!\.)|\/(?=\s)/iy;

/** Matches a change of the database: `USE` of MySQL and SQL Server, `\\connect` of psql, where `-` stands for the same one. A parenthesis is none of a
 * name without quotes: another statement follows on the line. */
const use = /(?:USE|\\c(?:onnect)?)[ \t]+(?!- )(?:\[[^\]\n]*\]|`[^`\n]*`|[^;\n([`]+)+/iy;

/** Reads the next head, past semicolons and lines for the program that runs the statements. */
export function nextHead(cursor: SqlCursor): StatementHead | undefined {
  for (;;) {
    cursor.skipBlanks();
    const used = cursor.match(use);
    if (used !== undefined)
      return { kind: 'use', database: used.replaceAll(/^\S+\s+|[[\]\u0060]|\s+$/g, '') };
    if (cursor.match(/DELIMITER[ \t]+(?=\S)/iy) !== undefined) skipDelimited(cursor);
    else if (cursor.match(/;/y) !== undefined) continue;
    else if (cursor.match(/\\copy[ \t]+/iy) !== undefined) return readClientCopy(cursor);
    else if (!cursor.isAtLineStart() || cursor.match(command) === undefined) break;
    else cursor.line();
  }
  return cursor.isAtEnd ? undefined : readHead(cursor);
}

/** Skips routines after MySQL's `DELIMITER ;;`, up to the line that restores the semicolon. */
function skipDelimited(cursor: SqlCursor) {
  if (cursor.match(/;[ \t]*\r?(?=\n)/y) !== undefined) return;
  const again = /^DELIMITER[ \t]+;[ \t]*\r?$/gim;
  again.lastIndex = cursor.at;
  const found = again.exec(cursor.text);
  if (found === null) throw new EndOfText();
  cursor.at = found.index + found[0].length;
}

const mySqlHead =
  /^(?:-- (?:MySQL|MariaDB) dump\b|-- phpMyAdmin|-- Adminer [^\n]*(?:MySQL|MariaDB)|\/\*!\d{5} SET |\) ENGINE=|INSERT INTO `)/m;

export function isMySqlDump(text: string) {
  return mySqlHead.test(text);
}
