/** Finds the rows of the inputs, compares their columns with the mapping, and yields them in batches. */
import { isColumnName } from '../../lib/redact.ts';
import type { Input } from '../../lib/input.ts';
import { isObject } from '../../lib/json-value.ts';
import { UsageError } from '../../errors.ts';
import { rejectedKey } from '../../records/user.ts';
import { formatCounted, formatNames, shellWord } from '../../lib/format.ts';
import { BrokenRecord } from '../raw-record.ts';
import { parseBatch } from '../elements.ts';
import { note, warning, type Notice, type Notify } from '../../notice.ts';
import type { Companions, RawBatch, RawElements, ScanAids } from '../source.ts';
import { exportJson, hasDoubledBackslashes } from './forms/json.ts';
import { createCaseMatch, createPageCount } from './forms/form.ts';
import { openRows } from './forms/open.ts';
import { matchesTable } from './forms/sql-tables.ts';
import { describeLost, joinedLines, mentions, type ReadTables, readTables } from './join.ts';
import { keepTogether } from './keep-together.ts';
import {
  findMissing,
  type MappingColumns,
  maySayState,
  plainColumns,
  rowKeyOf,
  unusedColumns,
} from './mapping/columns.ts';
import { withMappingName, type NamedColumn } from './mapping/paths.ts';
import { columnsOf } from './mapping/reader.ts';
import type { Mapping, TableOptions } from './mapping/schema.ts';

export async function* scanTables(
  inputs: readonly Input[],
  options: TableOptions,
  notify: Notify,
  aids: ScanAids = {},
): AsyncGenerator<RawBatch<undefined>> {
  refuseUnknownTables(options, aids.companions ?? {});
  const tables = await readTables(inputs, options, notify, aids);
  try {
    yield* scanUsers(inputs, options, notify, tables);
  } finally {
    tables.join?.close();
  }
}

async function* scanUsers(
  inputs: readonly Input[],
  options: TableOptions,
  notify: Notify,
  { join, missing, unmatched }: ReadTables,
): AsyncGenerator<RawBatch<undefined>> {
  const { mapping } = options;
  const mappingColumns = columnsOf(mapping);
  const columns = createColumnCheck(options, mappingColumns, missing, notify);
  const rowKey = rowKeyOf(mapping);
  const count = createPageCount();
  let lost = missing;
  for (const input of inputs) {
    const { source = {} } = mapping;
    const rows = await openRows({
      input,
      source,
      named: mappingColumns.ownNames,
      table: source.table,
      joined: joinedTables(mapping),
      notify,
    });
    try {
      // Rows of joined tables are read before the users, and a pipe can be read only once.
      if (!input.repeatable)
        lost = lost.filter((name) => rows.form === 'sql' || mapping.tables?.[name]?.where !== undefined);
      if (rows.columns !== undefined)
        columns.add({ input: input.name, columns: rows.columns, areDeclared: true });
      let isFirst = rows.columns === undefined;
      const batches = rowKey === undefined ? rows.batches : keepTogether(input.name, rows.batches, rowKey);
      for await (const elements of batches) {
        count.add(elements);
        columns.findState(input.name, elements);
        const found = isFirst ? keysOfFirst(input.name, elements, mappingColumns, notify) : [];
        isFirst = false;
        if (found.length > 0)
          columns.add({ input: input.name, columns: found, areDeclared: false, table: rows.table?.() });
        yield {
          input: input.name,
          elements,
          joined: join && joinedLines(input.name, elements, join),
          context: undefined,
          rowKey,
        };
      }
      if (rows.pages !== undefined) count.close(rows.pages());
      noteUnreadTables(input.name, rows.unread ?? [], options, notify);
    } finally {
      await rows.close();
    }
  }
  columns.finish();
  count.finish(inputs, 'fetch all pages, and give their files together', notify);
  // A rejected record has been joined.
  if (columns.seen.has(rejectedKey)) return;
  for (const [name, rows] of unmatched) {
    const text = `${formatCounted(rows, 'row')} of the table ${name} without a user: check its key, and whether both files are of one export`;
    if (rows > 0) notify(warning('map:lost-rows', text));
  }
  // The export may have joined tables itself.
  const mayBeThere = (name: string) => {
    const { from = name, into, on } = mapping.tables![name]!;
    const own = into === undefined ? plainColumns(on) : [];
    // Several may have rows of one table.
    const isFirst = joinedTables(mapping).indexOf(from) === Object.keys(mapping.tables!).indexOf(name);
    return isFirst && (own.length === 0 || own.some((column) => columns.seen.has(column)));
  };
  lost = lost.filter((name) => !columns.seen.has(name) && mayBeThere(name));
  if (lost.length > 0) notify(describeLost(lost, mapping, inputs));
}

