/** `idport map`: looks at a table of users and drafts a mapping. */
import { shownNotice } from '../events.ts';
import { InputError, UsageError } from '../errors.ts';
import type { Input } from '../lib/input.ts';
import { createColumnCount, findUsers } from '../flows/map/columns.ts';
import { describeKnown, draftMapping } from '../flows/map/draft.ts';
import { BrokenRecord } from '../sources/raw-record.ts';
import { parseBatch } from '../sources/elements.ts';
import { describeSource, recognise, type Recognised } from '../sources/recognise.ts';
import { defaultMapping, builtInMapping, mappingText } from '../sources/table/built-in-mappings.ts';
import { matchesTable, UnclearTable } from '../sources/table/forms/sql-tables.ts';
import { openRows } from '../sources/table/forms/open.ts';
import { columnsOf } from '../sources/table/mapping/reader.ts';
import type { Mapping } from '../sources/table/mapping/schema.ts';
import { openInput } from '../storage/open-input.ts';
import { print } from '../storage/stream-sink.ts';
import type { MapFlags } from '../flags/others.ts';
import type { CommandOf, CommandContext } from './context.ts';
import { lookAtFile } from './find-exports.ts';
import { nameVerb } from './source.ts';

/** Maximum number of rows to read, which is enough to see what the columns hold. */
const maxRows = 10_000;

export const draftMap: CommandOf<MapFlags> = async (flags, context) =>
  print(context.stdout, await draftText(flags, context));

/** Encodings to try: UTF-8, then the most frequent others. */
const encodingsTried = ['utf8', 'windows-1252', 'cp850'] as const;

export async function draftText(
  flags: MapFlags,
  context: CommandContext,
  named: ReadonlySet<string> = usualColumns,
  [encoding, ...others]: readonly string[] = encodingsTried,
): Promise<string> {
  const input = openInput(flags.file, context);
  try {
    return await draftOf(input, { encoding }, flags, { ...context, named });
  } catch (error) {
    if (!input.repeatable) throw error;
    if (error instanceof UnclearTable && flags.table === undefined) {
      const { table, named } = await findTable(flags.file, error.tables, context);
      if (table !== undefined) return draftText({ ...flags, table }, context, named);
    }
    if (!(others.length > 0 && error instanceof InputError && encodingProblems.has(error.code))) throw error;
  }
  return draftText(flags, context, named, others);
}

/** Takes the only table of a dump as the table of users, else the table of the built-in source, if that is recognised. */
async function findTable(file: string, [only, ...others]: readonly string[], context: CommandContext) {
  if (only !== undefined && others.length === 0) return { table: only };
  const { mapping } = (await knownMapping((await lookAtFile(file, context))?.source)) ?? {};
  return { table: mapping?.source?.table, named: mapping && columnsIn(mapping) };
}

const columnsIn = (mapping: Mapping) => new Set(columnsOf(mapping).named.map(({ column }) => column));

const encodingProblems = new Set(['input:invalid-utf8', 'input:wrong-encoding']);

async function draftOf(
  input: Input,
  source: NonNullable<Mapping['source']>,
  flags: MapFlags,
  context: CommandContext & { readonly named: ReadonlySet<string> },
) {
  const { file, table } = flags;
  const count = createColumnCount();
  const rows = await openRows({
    input,
    source,
    named: context.named,
    table,
    numbersColumns: true,
    notify: (notice) => context.emit(shownNotice(notice)),
  });
  let seen = 0;
  let first: unknown;
  try {
    count.declare(rows.columns ?? []);
    for await (const elements of rows.batches) {
      for (const row of parseBatch({ input: file, elements })) {
        if (row instanceof BrokenRecord || seen === maxRows) continue;
        if (seen++ === 0) first = row;
        count.add(row);
      }
      if (seen === maxRows) break;
    }
  } finally {
    await rows.close();
  }
  const columns = count.finish();
  const isDocument = rows.form === 'json' && seen === 1 && source.list === undefined && input.repeatable;
  const place =
    isDocument && !columns.columns.some(({ name }) => knownNames.has(name)) ? findUsers(first) : undefined;
  if (place !== undefined)
    return draftOf(
      input,
      {
        ...source,
        ...(place.isKeyed && { format: 'yaml' }),
        list: place.list,
      },
      flags,
      context,
    );
  if (columns.columns.length === 0) {
    throw new InputError(
      'input:no-columns',
      file,
      'it has no rows with columns',
      'Name a file with users: CSV, JSON, JSON lines, an SQL dump or LDIF.',
    );
  }
  const found: Recognised | undefined = rows.form === 'ldif' ? { source: 'ldap' } : recognise(rows.head);
  if (found?.source === 'keycloak' || found?.source === 'body') {
    throw new UsageError(`${file} looks like ${describeSource(found.source)}`, nameVerb(found, file));
  }
  const known = await knownMapping(found?.source);
  const chosen = rows.table?.();
  if (known !== undefined) {
    const { mapping } = known;
    const { table: pattern = '' } = mapping.source ?? {};
    const isOther = chosen !== undefined && pattern !== '' && !matchesTable(chosen, pattern);
    if (isOther && table === undefined && input.repeatable)
      return draftOf(input, source, { ...flags, table: pattern }, { ...context, named: columnsIn(mapping) });
    return describeKnown(file, columns, known, isOther ? chosen : undefined);
  }
  return draftMapping(file, columns, source, rows);
}

/** Known names of columns. A JSON document without any of them is not a single user. */
const knownNames = columnsIn(defaultMapping);

/** A table of a dump with two of these columns is taken as the table of users. */
const { email, userName } = defaultMapping.user;
const usualColumns = new Set(
  [email, userName, defaultMapping.password?.from, 'passwd', 'pw', 'pwd'].flat().map(String),
);

/** Returns the mapping of a built-in source. Undefined if it has none. */
async function knownMapping(name: Recognised['source'] | undefined) {
  if (name === undefined || name === 'body') return undefined;
  const mapping = await builtInMapping(name);
  return mapping && { name, text: mappingText(name), mapping };
}
