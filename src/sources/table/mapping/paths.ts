/**
 * Paths into a row: `email`, `meta.locale`, `emails[0].address`, `["cognito:username"]`, `meta["*_capabilities"]`,
 * `factors[type=totp].secret`, `emails[id=@primary_email_id].address`. And the error for a place of the mapping itself.
 */
import { isObject, type JsonObject } from '../../../lib/json-value.ts';
import { UsageError } from '../../../errors.ts';

/**
 * A key, an index of a list, or a condition for the element of a list: `factors[type=totp]`. If `is` begins with `@`, the
 * value comes from this column of the row.
 */
type Segment = string | number | { readonly key: string; readonly is: string };

/** A row, or an element of it, while a mapping is applied to it. */
export interface Scope {
  readonly row: unknown;
  /** Key of the element in an object, which mappings call `@key`. */
  readonly key: string;
  /** Fields that hold something other than a text. They reject the record. */
  readonly problems: string[];
  /** What the source knows about the row besides its columns. Names begin with `@`. */
  readonly extra?: JsonObject | undefined;
}

/** Returns the scope of a whole row, without a look at its problems. */
export const rowScope = (row: unknown): Scope => ({ row, key: '', problems: [] });

export type Get = (scope: Scope) => unknown;

/** Maximum depth of a path. A deeper one is a mistake. */
const maxSegments = 20;

/** Throws `MappingProblem`. */
function parsePath(text: string): readonly Segment[] {
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

/** Returns the column that a path begins with. With a depth of 2, adds the place in it that the path goes through. */
export const columnOf = (path: string, depth = 1) =>
  parsePath(path)
    .slice(0, depth)
    .filter((segment) => typeof segment !== 'object')
    .join('.');

function compilePath(path: string): Get {
  if (path === '@key') return ({ key }) => key;
  if (path === '@value') return ({ row }) => row;
  // If the source adds nothing to its rows, a row may have a column of this name itself.
  if (path.startsWith('@')) return ({ row, extra }) => (extra === undefined ? own(row, path) : extra[path]);
  const segments = parsePath(path);
  const [only] = segments;
  if (segments.length === 1 && typeof only === 'string' && !only.startsWith('*')) {
    return ({ row }) => own(row, only);
  }
  // The title of a column may contain dots.
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
  if (!segment.startsWith('*')) return own(inside, segment);
  // A pattern such as `*_capabilities`: of several keys the shortest, because longer ones name a part, such as a further site.
  const keys = Object.keys(Object(inside)).filter((key) => key.endsWith(segment.slice(1)));
  return own(inside, keys.sort((one, other) => one.length - other.length)[0] ?? '');
}

/** Returns the value at a path of the row, such as `profile.email`, in which `profile` may be JSON in a cell. */
function valueAt(row: unknown, path: string) {
  const value = path.split('.').reduce<unknown>((inside, key) => own(containerOf(inside), key), row);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Words for yes, also as spreadsheets of other languages, pandas, Access and clients of MySQL write them. */
export const yes = new Set(
  `1 1.0 -1 t true y yes on x wahr ja vrai oui verdadero sí si vero waar b'1' b'\\x01'`.split(' '),
);

/** A cell that bcp writes for an empty text, and MySQL for a bit that is off. */
export const nul = '\0';

/** Words for no, from the same programs. */
export const no = new Set(
  `0 0.0 f false n no off falsch nein faux non falso nee onwaar b'0' b'\\x00'`.split(' '),
);

/** Words for nothing in a column that says who is blocked. */
export const unsaid = ['-', 'n/a', 'never', 'none'];

/**
 * Returns the first element of a list with this value. Case does not matter, because tables spell addresses in any case.
 * If the value is `t`, every way to say yes matches.
 */
function elementWith(list: unknown, key: string, is: string) {
  if (!Array.isArray(list)) return undefined;
  return list.find((element) => {
    const text = String(own(element, key) ?? key.split('.').reduce(own, element)).toLowerCase();
    return is !== '' && (text === is.toLowerCase() || (is === 't' && yes.has(text)));
  }) as unknown;
}

/** The last JSON that was read from a cell. It is kept because several fields come from the same cell. */
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

/** Returns a list or an object, also if it is JSON in a cell. Undefined for anything else. */
export function containerOf(value: unknown): readonly unknown[] | JsonObject | undefined {
  const inside = typeof value === 'string' ? parseCell(value) : value;
  return Array.isArray(inside) || isObject(inside) ? inside : undefined;
}

/** What a compilation knows besides the mapping. */
export interface Setting {
  /** Current time (milliseconds since 1970), for conditions about the future and the past. */
  readonly now: number;
  /** Receives the columns that are read. */
  readonly columns: NamedColumn[];
  readonly isAlternative?: boolean;
  /** For a condition by which users arrive inactive, and otherwise active. */
  readonly mayBlock?: boolean;
}

/** Returns a setting to read an element of a list or an object, which has no columns. */
export const withoutColumns = (setting: Setting): Setting => ({ ...setting, columns: [] });

/** A column, and the place in the mapping that names it. A joined table counts as a column. */
export interface NamedColumn {
  readonly column: string;
  /** The column, with the place in it. */
  readonly path: string;
  /** The whole path, which may also be a title with dots. */
  readonly title: string;
  readonly place: string;
  /** Whether it is one of several columns, of which the first that is not empty counts. */
  readonly isAlternative: boolean;
}

/** Compiles how to read a cell. Throws `MappingProblem`. */
export function compileCell(path: string, place: string, { columns, isAlternative = false }: Setting): Get {
  if (path !== '@key' && path !== '@value')
    columns.push({
      column: columnOf(path),
      path: columnOf(path, 2),
      title: path,
      place,
      isAlternative,
    });
  return compilePath(path);
}

/** Length at which templates and replacements stop. A longer text fits in no field. */
export const longestText = 1_000_000;

/** Names of values in MongoDB's Extended JSON. */
const wrapped = ['$oid', '$date', '$numberLong', '$numberInt', '$numberDouble', '$numberDecimal', '$uuid'];

/**
 * Returns a value as text, which is empty if it is absent. An object rejects the record, because it is not a text, and
 * dropping it would lose something; a number too large to be exact, too.
 */
export function textOf(value: unknown, scope: Scope, place: string) {
  if ((value ?? nul) === nul) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return textOf(value[0], scope, place);
  if (isObject(value)) {
    const key = wrapped.find((name) => Object.hasOwn(value, name));
    if (key !== undefined) return textOf(value[key], scope, place);
    if (Object.keys(value).length > 0) scope.problems.push(`${place} is not a text`);
    return '';
  }
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return JSON.stringify(value);
  // The JSON reader has rounded it.
  scope.problems.push(`${place} is a number too large to be exact; export it as text`);
  return '';
}

/** Reports whether a spreadsheet has rounded a number, as in `1.08235E+20`. Two users may have the same one then. */
export function isRounded(text: string) {
  return /^\d(?:[.,]\d+)?E\+?\d{1,3}$/i.test(text);
}

/** Becomes a `UsageError` with the name of the file. */
export class MappingProblem extends Error {
  override readonly name = 'MappingProblem';
  readonly hint: string | undefined;

  constructor(place: string, problem: string, hint?: string) {
    super(place === '' ? problem : `${place}: ${problem}`);
    this.hint = hint;
  }
}

/** Runs a compilation. A `MappingProblem` becomes a `UsageError` with the name of the file. */
export function withMappingName<Result>(file: string, compile: () => Result) {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof MappingProblem)) throw error;
    throw new UsageError(`${file}: ${error.message}`, error.hint);
  }
}
