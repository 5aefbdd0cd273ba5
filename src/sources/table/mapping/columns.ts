/** The columns that a mapping names, and how they compare with those of a table. */
import { nearest } from '../../../lib/nearest.ts';
import { furtherRows, type RowKey } from '../../repeated-rows.ts';
import { columnOf } from './paths.ts';
import { MappingProblem } from './problem.ts';
import type { Condition, Mapping, Value } from './schema.ts';
import { templatePaths } from './values.ts';

/** A column and the place in the mapping that names it. */
export interface NamedColumn {
  readonly column: string;
  readonly place: string;
  /** One of several of which the first that is not empty counts. */
  readonly isAlternative?: true;
}

/**
 * All columns that a mapping knows, those left behind on purpose included, and those of joined tables, which a join in the
 * export puts into the rows of the users.
 */
export function columnsOf(mapping: Mapping): ReadonlySet<string> {
  return new Set([
    ...namedColumns(mapping).map(({ column }) => column),
    ...linkColumns(mapping),
    ...(mapping.unused ?? []),
    furtherRows,
  ]);
}

/** Those of a link that `each` finds in the row itself: a table that the export has joined, or a plain column. */
function linkColumns({ user, tables = {} }: Mapping): readonly string[] {
  return [user.links ?? []].flat().flatMap(({ each, alias, externalUserId, displayName }) => {
    const columns = [alias, externalUserId, displayName].flatMap((value) => plainColumns(value));
    return each !== undefined && (Object.hasOwn(tables, each) || columns.includes(each)) ? columns : [];
  });
}

/** The columns that the id and the names of a user stand in; undefined where the mapping says no id. */
export function rowKeyOf({ user }: Mapping): RowKey | undefined {
  const ids = plainColumns(user.id);
  const names = [...plainColumns(user.userName), ...plainColumns(user.email)];
  return ids.length === 0 ? undefined : { ids, names };
}

/** Of a value that is a column, or the first of several. */
function plainColumns(value: Value | undefined): readonly string[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return value === '@key' ? [] : [columnOf(value)];
  return isList(value) ? value.flatMap((one) => plainColumns(one)) : plainColumns(value.from);
}

/** The columns that the fields are read from; tables that are joined count as columns. */
export function namedColumns(mapping: Mapping): readonly NamedColumn[] {
  const found: NamedColumn[] = [];
  const add = (path: string, place: string, isAlternative = false): void => {
    if (path === '@key') return;
    found.push({ column: columnOf(path), place, ...(isAlternative ? { isAlternative } : {}) });
  };
  const value = (one: Value | undefined, place: string, isAlternative = false): void => {
    if (one === undefined) return;
    if (typeof one === 'string') return add(one, place, isAlternative);
    if (isList(one)) return one.forEach((inner) => value(inner, place, true));
    value(one.from, place, isAlternative);
    condition(one.when, place);
    if (one.template !== undefined)
      for (const path of templatePaths(one.template)) add(path, place, isAlternative);
    if (one.first !== undefined) add(one.first.of, place, isAlternative);
    if (one.all !== undefined) add(one.all.of, place, isAlternative);
  };
  const condition = (one: Condition | undefined | string, place: string): void => {
    if (typeof one !== 'object') return;
    for (const path of [one.present, one.absent, one.column, one.future, one.past, one.same])
      if (path !== undefined) add(path, place);
    for (const inner of [...(one.all ?? []), ...(one.any ?? [])]) condition(inner, place);
    condition(one.not, place);
  };
  const { user, password, where = [], tables = {} } = mapping;
  for (const [at, rule] of where.entries()) condition(rule.when, `where[${at}]`);
  const {
    emailVerified,
    phoneVerified,
    state,
    links,
    otp,
    recoveryCodes,
    memberships,
    roles,
    metadata,
    ...texts
  } = user;
  for (const [field, one] of Object.entries(texts)) value(one, `user.${field}`);
  condition(emailVerified, 'user.emailVerified');
  condition(phoneVerified, 'user.phoneVerified');
  condition(state?.inactive, 'user.state');
  condition(state?.active, 'user.state');
  for (const link of [links ?? []].flat()) {
    if (link.each !== undefined) add(link.each, 'user.links');
    else for (const one of [link.alias, link.externalUserId, link.displayName]) value(one, 'user.links');
  }
  for (const one of [otp ?? []].flat()) {
    for (const part of [one.from, one.algorithm, one.digits, one.period]) value(part, 'user.otp');
    condition(one.when, 'user.otp');
  }
  value(recoveryCodes?.from, 'user.recoveryCodes');
  condition(recoveryCodes?.when, 'user.recoveryCodes');
  if (memberships !== undefined) add(memberships.each, 'user.memberships');
  value(roles?.from, 'user.roles');
  for (const [key, one] of Object.entries(metadata ?? {}))
    if (key !== '*') value(one, `user.metadata.${key}`);
  if (password !== undefined) passwordColumns(password, value, add);
  for (const [name, table] of Object.entries(tables)) value(table.on, `tables.${name}.on`);
  return found;
}

function passwordColumns(
  password: NonNullable<Mapping['password']>,
  value: (one: Value | undefined, place: string) => void,
  add: (path: string, place: string) => void,
): void {
  const { format, options, pbkdf2, scrypt, argon2, digest } = password;
  for (const one of [password.from, password.salt, password.algorithm, password.rounds])
    value(one, 'password');
  if (typeof format === 'object') add(format.column, 'password.format');
  if (options !== undefined) add(options, 'password.options');
  for (const form of [pbkdf2, scrypt, argon2, digest]) {
    if (form === undefined) continue;
    for (const part of Object.values(form))
      if (typeof part === 'object' && 'from' in part) value(part.from, 'password');
  }
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Throws `MappingProblem` for a column that the table does not have; of alternatives one is enough. */
export function requireColumns(mapping: Mapping, columns: readonly string[]): void {
  const named = namedColumns(mapping);
  const known = new Set([...columns, ...Object.keys(mapping.tables ?? {})]);
  const unused = unusedColumns(mapping, columns);
  for (const { column, place, isAlternative } of named) {
    if (known.has(column)) continue;
    const near = nearest(column, unused);
    const others = named.some(
      (other) => other.place === place && other.isAlternative && known.has(other.column),
    );
    if (isAlternative === true && others && near.length === 0) continue;
    throw new MappingProblem(place, `there is no column ${column}`, hintFor(near, columns));
  }
}

function hintFor(near: readonly string[], columns: readonly string[]): string {
  if (near.length > 0)
    return `Did you mean ${near.join(' or ')}? If it is only rare, write source: { columns: optional }.`;
  const listed = columns.length > 30 ? `${columns.slice(0, 30).join(', ')}, ...` : columns.join(', ');
  return `There are: ${listed}.`;
}

/** Columns that no rule names and that are not declared as unused. */
export function unusedColumns(mapping: Mapping, columns: readonly string[]): readonly string[] {
  const known = columnsOf(mapping);
  return columns.filter((column) => column.trim() !== '' && !known.has(column));
}
