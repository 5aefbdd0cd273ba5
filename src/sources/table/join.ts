/** Joins tables to the rows of users, and keeps rows of tables as JSON texts with the columns that the mapping names. */
import { InputError } from '../../errors.ts';
import { headOf, type Input } from '../../lib/input.ts';
import { isObject, type JsonObject } from '../../lib/json-value.ts';
import { memoized } from '../../lib/strings.ts';
import { uuid } from '../../records/text.ts';
import { rejectedKey } from '../../records/user.ts';
import { BrokenRecord } from '../raw-record.ts';
import { parseBatch, releaseElements } from '../elements.ts';
import { note, warning, type Notify } from '../../notice.ts';
import type { RawElements, ScanAids } from '../source.ts';
import { openRows } from './forms/open.ts';
import { recogniseForm } from './forms/recognise.ts';
import { compileCondition, compileValue, type Test } from './mapping/values.ts';
import { rowScope, type Scope, type Setting, textOf } from './mapping/paths.ts';
import type { Mapping, TableMapping, TableOptions } from './mapping/schema.ts';
import type { Value } from './mapping/value-schema.ts';
import { RowStore } from '../../compact/row-store.ts';

/** Returns what is added to a row, as JSON: `,"logins":[{...}]`. Empty for a row to which nothing belongs. */
type TextFor = (row: JsonObject) => string;

interface Join {
  readonly textFor: TextFor;
  close(): void;
}

/** A file that may hold rows of a table. */
interface Holder {
  readonly input: Input;
  /** The file holds only this table. Otherwise, it holds the users and perhaps other tables. */
  readonly isOwn: boolean;
  /** The file is not a dump and holds other rows as well, so that only `where` tells which rows belong to the table. */
  readonly isMixed: boolean;
}

export type ReadTables = Awaited<ReturnType<typeof readTables>>;

/** Reads the joined tables from their own files, or from the files of the users. */
export async function readTables(
  inputs: readonly Input[],
  options: TableOptions,
  notify: Notify,
  { companions = {}, openSpillFile }: ScanAids,
) {
  const { mapping } = options;
  const { tables = {}, user, password } = mapping;
  const setting: Setting = { now: options.now, columns: [] };
  const shared: Holder[] = [];
  const mayShare = Object.keys(tables).some((name) => companions[name] === undefined);
  for (const input of inputs.filter(({ repeatable }) => mayShare && repeatable))
    shared.push({ input, isOwn: false, isMixed: recogniseForm(input, await headOf(input)) !== 'sql' });
  const stores: RowStore[] = [];
  /** Number of rows by table. */
  const counts = new Map<string, number>();
  const unmatched = new Map<string, number>();
  /** Joins by the table into whose rows they go, which comes before the joined table in the mapping. */
  const joins = new Map<string | undefined, readonly TextFor[]>();
  for (const [name, table] of Object.entries(tables).toReversed()) {
    const own = companions[name]?.map((input) => ({ input, isOwn: true, isMixed: false }));
    const holders = own ?? shared.filter(({ isMixed }) => !isMixed || table.where !== undefined);
    const store = new RowStore(openSpillFile);
    const add = createAdder(store, joins.get(name) ?? [], table, JSON.stringify(mapping), setting);
    let count = 0;
    const belongs = compileCondition(table.where ?? true, `tables.${name}.where`, setting);
    for (const holder of holders) count += await readTable(name, mapping, holder, { belongs, add }, notify);
    counts.set(name, count);
    unmatched.set(name, own === undefined ? 0 : count);
    if (holders.length === 0) continue;
    stores.push(store);
    const ways = keysOfUser(mapping, table, setting);
    // Not every row of a table that only explains others, such as groups, has to be of use.
    const isOfUser = (table.into ?? table.on) === undefined;
    const textFor = joinWith(name, table, store, ways, setting, (rows) =>
      unmatched.set(name, isOfUser ? unmatched.get(name)! - rows : 0),
    );
    joins.set(table.into, [textFor, ...(joins.get(table.into) ?? [])]);
  }
  const texts = joins.get(undefined) ?? [];
  const join: Join = {
    textFor: (row) => texts.map((textFor) => textFor(row)).join(''),
    close: () => stores.forEach((store) => store.close()),
  };
  return {
    /** Undefined if no file can hold rows of a joined table. */
    join: stores.length === 0 ? undefined : join,
    /** Tables of which no row was found, although the mapping reads users from them. */
    missing: Object.entries(tables).flatMap(([name, { into, optional }]) =>
      counts.get(name) === 0 &&
      companions[name] === undefined &&
      !optional &&
      (into === undefined ? mentions([user, password], name) : counts.get(into)! > 0)
        ? name
        : [],
    ),
    /** Number of rows of files of their own that were joined to no user so far, by table. */
    unmatched,
  };
}

