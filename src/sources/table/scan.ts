/** Finds the rows of the inputs, compares their columns with the mapping, and hands them out in batches. */
import { isColumnName } from './column-name.ts';
import type { Input } from '../../lib/input.ts';
import { isObject } from '../../lib/json-value.ts';
import { UsageError } from '../../errors.ts';
import { withHead } from '../../lib/head.ts';
import { nearest } from '../../lib/nearest.ts';
import { BrokenRecord } from '../broken-record.ts';
import { parseBatch } from '../elements.ts';
import type { Companions, Notice, RawBatch, RawElements, ScanAids } from '../source.ts';
import type { FormName } from './forms/form.ts';
import { exportJson, hasDoubledBackslashes } from './forms/json.ts';
import { openRows } from './forms/open.ts';
import { headBytes, recogniseForm } from './forms/recognise.ts';
import { type Holder, type Join, joinBatch, readTables } from './join.ts';
import { keepTogether } from './keep-together.ts';
import { furtherRows } from '../repeated-rows.ts';
import { type MappingColumns, requireColumns, rowKeyOf, unusedColumns } from './mapping/columns.ts';
import { MappingProblem, withMappingName } from './mapping/problem.ts';
import { columnsOf } from './mapping/reader.ts';
import type { TableOptions } from './options.ts';

type Notify = (notice: Notice) => void;

export async function* scanTables(
  inputs: readonly Input[],
  options: TableOptions,
  notify: Notify,
  aids: ScanAids = {},
): AsyncGenerator<RawBatch<undefined>> {
  refuseUnknownTables(options, aids.companions ?? {});
  const join = await openJoin(inputs, options, notify, aids);
  try {
    yield* scanUsers(inputs, options, notify, join, aids.companions);
  } finally {
    join?.close();
  }
}

async function* scanUsers(
  inputs: readonly Input[],
  options: TableOptions,
  notify: Notify,
  join: Join | undefined,
  companions: Companions = {},
): AsyncGenerator<RawBatch<undefined>> {
  const { mapping } = options;
  const mappingColumns = columnsOf(mapping);
  const named = new Set(mappingColumns.named.map(({ column }) => column));
  const columns = createColumnCheck(options, mappingColumns, notify);
  const rowKey = rowKeyOf(mapping);
  for (const input of inputs) {
    const { source = {} } = mapping;
    const rows = await openRows({ input, source, named, table: source.table, notify });
    try {
      if (!input.repeatable) noteLostTables(mapping, rows.form, companions, input.name, notify);
      if (rows.columns !== undefined) columns.declared(input.name, rows.columns);
      let isFirst = rows.columns === undefined;
      const batches = rowKey === undefined ? rows.batches : keepTogether(input.name, rows.batches, rowKey);
      for await (const elements of batches) {
        if (isFirst) columns.found(input.name, elements, rows.table?.());
        isFirst = false;
        const joined = join === undefined ? [elements] : joinBatch(input.name, elements, join);
        for (const part of joined)
          yield {
            input: input.name,
            elements: part,
            context: undefined,
            rowKey,
          };
      }
    } finally {
      await rows.close();
    }
  }
  columns.finish();
}

function refuseUnknownTables({ mapping, mappingName }: TableOptions, companions: Companions): void {
  const known = Object.keys(mapping.tables ?? {});
  const unknown = Object.keys(companions).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(`--table ${unknown}=...: ${mappingName} joins no table ${unknown}`, {
    hint: known.length === 0 ? 'Name it under tables in the mapping.' : `It joins ${known.join(', ')}.`,
  });
}

/** Tables have files of their own, or stand in the same file as the users. */
async function openJoin(
  inputs: readonly Input[],
  { mapping }: TableOptions,
  notify: Notify,
  { companions = {}, openSpillFile }: ScanAids,
): Promise<Join | undefined> {
  if (mapping.tables === undefined) return undefined;
  const holders: Holder[] = [];
  for (const input of inputs.filter(({ repeatable }) => repeatable))
    holders.push({ input, isMixed: !(await isDump(input)) });
  const { delimiter } = mapping.source ?? {};
  const source = {
    ...mapping.source,
    // Each file has its own, where it is one that is recognised.
    delimiter: [',', ';', '\t', '|'].includes(delimiter ?? '') ? undefined : delimiter,
    format: undefined,
    lengths: undefined,
    list: undefined,
    table: undefined,
  };
  const named = tableColumns(mapping);
  return readTables({
    mapping,
    companions,
    holders,
    open: (input, table, titles) =>
      openRows({
        input,
        source: { ...source, titles: titles === undefined ? undefined : [...titles] },
        named,
        table,
        isOptional: true,
        notify: () => {},
      }),
    openSpillFile,
    notify,
  });
}

/** Any word of the mapping may be a column of a joined table. */
function tableColumns(mapping: TableOptions['mapping']): ReadonlySet<string> {
  return new Set(JSON.stringify(mapping).match(/[\w:-]+/g));
}

/** Rows of joined tables are read before the users, and a pipe can be read only once. */
function noteLostTables(
  { tables = {} }: TableOptions['mapping'],
  form: FormName,
  companions: Companions,
  input: string,
  notify: Notify,
): void {
  const lost = Object.entries(tables)
    .filter(([name, { where }]) => companions[name] === undefined && (form === 'sql' || where !== undefined))
    .map(([name]) => name);
  if (lost.length === 0) return;
  notify({
    level: 'warning',
    code: 'map:lost-rows',
    text: `${input}: a pipe is read only once, so rows of joined tables, if any are in it, are left out: ${lost.join(', ')}. Give the users as a file, or each table with --table <name>=<file>`,
  });
}