const joinedTables = ({ tables = {} }: Mapping) =>
  Object.entries(tables).map(([name, { from = name }]) => from);

/** Names the tables that are not read, except joined tables, which are read separately. */
function noteUnreadTables(input: string, unread: Iterable<string>, options: TableOptions, notify: Notify) {
  const joined = joinedTables(options.mapping);
  const others = [...unread].filter(
    (table) =>
      isColumnName(table) && table !== 'sqlite_sequence' && !joined.some((from) => matchesTable(table, from)),
  );
  if (others.length === 0) return;
  const text = `${input}: tables that ${nameOf(options)} does not name: ${formatNames(others, 20)}`;
  notify(note('map:unused-table', text));
}

const nameOf = ({ mappingName, isOwnMapping }: TableOptions) =>
  isOwnMapping ? 'the mapping' : `the mapping of ${mappingName}`;

function refuseUnknownTables({ mapping, mappingName }: TableOptions, companions: Companions) {
  const known = Object.keys(mapping.tables ?? {});
  const unknown = Object.keys(companions).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(
    `--table ${unknown}=...: ${mappingName} joins no table ${unknown}`,
    known.length === 0 ? 'Name it under tables in the mapping.' : `It joins ${known.join(', ')}.`,
  );
}

interface FoundColumns {
  readonly input: string;
  readonly columns: readonly string[];
  /**
   * The columns are complete, as titles of a table. Otherwise they are the keys of the first objects, which may leave
   * some out.
   */
  readonly areDeclared: boolean;
  /** Name of the table in a dump. */
  readonly table?: string | undefined;
}

/** Enough objects to see every key that is not rare. */
const objectsTried = 1000;
/** Maximum number of columns. A row with more is a mistake. */
const columnsTried = 10_000;

function createColumnCheck(
  options: TableOptions,
  mappingColumns: MappingColumns,
  missing: readonly string[],
  notify: Notify,
) {
  const { mapping, mappingName, isOwnMapping } = options;
  const warn = (code: Notice['code'], text: string) => notify(warning(code, text));
  const seen = new Set<string>();
  const unused = new Set<string>();
  const isRequired = isOwnMapping && mapping.source?.columns !== 'optional';
  const states = statesOf(mapping, mappingColumns);
  let hasRecords = false;
  // Some sources write rows of a joined table only for disabled users.
  const isJoined = Object.keys(mapping.tables ?? {}).some(
    (name) => !missing.includes(name) && mentions(mapping.user.state, name),
  );
  let hasState = isRequired || isJoined || states.size === 0;
  return {
    seen,
    /** Looks for the state in all records, because some sources write it only for disabled users. */
    findState(input: string, elements: RawElements) {
      hasRecords = true;
      const holdsValue = (column: string) =>
        [...parseBatch({ input, elements })].some((row) => isObject(row) && (row[column] ?? '') !== '');
      hasState ||= [...states].some(
        ([column, isOfAll]) =>
          (seen.has(column) || holdsKey(elements, column)) && (!isOfAll || holdsValue(column)),
      );
    },
    /** Throws `UsageError` if the columns are those of another export, or the mapping has a mistake. */
    add(found: FoundColumns) {
      const { columns, areDeclared } = found;
      for (const column of columns) seen.add(column);
      for (const column of unusedColumns(mappingColumns.known, columns)) unused.add(column);
      if (isRequired)
        withMappingName(mappingName, () => {
          const names = findMissing(mappingColumns, columns, areDeclared);
          if (names !== '' && !areDeclared)
            warn('map:unknown-column', `the first records have no ${names}, which the mapping names`);
        });
      if (!isRequired || !areDeclared) requireUsers(found, options, mappingColumns);
    },
    /** Names the columns that no rule names, and those of the state if no record has any of them. */
    finish() {
      if (hasRecords && !hasState)
        warn(
          'map:no-state',
          `no record has ${formatNames([...states.keys()], 4)}, from which ${nameOf(options)} reads who is disabled: check whether the export leaves it out`,
        );
      if (unused.size === 0) return;
      const match = createCaseMatch(mappingColumns.ownNames);
      const spelt = [...unused].filter((column) => match(column) !== column && !seen.has(match(column)));
      if (spelt.length > 0)
        warn(
          'map:unknown-column',
          `${nameOf(options)} does not read ${spelt.join(', ')}, because it names ${spelt.map(match).join(', ')}: rename it in the export, or in a mapping (--print-map)`,
        );
      const unread = [...unused].filter(maySayState).join(', ');
      if (unread !== '')
        warn(
          'map:unread-state',
          `${nameOf(options)} does not read ${unread}: users who are disabled or deleted there arrive active. Name it under state or where of a mapping, or else under unused: idport map drafts one, --print-map prints a built-in one`,
        );
      const names = [...unused].filter(isColumnName);
      const listed = names.length === 0 ? `${unused.size} of them` : formatNames(names, 40, unused.size);
      const text = `columns that ${nameOf(options)} does not name: ${listed}`;
      notify(note('map:unused-column', text));
    },
  };
}

