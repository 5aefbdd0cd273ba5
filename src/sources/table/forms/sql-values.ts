/** Reads rows of VALUES: texts, numbers, bytes, and the functions that databases use to write them. */
import { bytesText } from '../../../lib/strings.ts';
import { escapes } from '../../rows.ts';
import { EndOfText, type SqlCursor } from './sql-cursor.ts';

/** A value that only a database could compute. */
export class Computed {
  /** Name of the function or kind of expression. Contains no data. */
  readonly what: string;

  constructor(what: string) {
    this.what = what;
  }
}

/** Deepest nesting of calls. Databases write fewer than ten levels. */
const maxDepth = 50;

type SqlValue = string | null | Computed;

/** Reads the row whose parenthesis is here. Throws `EndOfText`. */
export function readTuple(cursor: SqlCursor, depth = 0): readonly SqlValue[] {
  const values: SqlValue[] = [];
  do {
    cursor.skip();
    values.push(readValue(cursor, depth));
  } while (cursor.peek() === ',');
  if (cursor.peek() !== ')') throw new EndOfText();
  cursor.at++;
  return values;
}

/** Reads a value, up to the comma or parenthesis after it. */
function readValue(cursor: SqlCursor, depth: number): SqlValue {
  const parts = [readTerm(cursor, depth)];
  let isExpression = false;
  for (;;) {
    cursor.skipBlanks();
    const letter = cursor.peek();
    if (letter === ',' || letter === ')' || letter === '') break;
    if (cursor.match(/::|(?:AS|USING|COLLATE)\b/iy) !== undefined) skipType(cursor);
    else if (cursor.match(/\|\|/y) !== undefined) {
      cursor.skipBlanks();
      parts.push(readTerm(cursor, depth));
    } else {
      isExpression = true;
      skipNested(cursor);
    }
  }
  if (isExpression) return new Computed('an expression');
  return parts.length === 1 ? parts[0]! : apply('CONCAT', parts);
}

/** Skips one token, or everything in parentheses. */
function skipNested(cursor: SqlCursor) {
  let depth = 0;
  do {
    const { text: sign } = cursor.token();
    if (sign === '(' || sign === '[') depth++;
    else if (sign === ')' || sign === ']') depth--;
  } while (depth > 0 && cursor.peek() !== '');
}

