/** Looks at a file without a mapping: where the users are, which columns they have, and what these contain. Keeps no values. */
import { data } from '../../sources/table/forms/csv.ts';
import { isObject, isObjectLine } from '../../lib/json-value.ts';
import { readBytesText } from '../../lib/strings.ts';
import { decodeHash } from '../../records/hash-forms/decode.ts';
import { autoRows, recogniseForm } from '../../records/hash-forms/rows/auto.ts';
import { isProblem } from '../../records/mcf/algorithm.ts';
import { isHex, uuid } from '../../records/text.ts';
import { nul } from '../../sources/table/mapping/paths.ts';
import { recognise } from '../../records/mcf/recognise.ts';
import { count } from '../../records/tally.ts';

export interface Column {
  readonly name: string;
  filled: number;
  /** Number of values by what they look like. */
  readonly looks: Map<string, number>;
  /** Number of values that name their own hash algorithm. */
  hashes: number;
}

export interface Columns {
  readonly rows: number;
  readonly columns: readonly Column[];
}

/** Files with more columns are not tables of users. */
const mostColumns = 1000;

export function createColumnCount() {
  const columns = new Map<string, Column>();
  let rows = 0;
  const columnOf = (name: string) => {
    const known = columns.get(name);
    // An object with a user under each key may have addresses as keys, and a draft shows no values.
    if (known !== undefined || columns.size >= mostColumns || data.test(name)) return known;
    const column = { name, filled: 0, looks: new Map<string, number>(), hashes: 0 };
    columns.set(name, column);
    return column;
  };
  return {
    /** Adds columns, even if no row has a value in them. */
    declare: (names: readonly string[]) => names.forEach(columnOf),
    add(row: unknown) {
      if (!isObject(row)) return;
      rows++;
      for (const [name, value] of Object.entries(row)) {
        const column = columnOf(name);
        if (column === undefined || (value ?? '') === '' || value === nul) continue;
        column.filled++;
        look(column, value);
      }
    },
    finish() {
      for (const { looks } of columns.values()) {
        if (!looks.has('numbers')) continue;
        count(looks, 'numbers', looks.get(zeroOrOne) ?? 0);
        looks.delete(zeroOrOne);
      }
      return { rows, columns: [...columns.values()] };
    },
  };
}

function look(column: Column, value: unknown) {
  const text = typeof value === 'string' ? readBytesText(value.trim()) : '';
  const hash = hashName(text);
  if (hash !== undefined) column.hashes++;
  count(column.looks, hash ?? digestName(text) ?? kindOf(value));
}

/** Returns the algorithm or the form. Undefined for text that does not show that it is a hash. */
function hashName(text: string) {
  const form = text.length < 13 ? undefined : recogniseForm(text);
  if (form === undefined) return undefined;
  const decoded = decodeHash({ rows: autoRows }, { hash: text });
  if ('code' in decoded) return `${form}, which cannot be carried (${decoded.code})`;
  const found = 'mcf' in decoded ? recognise(decoded.mcf) : undefined;
  return found === undefined || isProblem(found) ? form : found.algorithm;
}

/** Digests by the number of their hexadecimal digits. */
export const digestOf: Readonly<Record<string, string>> = {
  32: 'md5',
  40: 'sha1',
  56: 'sha224',
  64: 'sha256',
  96: 'sha384',
  128: 'sha512',
};

function digestName(text: string) {
  return text.length in digestOf && isHex(text) ? `${text.length} hexadecimal digits` : undefined;
}

/** May mean no and yes, unless the column has other numbers. */
const zeroOrOne = '0 or 1';

const kinds: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['true or false', /^(?:true|false|t|f|yes|no)$/i],
  [zeroOrOne, /^[01]$/],
  ['email addresses', /^[^\s@]{1,200}@[^\s@]{1,200}$/],
  ['UUIDs', uuid],
  ['times', /^(?:\d{4}-\d\d-\d\d|\d\d?\.\d\d?\.\d{4})(?:[T ,]|$)/],
  ['numbers', /^-?\d{1,20}(?:\.\d{1,20})?$/],
];

function kindOf(value: unknown) {
  if (Array.isArray(value)) return 'lists';
  const text = String(value).trim();
  // A path also reads into the JSON of a cell.
  if (isObject(value) || isObjectLine(text)) return 'objects';
  return kinds.find(([, pattern]) => pattern.test(text))?.[0] ?? 'text';
}

const deepest = 5;

/** Finds the longest list of objects, or else the object with most of them. */
export function findUsers(document: unknown) {
  const found: {
    /** Keys, separated by dots. Undefined for the document itself. */
    list: string | undefined;
    /** Each user is under a key of its own. */
    isKeyed: boolean;
    count: number;
  }[] = [];
  const look = (value: unknown, path: readonly string[]) => {
    if (path.length > deepest || path.some((key) => key.includes('.'))) return;
    const inner = Array.isArray(value) || isObject(value) ? Object.values(value) : [];
    if (inner.length > 0 && inner.every(isRecord)) {
      const list = path.length === 0 ? undefined : path.join('.');
      found.push({ list, isKeyed: !Array.isArray(value), count: inner.length });
    }
    if (isObject(value)) for (const [key, next] of Object.entries(value)) look(next, [...path, key]);
  };
  look(document, []);
  return found.sort(
    (one, other) => Number(one.isKeyed) - Number(other.isKeyed) || other.count - one.count,
  )[0];
}

/** Reports whether the object has fields of its own, not only other objects. */
function isRecord(value: unknown) {
  return isObject(value) && Object.values(value).some((field) => typeof field !== 'object');
}
