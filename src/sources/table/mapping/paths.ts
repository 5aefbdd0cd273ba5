/**
 * Paths into a row: `email`, `meta.locale`, `emails[0].address`, `["cognito:username"]`, `meta["*_capabilities"]`,
 * `factors[type=totp].secret`, `emails[id=@primary_email_id].address`.
 */
import { isObject, type JsonObject } from '../../../lib/json-value.ts';
import { MappingProblem } from './problem.ts';

/**
 * A key, a place in a list, or the element of a list with this value: `factors[type=totp]`; with `@`, with the value of
 * this column of the row.
 */
type Segment = string | number | { readonly key: string; readonly is: string };

/** A row, or an element of it, while a mapping is applied to it. */
export interface Scope {
  readonly row: unknown;
  /** The name of an element of an object: `@key`. */
  readonly key: string;
  /** Fields that hold something else than a text; they cost the record. */
  readonly problems: string[];
  /** What the source knows of the row besides its columns, by names that begin with `@`. */
  readonly extra?: JsonObject | undefined;
}

export type Get = (scope: Scope) => unknown;

/** Deeper places than this are a mistake. */
const maxSegments = 20;

/** Throws `MappingProblem`. */
export function parsePath(text: string): readonly Segment[] {
  const segments: Segment[] = [];
  let rest = text;
  while (rest !== '') {
    const [whole, quoted, index, key, is, name] =
      /^(?:\["([^"]+)"\]|\[(\d{1,4})\]|\[([\w$.-]+)=([^\]]+)\]|\.?([^.[\]]+))/.exec(rest) ?? [];
    if (whole === undefined || segments.length === maxSegments) {
      throw new MappingProblem('', `the path ${text} cannot be read`, pathHint(text));
    }
    if (key !== undefined) segments.push({ key, is: is! });
    else segments.push(quoted ?? (index === undefined ? name! : Number(index)));
    rest = rest.slice(whole.length);
  }
  return segments;
}

const pathHint = (text: string) =>
  `A column of this name is written '["${text.replaceAll(/["'[\]]/g, '')}"]', with both kinds of quotes; a key in a column meta["a.b"].`;

/** The column that a path begins with; with a depth of 2, the place in it that it goes through as well. */
export const columnOf = (path: string, depth = 1) =>
  parsePath(path)
    .slice(0, depth)
    .filter((segment) => typeof segment !== 'object')
    .join('.');

function compilePath(path: string): Get {
  if (path === '@key') return ({ key }) => key;
  // A row that has such a column itself is not asked where the source says more of it.
  if (path.startsWith('@')) return ({ row, extra }) => (extra === undefined ? own(row, path) : extra[path]);
  const segments = parsePath(path);
  const [only] = segments;
  if (segments.length === 1 && typeof only === 'string' && !hasStar(only)) {
    return ({ row }) => own(row, only);
  }
  // A table may have a title with dots in it.
  return ({ row }) =>
    own(row, path) ?? segments.reduce<unknown>((value, segment) => descend(value, segment, row), row);
}

