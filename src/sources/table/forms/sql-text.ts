/** The grammar of dumps, as far as rows need it. */
import { isUtf8 } from 'node:buffer';

export interface StatementHead {
  readonly kind: 'insert' | 'copy';
  /** With its schema: `auth.users`. */
  readonly table: string;
  readonly columns: readonly string[] | undefined;
  /** In texts, backslashes escape: MySQL. */
  readonly backslashes: boolean;
  readonly end: number;
}

type Found =
  | StatementHead
  | { readonly kind: 'create'; readonly table: string; readonly body: string; readonly end: number }
  /** A line of something else. */
  | { readonly kind: 'other'; readonly end: number };

const identifier = '(?:"(?:[^"]|"")+"|`[^`]+`|\\[[^\\]]+\\]|[\\w$]+)';
const tableName = `(${identifier}(?:\\s*\\.\\s*${identifier}){0,2})`;
const insert = new RegExp(
  `(?:INSERT|REPLACE)\\s+(?:IGNORE\\s+)?(?:INTO\\s+)?${tableName}\\s*(?:\\(([^()]*)\\)\\s*)?(?:OVERRIDING\\s+\\w+\\s+VALUE\\s+)?VALUES\\s*(?=\\()`,
  'iy',
);
const copy = new RegExp(
  `COPY\\s+${tableName}\\s*(?:\\(([^()]*)\\)\\s*)?FROM\\s+stdin[^;\\n]*;[^\\n]*\\n`,
  'iy',
);
const create = new RegExp(
  `CREATE\\s+(?:\\w+\\s+){0,2}?TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?${tableName}\\s*\\(`,
  'iy',
);
const start = /(?:INSERT|REPLACE|COPY|CREATE)\b/iy;

/** A head longer than this is none. */
const longestHead = 64 * 1024;

/** Undefined where the text ends too early. */
export function headOf(text: string, at: number, isLast: boolean): Found | undefined {
  const from = skipBlanksAndSemicolons(text, at);
  if (from >= text.length) return isLast || from > at ? { kind: 'other', end: from } : undefined;
  if (text.startsWith('/*', from)) {
    const end = text.indexOf('*/', from + 2);
    if (end === -1) return isLast ? { kind: 'other', end: text.length } : undefined;
    return { kind: 'other', end: end + 2 };
  }
  if (matchAt(start, text, from) !== null) {
    const head = statementAt(text, from);
    if (head !== undefined) return head;
    // The head may go on in the next block.
    if (!isLast && text.length - from < longestHead && !isOther(text, from)) return undefined;
  } else if (!isLast && text.length - from < 16) return undefined;
  const feed = text.indexOf('\n', from);
  if (feed === -1 && !isLast) return undefined;
  return { kind: 'other', end: feed === -1 ? text.length : feed + 1 };
}

function statementAt(text: string, from: number): Found | undefined {
  const inserted = matchAt(insert, text, from);
  const found = inserted ?? matchAt(copy, text, from);
  if (found !== null) {
    const [whole, table = '', columns] = found;
    return {
      kind: inserted === null ? 'copy' : 'insert',
      table: plainName(table),
      columns:
        columns === undefined ? undefined : columns.split(',').map((column) => plainName(column.trim())),
      backslashes: table.includes('`'),
      end: from + whole.length,
    };
  }
  const created = matchAt(create, text, from);
  if (created === null) return undefined;
  const [whole, table = ''] = created;
  const close = closing(text, from + whole.length);
  if (close === -1) return undefined;
  return {
    kind: 'create',
    table: plainName(table),
    body: text.slice(from + whole.length, close),
    end: close + 1,
  };
}

