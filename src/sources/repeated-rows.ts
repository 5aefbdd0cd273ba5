/** A join in an export repeats a user for each joined row: neighboring rows of one user become one record. */
import { isObject, type JsonObject } from '../lib/json-value.ts';

/** Columns that say which user a row belongs to. */
export interface RowKey {
  /** Its id: the first that is not empty. */
  readonly ids: readonly string[];
  /** Its names: rows with one id and other names are two users, and a mistake in the export. One may lack a name. */
  readonly names: readonly string[];
}

/** The key under which a row has the other rows of its user. */
export const furtherRows = '@rows';

const none: readonly JsonObject[] = [];

/** The other rows of the same user; mostly none. */
export function furtherRowsOf(row: JsonObject): readonly JsonObject[] {
  const rows = row[furtherRows];
  return Array.isArray(rows) ? rows.filter((one) => isObject(one)) : none;
}

/** More rows are a mistake. */
const maxRows = 2000;

/** The same values; neighbours of one user become one, which has the others under `furtherRows`. */
export function* joinRepeats(values: Iterable<unknown>, key: RowKey): Generator {
  let held: unknown;
  let further: unknown[] | undefined;
  for (const value of values) {
    if (further !== undefined && further.length < maxRows && isSameUser(held, value, key)) {
      further.push(value);
      continue;
    }
    if (further !== undefined) yield withFurther(held, further);
    held = value;
    further = [];
  }
  if (further !== undefined) yield withFurther(held, further);
}

function withFurther(row: unknown, further: readonly unknown[]): unknown {
  return further.length === 0 ? row : { ...(row as JsonObject), [furtherRows]: further };
}

export function isSameUser(one: unknown, other: unknown, { ids, names }: RowKey): boolean {
  if (!isObject(one) || !isObject(other)) return false;
  const id = ids.find((column) => (one[column] ?? '') !== '' || (other[column] ?? '') !== '');
  if (id === undefined || one[id] !== other[id] || typeof one[id] === 'object') return false;
  return names.every((name) => isSameName(one[name] ?? '', other[name] ?? ''));
}

function isSameName(one: unknown, other: unknown) {
  return one === other || one === '' || other === '';
}