/** Describes tables whose rows were not found, or may be in a pipe, which cannot be read for them first. */
export function describeLost(tables: readonly string[], { user }: Mapping, inputs: readonly Input[]) {
  const holds = { 'second factors': [user.otp, user.recoveryCodes], 'who is blocked': user.state };
  const names = tables
    .map((name) => {
      const what = Object.entries(holds).flatMap(([part, of]) => (mentions(of, name) ? part : []));
      return what.length === 0 ? name : `${name} (${what.join(', ')})`;
    })
    .join(', ');
  const piped = inputs.find(({ repeatable }) => !repeatable);
  if (piped === undefined) {
    const text = `No row of ${names} was found, so nothing of it is migrated. If you have such a table, give it as --table=<name>=<file>.`;
    return note('map:no-rows', text);
  }
  const text = `${piped.name}: a pipe is read only once, so rows of joined tables, if any are in it, are left out: ${names}. Give the users as a file, or each table with --table=<name>=<file>`;
  return warning('map:lost-rows', text);
}

/** Reports whether a part of a mapping reads the table. */
export function mentions(part: unknown, table: string): boolean {
  if (typeof part === 'string')
    return part === table || (/^[.[]/.test(part.slice(table.length)) && part.startsWith(table));
  return typeof part === 'object' && part !== null && Object.values(part).some((one) => mentions(one, table));
}

/** Returns the number of rows that can be joined. */
async function readTable(
  name: string,
  mapping: Mapping,
  holder: Holder,
  to: { readonly belongs: Test; readonly add: ReturnType<typeof createAdder> },
  notify: Notify,
  /**
   * Whether to look for the table by name. A dump of its own may have other tables as well, or only this one under
   * another name.
   */
  isNamed = !holder.isOwn || holder.input.repeatable,
) {
  const { input, isOwn, isMixed } = holder;
  const { titles, parameters = [], from } = mapping.tables![name]!;
  const { null: nulls, encoding, escape, comment, columns, delimiter = '' } = mapping.source ?? {};
  // A usual delimiter may differ in each file, and is recognised there.
  const usual = [',', ';', '\t', '|', ''].includes(delimiter) ? {} : { delimiter };
  const rows = await openRows({
    input,
    source: { null: nulls, encoding, escape, comment, columns, titles, ...usual },
    // Any word in a value of the mapping may be a column of a joined table.
    named: new Set(
      titles?.concat(parameters) ??
        JSON.stringify(mapping)
          .replaceAll(/"[\w-]+":/g, '')
          .match(/[\w:-]+/g),
    ),
    table: isNamed ? (from ?? name) : undefined,
    isOptional: true,
    notify: () => {},
  });
  let joined = 0;
  let broken = 0;
  let first = '';
  try {
    for await (const elements of rows.batches) {
      for (const value of parseBatch({ input: input.name, elements })) {
        const isBroken = value instanceof BrokenRecord;
        const isRow = isObject(value) && !isBroken;
        if (isRow ? !to.belongs(rowScope(value)) : isMixed) continue;
        const problem = isBroken ? value.broken.problem : to.add(value);
        if (problem === undefined) joined += 1;
        else if (broken++ === 0) first = problem;
      }
      releaseElements(elements);
    }
  } finally {
    await rows.close();
  }
  if (isOwn && isNamed && rows.form === 'sql' && rows.table?.() === undefined)
    return readTable(name, mapping, holder, to, notify, false);
  if (broken === 0) return joined;
  notify(
    warning(
      'map:lost-rows',
      `${input.name}: ${broken} ${broken === 1 ? 'row' : 'rows'} of the table ${name} cannot be joined; the first: ${first}`,
    ),
  );
  return joined;
}

/**
 * Returns a function that adds a row with the columns that the mapping names. It returns what is wrong with a row that
 * cannot be added, else undefined.
 */
function createAdder(
  store: RowStore,
  join: readonly TextFor[],
  { key }: TableMapping,
  words: string,
  setting: Setting,
) {
  const keysOf = compileKeys(key, setting);
  const keeps = memoized((column) => words.includes(column));
  return (value: unknown) => {
    if (!isObject(value)) return 'it is not an object';
    const scope = rowScope(value);
    const [text] = keysOf(scope);
    if (text === '') {
      const column = typeof key === 'string' ? key : JSON.stringify(key);
      return `there is nothing in ${column}`;
    }
    const more = join.map((textFor) => textFor(value)).join('');
    let row: string;
    try {
      row = JSON.stringify(Object.fromEntries(Object.entries(value).filter(([column]) => keeps(column))));
    } catch {
      return 'it is nested too deeply';
    }
    store.add(`${row.slice(0, -1)}${row === '{}' ? more.slice(1) : more}}`, text);
    return undefined;
  };
}

/**
 * Compiles a value to a key. A key of several parts, such as `["ada"]` for natural keys of Django, is JSON, and each part
 * may also be a key. UUIDs are in lower case.
 */
function compileKeys(value: Value, setting: Setting) {
  const get = compileValue(value, 'tables', setting);
  return (scope: Scope): readonly [string, ...string[]] => {
    const found = get(scope);
    const toKey = (part: unknown) => {
      const text = Array.isArray(part) ? JSON.stringify(part) : textOf(part, scope, 'tables').trim();
      return uuid.test(text) ? text.toLowerCase() : text;
    };
    return [toKey(found), ...(Array.isArray(found) ? found.map(toKey) : [])];
  };
}

/** Returns what the key of a table is compared with: each of `on`, or the source of the id before it gets a prefix. */
function keysOfUser({ user }: Mapping, { on }: TableMapping, setting: Setting) {
  const id = user.id ?? '';
  const source: Value = on ?? (typeof id === 'object' && 'from' in id ? id.from! : id);
  return [source].flat().map((one) => compileKeys(one, setting));
}

/** Maximum number of rows of one user. More are a mistake, and take time for every user with that key. */
const maxRows = 2000;

function joinWith(
  name: string,
  { many, pivot, into }: TableMapping,
  store: RowStore,
  ways: ReturnType<typeof keysOfUser>,
  setting: Setting,
  onMatch: (rows: number) => void,
) {
  const field = `,${JSON.stringify(name)}:`;
  const toObject = pivot && compilePivot(pivot, setting);
  return (row: JsonObject) => {
    const scope = rowScope(row);
    let found: string[] = [];
    for (const keys of ways)
      if (found.length === 0)
        found = [...new Set(keys(scope))].flatMap((key) => store.find(key, maxRows + 1));
    if (found.length === 0) return '';
    onMatch(found.length);
    if (found.length > maxRows) {
      const one = into === undefined ? 'user' : `row of ${into}`;
      throw new InputError(
        'input:too-many-rows',
        name,
        `more than ${maxRows} rows belong to one ${one}`,
        'Leave out the rows that the mapping does not need, or correct the key of the table.',
      );
    }
    if (toObject !== undefined) return field + toObject(found);
    return field + (many === true ? `[${found.join(',')}]` : found[0]!);
  };
}

/** Makes one object of the rows of a user. A name with several values gets a list. */
function compilePivot({ name, value }: NonNullable<TableMapping['pivot']>, setting: Setting) {
  const keysOf = compileKeys(name, setting);
  const valueOf = value === undefined ? ({ row }: Scope) => row : compileValue(value, 'tables', setting);
  return (rows: readonly string[]) => {
    const values = new Map<string, unknown>();
    for (const text of rows) {
      const scope = rowScope(JSON.parse(text));
      const [key] = keysOf(scope);
      const one = valueOf(scope);
      values.set(key, values.has(key) ? [values.get(key), one].flat() : one);
    }
    return JSON.stringify(Object.fromEntries(values));
  };
}

/** Returns what is joined to each value of a batch, as lines of JSON objects. */
export function joinedLines(input: string, elements: RawElements, join: Join) {
  const lines = Array.from(parseBatch({ input, elements }), (value) => {
    // A rejected record has been joined already, and may have been fixed since.
    const isRow = isObject(value) && !(value instanceof BrokenRecord) && !Object.hasOwn(value, rejectedKey);
    return isRow ? `{${join.textFor(value).slice(1)}}` : '{}';
  });
  return lines.join('\n');
}