/** CREATE of something else, or an INSERT ... SELECT: nothing to wait for. */
function isOther(text: string, from: number): boolean {
  const line = text.slice(from, from + 400);
  return (
    /^CREATE\s+(?!(?:\w+\s+){0,2}?TABLE)\w+\s+\S/i.test(line) || /^(?:INSERT|REPLACE|COPY)[^;]*;/i.test(line)
  );
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function skipBlanksAndSemicolons(text: string, at: number): number {
  let from = at;
  while (from < text.length && /[\s;]/.test(text[from]!)) from++;
  return from;
}

function plainName(name: string): string {
  return name
    .split(/\s*\.\s*(?=(?:[^"`\]]*["`[][^"`\]]*["`\]])*[^"`\]]*$)/)
    .map((part) =>
      part
        .trim()
        .replace(
          /^(?:"(.*)"|`(.*)`|\[(.*)\])$/,
          (_, a?: string, b?: string, c?: string) => a?.replaceAll('""', '"') ?? b ?? c ?? '',
        ),
    )
    .join('.');
}

/** The index of the bracket that closes, or -1. */
function closing(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (letter === "'" || letter === '"' || letter === '`') {
      const end = text.indexOf(letter, at + 1);
      if (end === -1) return -1;
      at = end;
    } else if (letter === '(') depth++;
    else if (letter === ')' && --depth === 0) return at;
  }
  return -1;
}

/** Constraints and indexes. A column may be named key or index, too: what stands in its brackets is a number or a text. */
const notColumns = new RegExp(
  String.raw`^(?:(?:CONSTRAINT|PRIMARY|UNIQUE|FOREIGN|CHECK|FULLTEXT|SPATIAL|LIKE)\b|EXCLUDE\s*(?:USING\b|\()|PERIOD\s+FOR\b|` +
    String.raw`(?:KEY|INDEX)\s*(?:${identifier}\s*)?(?:USING\s+\w+\s*)?\(\s*[^\d\s'])`,
  'i',
);

export interface TableColumns {
  readonly all: readonly string[];
  /** Without those that the database computes: SQLite and others leave them out of rows. */
  readonly stored: readonly string[];
}

const computed = /\sAS\s*\(/i;

/** The names of the columns between the brackets of CREATE TABLE. */
export function columnsOfTable(body: string): TableColumns {
  const all: string[] = [];
  const stored: string[] = [];
  let depth = 0;
  let from = 0;
  const add = (end: number): void => {
    const part = body
      .slice(from, end)
      .replace(/--[^\n]*/g, '')
      .trim();
    const [, name] = new RegExp(`^(${identifier})`).exec(part) ?? [];
    from = end + 1;
    if (name === undefined || notColumns.test(part)) return;
    all.push(plainName(name));
    if (!computed.test(part.replace(/'[^']*'/g, ''))) stored.push(plainName(name));
  };
  for (let at = 0; at < body.length; at++) {
    const letter = body[at]!;
    if (letter === "'") at = Math.max(at, body.indexOf("'", at + 1));
    else if (letter === '(') depth++;
    else if (letter === ')') depth--;
    else if (letter === ',' && depth === 0) add(at);
  }
  add(body.length);
  return { all, stored };
}

export type Tuple =
  | { readonly kind: 'row'; readonly values: readonly unknown[]; readonly end: number }
  | { readonly kind: 'end'; readonly end: number }
  | { readonly kind: 'broken'; readonly problem: string };

/** The next row of VALUES; undefined where the text ends in the middle of it. */
export function readTuple(text: string, start: number, backslashes: boolean): Tuple | undefined {
  let at = start;
  while (at < text.length && /[\s,]/.test(text[at]!)) at++;
  if (at >= text.length) return undefined;
  if (text[at] !== '(') return { kind: 'end', end: at };
  const values: unknown[] = [];
  at++;
  for (;;) {
    const found = readValue(text, at, backslashes);
    if (found === undefined) return undefined;
    values.push(found.value);
    at = found.end;
    if (at >= text.length) return undefined;
    if (text[at] === ')') return { kind: 'row', values, end: at + 1 };
    if (text[at] !== ',')
      return { kind: 'broken', problem: `a row goes on with "${text[at]}" where a comma is expected` };
    at++;
  }
}

interface Value {
  readonly value: unknown;
  /** At the comma or bracket behind it. */
  readonly end: number;
}

const beforeText = /\s*(?:CAST\(\s*|replace\(\s*)*(?:E|N|_\w+ ?)?'/iy;
const word = /\s*([\w.+-]+)\s*/y;

function readValue(text: string, at: number, backslashes: boolean): Value | undefined {
  const quoted = matchAt(beforeText, text, at);
  if (quoted !== null) {
    const [prefix] = quoted;
    const escapes = backslashes || /E'$/i.test(prefix);
    const found = readText(text, at + prefix.length, escapes);
    if (found === undefined) return undefined;
    const end = endOfValue(text, found.end, (prefix.match(/\(/g) ?? []).length);
    if (end === undefined) return undefined;
    // SQLite writes line ends as replace('a\nb','\n',char(10)).
    const value = /replace\(/i.test(prefix)
      ? found.value.replaceAll('\\n', '\n').replaceAll('\\r', '\r')
      : found.value;
    return { value, end };
  }
  const hex = matchAt(/\s*(?:X'([\da-f]*)'|0x([\da-f]+))\s*/iy, text, at);
  if (hex !== null) return { value: bytesText(hex[1] ?? hex[2] ?? ''), end: at + hex[0].length };
  const plain = matchAt(word, text, at);
  const end = endOfValue(text, plain === null ? at : at + plain[0].length, 0);
  if (plain === null || end === undefined) return end === undefined ? undefined : { value: null, end };
  const [, bare = ''] = plain;
  const isNothing = /^(?:NULL|DEFAULT)$/i.test(bare);
  return { value: isNothing ? null : bare.replace(/^(?:TRUE|FALSE)$/i, (name) => name.toLowerCase()), end };
}

/** Behind casts and brackets. Undefined where the text ends. */
function endOfValue(text: string, from: number, open: number): number | undefined {
  let depth = open;
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (letter === "'") {
      const end = text.indexOf("'", at + 1);
      if (end === -1) return undefined;
      at = end;
    } else if (letter === '(' || letter === '[') depth++;
    else if (depth > 0 && (letter === ')' || letter === ']')) depth--;
    else if (depth === 0 && (letter === ',' || letter === ')')) return at;
  }
  return undefined;
}

const escaped: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', 0: '\0', Z: '\x1a' };

/** From behind the opening quote; undefined where the text ends before the closing one. */
function readText(text: string, from: number, escapes: boolean): { value: string; end: number } | undefined {
  let slash = escapes ? text.indexOf('\\', from) : -1;
  for (let at = from; ;) {
    const quote = text.indexOf("'", at);
    if (quote === -1 || quote + 1 >= text.length) return undefined;
    if (slash !== -1 && slash < at) slash = text.indexOf('\\', at);
    if (slash !== -1 && slash < quote) at = slash + 2;
    else if (text[quote + 1] === "'") at = quote + 2;
    else return { value: unescapeText(text.slice(from, quote), escapes), end: quote + 1 };
  }
}

function unescapeText(text: string, escapes: boolean): string {
  if (!escapes || !text.includes('\\')) return text.replaceAll("''", "'");
  return text.replace(/''|\\([^])/g, (_, letter?: string) =>
    letter === undefined ? "'" : (escaped[letter] ?? letter),
  );
}

/** Bytes that are a text, else as hex. */
function bytesText(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  const text = bytes.toString('utf8');
  return isUtf8(bytes) && !/[\p{Cc}\p{Cn}]/u.test(text) ? text : hex;
}