/** Returns the columns that say who is disabled, and whether each says it of all users and not only of some, as the time of a ban does. */
function statesOf({ user }: Mapping, { named }: MappingColumns) {
  const written = JSON.stringify(user.state);
  const states = new Map<string, boolean>();
  for (const { column, title, place } of named) {
    if (/^user\.state\.(?:in)?active/.test(place))
      states.set(column, written.includes(`{"column":${JSON.stringify(title)},"is":`));
    // A hash, named after the states, may be locked, but says nothing of other ways to disable a user.
    if (place.startsWith('password') && title === column) states.delete(column);
  }
  return states;
}

function holdsKey(elements: RawElements, key: string) {
  if ('bytes' in elements) return Buffer.from(elements.bytes).includes(JSON.stringify(key));
  return (
    elements.form === 'values' && elements.values.some((row) => isObject(row) && Object.hasOwn(row, key))
  );
}

const identities = new Set(['user.id', 'user.userName', 'user.email', 'user.phone']);

/**
 * Throws `UsageError` if no column tells who a user is or which rows are no users, because then the file is another
 * export.
 */
function requireUsers(
  { input, columns, table }: FoundColumns,
  options: TableOptions,
  mappingColumns: MappingColumns,
) {
  const named = mappingColumns.named.filter(({ place }) => identities.has(place));
  const isOurs = ({ column, place }: NamedColumn) =>
    columns.includes(column) && (identities.has(place) || place.startsWith('where['));
  if (named.length === 0 || mappingColumns.named.some(isOurs)) return;
  const expected = [...new Set(named.map(({ column }) => column))].slice(0, 8).join(', ');
  const what = table === undefined ? 'it' : `its table ${table}`;
  const other =
    table === undefined ? '' : 'Name the table of the users in a mapping: source: { table: users }; ';
  throw new UsageError(
    `${input}: ${what} has none of the columns that tell who a user is: ${expected}`,
    `${other}${nameOf(options)} reads those. \`idport map ${shellWord(input)}\` drafts a mapping of this file for --map.`,
  );
}

/**
 * Returns the keys of the first objects, and keys that may say who is disabled in an object that holds the user, such as
 * `fields` of Django and `traits` of Kratos. Warns if a text was escaped twice.
 */
function keysOfFirst(input: string, elements: RawElements, { named }: MappingColumns, notify: Notify) {
  const keys = new Set<string>();
  let isTwice = false;
  let tried = 0;
  for (const value of parseBatch({ input, elements })) {
    if (value instanceof BrokenRecord) isTwice ||= hasDoubledBackslashes(value.broken.text ?? '');
    if (!isObject(value) || value instanceof BrokenRecord) continue;
    for (const key in value) {
      if (keys.size === columnsTried) break;
      keys.add(key);
      const inner = value[key];
      isTwice ||= typeof inner === 'string' && /\\[nrt"]/.test(inner);
      const holdsUser = ({ column, path, place }: NamedColumn) =>
        column === key && path !== key && identities.has(place);
      if (isObject(inner) && named.some(holdsUser))
        for (const name of Object.keys(inner).filter(maySayState)) keys.add(`${key}.${name}`);
    }
    if (++tried === objectsTried) break;
  }
  if (isTwice && elements.form === 'lines')
    notify(
      warning(
        'input:double-escaped',
        `${input}: texts hold \\n, \\t or \\" as letters: COPY ... TO STDOUT and mysql without -r double every backslash of JSON. ${exportJson}`,
      ),
    );
  return [...keys];
}
