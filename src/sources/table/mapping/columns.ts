/** Compares the columns that a mapping names with the columns of a table. */
import { nearest } from '../../../lib/nearest.ts';
import { rejectedKey } from '../../../records/user.ts';
import { furtherRows, type RowKey } from '../../raw-record.ts';
import { MappingProblem, columnOf, type NamedColumn } from './paths.ts';
import type { Mapping } from './schema.ts';
import type { Value } from './value-schema.ts';

export type MappingColumns = ReturnType<typeof describeColumns>;

export function describeColumns(mapping: Mapping, named: readonly NamedColumn[]) {
  const { tables = {}, unused = [] } = mapping;
  const names = named.flatMap(({ column, path, title }) => [column, path, title]);
  const own = named.filter(({ column }) => !Object.hasOwn(tables, column));
  return {
    /** Columns that fields are read from. */
    named: own,
    ownNames: new Set(own.map(({ column }) => column)),
    /**
     * Columns that are accounted for: those of fields and of links, those left behind on purpose, joined tables (which a
     * join in the export puts into the rows of users), and our own keys.
     */
    known: new Set([
      ...names,
      ...linkColumns(mapping),
      ...unused,
      ...Object.keys(tables).filter((name) => tables[name]!.into === undefined),
      furtherRows,
      rejectedKey,
    ]),
  };
}

/** Returns columns of links whose `each` is in the row itself: a table that the export has joined, or a plain column. */
function linkColumns({ user, tables = {} }: Mapping) {
  return [user.links ?? []].flat().flatMap(({ each, alias, externalUserId, displayName }) => {
    const columns = [alias, externalUserId, displayName].flatMap((value) => plainColumns(value));
    return each !== undefined && (Object.hasOwn(tables, each) || columns.includes(each)) ? columns : [];
  });
}

/** Returns the columns of the id and of the names of a user. Undefined if the mapping names no column for the id. */
export function rowKeyOf({ user }: Mapping): RowKey | undefined {
  const ids = plainColumns(user.id);
  const names = [...plainColumns(user.userName), ...plainColumns(user.email)];
  return ids.length === 0 ? undefined : { ids, names };
}

/** Returns the columns of a value that is a column, or the first of several columns that is not empty. */
export function plainColumns(value: Value | undefined): readonly string[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return value === '@key' ? [] : [columnOf(value)];
  return Array.isArray(value) ? value.flatMap((one) => plainColumns(one)) : plainColumns(value.from);
}

/**
 * Returns the names of columns that a file lacks. Throws `MappingProblem` if its table declares its columns and lacks one,
 * of which no alternative is there, or if the name is close to that of another column. An object may leave out a key.
 */
export function findMissing(
  { named, known }: MappingColumns,
  columns: readonly string[],
  areDeclared: boolean,
) {
  const unused = unusedColumns(known, columns);
  const missing = named.filter(({ column }) => !columns.includes(column));
  for (const { column, place, isAlternative } of missing) {
    const near = nearest(column, unused);
    const hasOther = named.some(
      (other) => other.place === place && other.isAlternative && columns.includes(other.column),
    );
    if (near.length === 0 && (!areDeclared || (isAlternative && hasOther))) continue;
    const what = areDeclared ? 'there is' : 'the first records have';
    throw new MappingProblem(place, `${what} no column ${column}`, hintFor(near, columns));
  }
  return [...new Set(missing.map(({ column }) => column))].join(', ');
}

function hintFor(near: readonly string[], columns: readonly string[]) {
  if (near.length > 0)
    return `Did you mean ${near.join(' or ')}? If it is only rare, write source: { columns: optional }.`;
  const listed = columns.length > 30 ? `${columns.slice(0, 30).join(', ')}, ...` : columns.join(', ');
  return `There are: ${listed}.`;
}

/** Returns columns that no rule names and that are not declared as unused. */
export function unusedColumns(known: ReadonlySet<string>, columns: readonly string[]) {
  return columns.filter((column) => column.trim() !== '' && !known.has(column));
}

/** Words for who is disabled or deleted, also in German and French, as `plain` writes them. */
const stateWords =
  'active|activated|inactive|deactivated|enabled?|disabled?|block|blocked|blockcredential|lock|locked|lockedout|nonlocked|nonexpired|deleted?|del|' +
  'removed|archived|revoked|trashed|ban|banned|spam|suspended|frozen|closed|terminated|expire[ds]?|expiry|expiration|valid(?:until|to)|approved|authori[sz]ed|' +
  'aktiv|inaktiv|aktiviert|deaktiviert|gesperrt|gelo?e?scht|freigeschaltet|gue?ltigbis|' +
  'actif|inactif|desactive|bloque|supprime|status|statut|userstate|accountstate';
const states = new RegExp(
  `^(?:is|date|user|usr|member|account|login|signin|soft|okta)*(?:${stateWords})(?:flag|ind|yn|yesno|janein|jn|date|at|on|since|until|till|bis|am|id)?$`,
);

/** Reports whether a column may say who is disabled, also inside an object: `fields.is_deleted`. */
export const maySayState = (path: string) => states.test(plain(path.slice(path.lastIndexOf('.') + 1)));

/** Returns a name without case, accents and punctuation. */
export function plain(name: string) {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}@]/gu, '');
}