function own(value: unknown, key: string) {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function descend(value: unknown, segment: Segment, row: unknown) {
  const inside = typeof value === 'string' ? parseCell(value) : value;
  if (typeof segment === 'number') return Array.isArray(inside) ? (inside[segment] as unknown) : undefined;
  if (typeof segment === 'object') {
    const { key, is } = segment;
    return elementWith(inside, key, is.startsWith('@') ? valueAt(row, is.slice(1)) : is);
  }
  if (!hasStar(segment)) return own(inside, segment);
  const end = segment.slice(1);
  return isObject(inside) ? inside[Object.keys(inside).find((key) => key.endsWith(end)) ?? ''] : undefined;
}

/** `profile.email` of the row, whose `profile` may be JSON in a cell. */
function valueAt(row: unknown, path: string) {
  const value = path.split('.').reduce<unknown>((inside, key) => own(containerOf(inside), key), row);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Also as spreadsheets of other languages, pandas and Access write it. */
export const yes = new Set(
  '1 1.0 -1 t true y yes on x wahr ja vrai oui verdadero sí si vero waar'.split(' '),
);

/** The same of no. */
export const no = new Set('0 0.0 f false n no off falsch nein faux non falso nee onwaar'.split(' '));

/** The first element of a list with this value, in any case, as tables spell addresses; every way to say yes is `t`. */
function elementWith(list: unknown, key: string, is: string) {
  if (!Array.isArray(list)) return undefined;
  return list.find((element) => {
    const text = String(own(element, key) ?? key.split('.').reduce(own, element)).toLowerCase();
    if (is === '') return false;
    return text === is.toLowerCase() || (is === 't' && yes.has(text));
  }) as unknown;
}

/** `*_capabilities`; `*` alone is the first key of all. */
function hasStar(segment: string) {
  return segment.startsWith('*');
}

/** JSON in a cell; several fields come out of the same one. */
let lastCell = '';
let lastValue: unknown;

function parseCell(text: string) {
  if (text === lastCell) return lastValue;
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return undefined;
  lastValue = undefined;
  lastCell = text;
  try {
    lastValue = JSON.parse(text);
  } catch {
    // Not JSON: there is nothing inside.
  }
  return lastValue;
}

/** A list or an object, also as JSON in a cell; undefined for anything else. */
export function containerOf(
  value: unknown,
): readonly unknown[] | Readonly<Record<string, unknown>> | undefined {
  const inside = typeof value === 'string' ? parseCell(value) : value;
  return Array.isArray(inside) || isObject(inside) ? inside : undefined;
}

/** What a compilation knows besides the mapping. */
export interface Setting {
  /** Words that mean no value. */
  readonly nulls: ReadonlySet<string>;
  /** For times in the future and in the past. */
  readonly now: number;
  /** Gets the columns that are read. */
  readonly columns: NamedColumn[];
  readonly isAlternative?: boolean;
}

/** For what is read of an element, which has no columns. */
export const withoutColumns = (setting: Setting): Setting => ({ ...setting, columns: [] });

/** A column and the place in the mapping that names it; a table that is joined counts as one. */
export interface NamedColumn {
  readonly column: string;
  /** With the place in it. */
  readonly path: string;
  /** All of it: it may be a title with dots. */
  readonly title: string;
  readonly place: string;
  /** One of several of which the first that is not empty counts. */
  readonly isAlternative: boolean;
}

/** A word that means no value is empty. Throws `MappingProblem`. */
export function compileCell(path: string, place: string, setting: Setting): Get {
  const { nulls, columns, isAlternative = false } = setting;
  const get = compilePath(path);
  if (path !== '@key')
    columns.push({
      column: columnOf(path),
      path: columnOf(path, 2),
      title: path,
      place,
      isAlternative,
    });
  if (nulls.size === 0) return get;
  return (scope) => {
    const value = get(scope);
    return typeof value === 'string' && nulls.has(value) ? '' : value;
  };
}

/** Longer texts fit in no field; templates and replacements stop there. */
export const longestText = 1_000_000;

/** Names of values in MongoDB's Extended JSON. */
const wrapped = ['$oid', '$date', '$numberLong', '$numberInt', '$numberDouble', '$numberDecimal', '$uuid'];

/** The empty text for what is absent. An object rejects the record: it is not a text, and dropping it would lose something. */
export function textOf(value: unknown, scope: Scope, place: string): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return numberText(value, scope, place);
  if (Array.isArray(value)) return textOf(value[0], scope, place);
  if (isObject(value)) {
    const key = wrapped.find((name) => Object.hasOwn(value, name));
    if (key !== undefined) return textOf(value[key], scope, place);
    if (Object.keys(value).length === 0) return '';
  }
  scope.problems.push(`${place} is not a text`);
  return '';
}

/** A JSON reader has rounded larger numbers already. */
function numberText(value: number, scope: Scope, place: string) {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    scope.problems.push(`${place} is a number too large to be exact; export it as text`);
    return '';
  }
  return String(value);
}

/** `1.08235E+20`: a spreadsheet has rounded it, and two users may have the same one now. */
export function isRounded(text: string) {
  return /^\d(?:[.,]\d+)?E\+?\d{1,3}$/i.test(text);
}