/** Skips a type: `character varying(20)[]`, `timestamp with time zone`, `"x"`. */
function skipType(cursor: SqlCursor) {
  cursor.skipBlanks();
  while (/^[\w"`([.]/.test(cursor.peek())) skipNested(cursor);
}

function readTerm(cursor: SqlCursor, depth: number) {
  const letter = cursor.peek();
  const { isMySql } = cursor.dialect;
  if (letter === "'" || letter === '"') return oneBit(cursor.quoted(isMySql));
  if (letter === '(' && depth < maxDepth) {
    const [value = null, ...more] = readTuple(cursor, depth + 1);
    return more.length === 0 ? value : new Computed('a row');
  }
  const hex = cursor.match(/0x[\da-f]*/iy);
  if (hex !== undefined) return bytesText(hex.slice(2));
  const number = cursor.match(/[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/iy);
  if (number !== undefined) return number;
  const alternative = cursor.oracleText();
  if (alternative !== undefined) return alternative;
  const start = cursor.at;
  const word = cursor.word();
  if (word === undefined) return new Computed('an expression');
  if (word === 'NULL' || word === 'DEFAULT') return null;
  if (word === 'TRUE' || word === 'FALSE') return word.toLowerCase();
  const unicode = word === 'U' && cursor.match(/&(?=')/y) !== undefined;
  const isClose = cursor.text.charAt(start + word.length) === "'";
  if (cursor.peek() === '(' && depth < maxDepth) return apply(word, readTuple(cursor, depth + 1));
  if (word.startsWith('_') && depth < maxDepth) return readTerm(cursor, depth + 1);
  if (!isClose) cursor.skipWords(/^(?:WITH|WITHOUT|TIME|ZONE|LOCAL)$/);
  if (cursor.peek() !== "'") {
    cursor.at = start;
    skipNested(cursor);
    return new Computed(word);
  }
  const text = cursor.quoted(isMySql || (isClose && word === 'E'));
  if (unicode) return unistr(text) ?? new Computed("U&'...'");
  if (isClose && word === 'X') return bytesText(text.replaceAll(/\s/g, ''));
  if (isClose && word === 'B' && isMySql) return String(BigInt(`0b${text}`));
  return text;
}

/** Converts a one-bit column, which MySQL writes as a byte. No real text is a single such byte. */
const oneBit = (text: string) => (text.length === 1 && text < '\u0002' ? String(text.charCodeAt(0)) : text);

type Compute = (args: readonly string[]) => string | undefined;

const first: Compute = ([value]) => value;
const ofHex: Compute = ([hex = '']) => bytesText(hex);
const character: Compute = (codes) =>
  codes.every((code) => /^\d{1,6}$/.test(code))
    ? codes.map((code) => String.fromCodePoint(Number(code))).join('')
    : undefined;

/** Functions in dumps, such as SQLite's `replace(..., char(10))` and `unistr`, Oracle's `TO_DATE`, H2's `STRINGDECODE`. */
const functions: Readonly<Record<string, Compute>> = {
  ...Object.fromEntries(
    'CAST TO_DATE TO_TIMESTAMP TO_TIMESTAMP_TZ TO_CHAR TO_NCHAR TO_CLOB TO_NCLOB DATE DATETIME TIMESTAMP JSON'
      .split(' ')
      .map((name) => [name, first] as const),
  ),
  CHAR: character,
  CHR: character,
  NCHAR: character,
  CONCAT: (texts) => texts.join(''),
  REPLACE: ([text, found, by, ...more]) =>
    found !== undefined && found !== '' && by !== undefined && more.length === 0
      ? text!.replaceAll(found, () => by)
      : undefined,
  UNISTR: ([text = '']) => unistr(text),
  STRINGDECODE: ([text = '']) =>
    text.replace(/\\(?:u([\da-f]{4})|([^]))/gi, (_, code?: string, letter = '') =>
      code === undefined
        ? (escapes[letter as string] ?? (letter as string))
        : String.fromCharCode(Number.parseInt(code, 16)),
    ),
  HEXTORAW: ofHex,
  UNHEX: ofHex,
};

function apply(name: string, args: readonly SqlValue[]): SqlValue {
  // T-SQL: CONVERT(type, value, style); MySQL: CONVERT(value USING utf8).
  if (name === 'CONVERT') return args.slice(0, 2).find((value) => !(value instanceof Computed)) ?? null;
  if (args.some((value) => value instanceof Computed)) return new Computed(name);
  if (functions[name] === first && args[0] === null) return null;
  const texts = args.filter((value) => typeof value === 'string');
  const value =
    texts.length === args.length && Object.hasOwn(functions, name) ? functions[name]!(texts) : undefined;
  return value ?? new Computed(name);
}

/** Decodes `\00e9`, `\+01f642`, `\u00e9`, `\U0001f642`, `\\` of SQLite, Oracle, PostgreSQL and H2. */
function unistr(text: string) {
  let isWrong = false;
  const decoded = text.replace(
    /\\(?:(\\)|u?([\da-f]{4})|\+([\da-f]{6})|U([\da-f]{8}))?/gi,
    (_, slash?: string, short?: string, long?: string, longer?: string) => {
      const code = Number.parseInt(short ?? long ?? longer ?? '', 16);
      isWrong ||= slash === undefined && !(code <= 0x10ffff);
      if (slash !== undefined || isWrong) return '\\';
      return short === undefined ? String.fromCodePoint(code) : String.fromCharCode(code);
    },
  );
  return isWrong ? undefined : decoded;
}