async function isDump(input: Input): Promise<boolean> {
  const { head, blocks } = await withHead(input.blocks(), headBytes);
  await blocks.return(undefined);
  return recogniseForm(input.name, head) === 'sql';
}

interface ColumnCheck {
  /** Titles of a table. Throws `UsageError` for a column that the mapping names and the table does not have. */
  declared(input: string, columns: readonly string[]): void;
  /** The first objects of a file whose columns nothing declares. */
  found(input: string, elements: RawElements, table: string | undefined): void;
  /** Names the columns that no rule names. */
  finish(): void;
}

/** Enough objects to see every key that is not rare. */
const objectsTried = 1000;
/** A row with more is a mistake. */
const columnsTried = 10_000;

function createColumnCheck(
  options: TableOptions,
  mappingColumns: MappingColumns,
  notify: Notify,
): ColumnCheck {
  const { mapping, mappingName, isOwnMapping } = options;
  const unused = new Set<string>();
  const isRequired = isOwnMapping && mapping.source?.columns !== 'optional';
  return {
    declared(input, columns) {
      if (!isRequired) requireUsers(input, options, mappingColumns, columns);
      if (isRequired) withMappingName(mappingName, () => requireColumns(mappingColumns, columns));
      for (const column of unusedColumns(mappingColumns.known, columns)) unused.add(column);
    },
    found(input, elements, table) {
      const { columns, twice } = lookAt(input, elements);
      if (twice && elements.form === 'lines') notify(escapedTwice(input));
      if (columns.length === 0) return;
      for (const column of unusedColumns(mappingColumns.known, columns)) unused.add(column);
      if (isRequired) withMappingName(mappingName, () => checkFound(mappingColumns, columns, notify));
      requireUsers(input, options, mappingColumns, columns, table);
    },
    finish() {
      if (unused.size === 0) return;
      const names = [...unused].filter(isColumnName).slice(0, 40);
      const others = unused.size - names.length;
      const more = others === 0 ? [] : [names.length === 0 ? `${others} of them` : `and ${others} more`];
      const listed = [names.join(', '), ...more].filter((text) => text !== '').join(' ');
      notify({
        level: 'info',
        code: 'map:unused-column',
        text: `columns that ${isOwnMapping ? 'the mapping' : `the mapping of ${mappingName}`} does not name: ${listed}`,
      });
    },
  };
}

const identities = new Set(['user.id', 'user.userName', 'user.email', 'user.phone']);

/** Throws `UsageError` where not one column tells who a user is: then the file is another export. */
function requireUsers(
  input: string,
  { mappingName, isOwnMapping }: TableOptions,
  mappingColumns: MappingColumns,
  columns: readonly string[],
  table?: string,
): void {
  const named = mappingColumns.named.filter(({ place }) => identities.has(place));
  if (named.length === 0 || named.some(({ column }) => columns.includes(column))) return;
  const expected = [...new Set(named.map(({ column }) => column))].slice(0, 8).join(', ');
  const from = isOwnMapping ? mappingName : `the mapping of ${mappingName}`;
  const what = table === undefined ? 'it' : `its table ${table}`;
  const other =
    table === undefined ? '' : 'Name the table of the users in a mapping: source: { table: users }; ';
  throw new UsageError(`${input}: ${what} has none of the columns that tell who a user is: ${expected}`, {
    hint: `${other}${from} reads those. \`idport map ${input}\` drafts a mapping of this file for --map.`,
  });
}

/** Keys of the first objects, and whether a text of them was escaped twice. */
function lookAt(
  input: string,
  elements: RawElements,
): { readonly columns: readonly string[]; readonly twice: boolean } {
  const keys = new Set<string>();
  let twice = false;
  let tried = 0;
  for (const value of parseBatch({ input, elements, context: undefined })) {
    if (value instanceof BrokenRecord) twice ||= hasDoubledBackslashes(value.broken.text ?? '');
    if (!isObject(value) || value instanceof BrokenRecord) continue;
    for (const key in value) {
      if (keys.size === columnsTried) break;
      if (key !== furtherRows) keys.add(key);
      const inner = value[key];
      twice ||= typeof inner === 'string' && /\\[nrt"]/.test(inner);
    }
    if (++tried === objectsTried) break;
  }
  return { columns: [...keys], twice };
}

/** An object may leave a key out, so that only one that is near to another is taken for a mistake. */
function checkFound({ named, known }: MappingColumns, columns: readonly string[], notify: Notify): void {
  const missing = named.filter(({ column }) => !columns.includes(column));
  for (const { column, place } of missing) {
    const near = nearest(column, unusedColumns(known, columns));
    if (near.length === 0) continue;
    throw new MappingProblem(
      place,
      `the first records have no column ${column}`,
      `Did you mean ${near.join(' or ')}? If it is only rare, write source: { columns: optional }.`,
    );
  }
  if (missing.length === 0) return;
  const names = [...new Set(missing.map(({ column }) => column))].join(', ');
  notify({
    level: 'warning',
    code: 'map:unknown-column',
    text: `the first records have no ${names}, which the mapping names`,
  });
}

function escapedTwice(input: string): Notice {
  return {
    level: 'warning',
    code: 'input:double-escaped',
    text: `${input}: texts hold \\n, \\t or \\" as letters: COPY ... TO STDOUT and mysql without -r double every backslash of JSON. ${exportJson}`,
  };
}
