/**
 * What a batch has in place of a record: one that could not be read, or one with the other rows of its user. A join in an
 * export repeats a user for each joined row, and neighboring rows of one user become one record.
 */
import { isObject, type JsonObject, objectsIn } from '../lib/json-value.ts';
import { type Origin, reject, type Rejected } from '../records/user.ts';
import { nul } from './table/mapping/paths.ts';

/** Columns that show which user a row belongs to. */
export interface RowKey {
  /** Columns with an ID. The first one that is not empty counts. */
  readonly ids: readonly string[];
  /**
   * Columns with a name. Rows with one id and different names are two users and a mistake in the export, but one row
   * may lack a name.
   */
  readonly names: readonly string[];
}

/** The key under which a row has the other rows of its user. */
export const furtherRows = '@rows';

/** Returns the other rows of the same user. Usually there are none. */
export const furtherRowsOf = (row: JsonObject) => objectsIn(row[furtherRows]);

/** More rows of one user are a mistake. */
export const maxRows = 2000;

/** Yields the values, but only one for neighboring rows of a user, with the other rows under `furtherRows`. */
export function* joinRepeats(values: Iterable<unknown>, key: RowKey) {
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

function withFurther(row: unknown, further: readonly unknown[]) {
  return further.length === 0 ? row : { ...(row as JsonObject), [furtherRows]: further };
}

export function isSameUser(one: unknown, other: unknown, { ids, names }: RowKey) {
  if (!isObject(one) || !isObject(other)) return false;
  const id = ids.find((column) => !isBlank(one[column]) || !isBlank(other[column]));
  if (id === undefined || one[id] !== other[id] || typeof one[id] === 'object') return false;
  return names.every((name) => one[name] === other[name] || isBlank(one[name]) || isBlank(other[name]));
}

const isBlank = (value: unknown) => (value ?? '') === '' || value === nul;

export interface Broken {
  /** Where the record is, and why it could not be read. */
  readonly problem: string;
  /** The record as written in the file, for the rejects file. */
  readonly text?: string | undefined;
  /** User name or id, if known. */
  readonly id?: string | undefined;
  /** Reason of the rejection. If absent, `record:not-json`. */
  readonly code?: 'record:too-large' | 'record:cut-off' | undefined;
}

export class BrokenRecord {
  readonly broken: Broken;

  constructor(broken: Broken) {
    this.broken = broken;
  }

  reject(origin: Origin): Rejected {
    const { problem, id = origin.id, code = 'record:not-json' } = this.broken;
    return reject({ origin: { ...origin, id } }, code, problem);
  }
}
