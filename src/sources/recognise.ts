/** Recognizes whose export a file is by its beginning, from keys that only exports of one source have. */
import type { Mark, ProviderEntry } from './entry.ts';
import { type ExportName, providers } from './providers.ts';
import type { FormName } from './table/forms/form.ts';
import { headBytes } from '../lib/input.ts';
import { keysWithin } from '../json/shape.ts';
import { formOfText } from './table/forms/recognise.ts';
import { headsOf } from './table/forms/sql-text.ts';

export interface Recognised {
  readonly source: ExportName | 'body';
  /** Set if the file only adds to the users: the table that it is. */
  readonly table?: string;
}

export function describeSource(source: ExportName | 'body') {
  return source === 'body' ? 'an import body' : `an export of ${providers[source].title}`;
}

const bodyMarks: readonly Mark[] = [
  ['dataOrgs.orgs'],
  ['dataOrgsv1.orgs'],
  ['orgs.humanUsers'],
  ['orgs.orgId'],
];

/**
 * Returns the source if a file is not from `own`, the provider that it was given for. Undefined if it has marks of
 * `own` or of no provider.
 */
export function recogniseOther(head: Uint8Array, own: ExportName | 'body'): Recognised | undefined {
  const has = createTest(head);
  const source = own === 'body' ? { marks: bodyMarks } : providers[own];
  const owned = has(source);
  const table = recogniseTable(has);
  if (table !== undefined && table.keys > owned) return table.found;
  if (owned > 0 && has({ marks: source.marks, tables: {} }) > 0) return undefined;
  const found = recogniseBy(has);
  if (found === undefined || isSameForm(own, found.source)) return undefined;
  // The dump of another source may also have a table of a library that this source uses.
  return found.source !== 'body' && has(providers[found.source]) <= owned ? undefined : found;
}

/** Directories, which all write the same form. The general sources read that of each. */
const directories = new Set(['ldif', 'ldap', 'openldap', '389ds', 'freeipa', 'active-directory']);

function isSameForm(one: string, other: string) {
  const isGeneral = [one, other].some((name) => name === 'ldif' || name === 'ldap');
  return isGeneral && directories.has(one) && directories.has(other);
}

/** Returns undefined if the file has no marks. */
export function recognise(head: Uint8Array): Recognised | undefined {
  return recogniseBy(createTest(head));
}

/**
 * Returns the flag that a file should be given with: the name of a companion, `table <name>`, or else the name of the
 * input.
 */
export function flagOf(head: Uint8Array, { input, companions, tables = {} }: ProviderEntry) {
  const has = createTest(head);
  const companion = companions.find(({ marks = [] }) => has({ marks }) > 0);
  if (companion !== undefined) return companion.name;
  const [table] = Object.entries(tables).find(([, marks]) => has({ marks }) > 0) ?? [];
  return table === undefined ? input.name : `table ${table}`;
}

type Test = (source: Pick<ProviderEntry, 'marks' | 'tables'>) => number;

/** Returns a test: the number of keys of the best mark that fits, or 0. */
function createTest(head: Uint8Array): Test {
  const text = Buffer.from(head.subarray(0, headBytes)).toString('utf8');
  const { sets, isDump } = keysOfFile(text);
  const fits = (mark: Mark) => {
    if (mark instanceof RegExp) return mark.test(text) ? 1 : 0;
    return sets.some((keys) => mark.every((key) => keys.has(key))) ? mark.length : 0;
  };
  return ({ marks, tables }) => {
    if (!isDump) return Math.max(0, ...marks.map(fits));
    // Only sources with a mapping read dumps. For other sources, the columns of some table mean nothing. Many programs have
    // a table of only user_id and role_name.
    const ofTables = Object.values(tables ?? {})
      .flat()
      .filter((mark) => Array.isArray(mark) && mark.length !== 2);
    return tables === undefined ? 0 : Math.max(0, ...[...marks, ...ofTables].map(fits));
  };
}

/** Returns the source whose mark has the most keys. */
function recogniseBy(has: Test): Recognised | undefined {
  if (has({ marks: bodyMarks }) > 0) return { source: 'body' };
  let best: Recognised | undefined;
  let most = 0;
  for (const [name, entry] of Object.entries(providers)) {
    const keys = has(entry);
    if (keys <= most) continue;
    most = keys;
    best = { source: name as ExportName };
  }
  return best;
}

/** Returns the table with the most keys, if no source's users have as many. A dump also contains the users. */
function recogniseTable(has: Test) {
  let found: Recognised | undefined;
  let most = Math.max(...Object.values(providers).map(has));
  for (const [name, { tables = {} }] of Object.entries(providers)) {
    for (const [table, marks] of Object.entries(tables)) {
      const keys = has({ marks });
      if (keys <= most) continue;
      most = keys;
      found = { source: name as ExportName, table };
    }
  }
  return found && { found, keys: most };
}

/** Returns the form of a file by its beginning. */
export const formOfHead = (head: Uint8Array) => formOfStart(Buffer.from(head).toString('utf8'));

/**
 * Returns the sets of keys of a file: one for the file or, for a dump, one for each table, which includes the table's
 * name.
 */
function keysOfFile(text: string) {
  const form = formOfStart(text);
  const tables = form === 'sql' ? keysOfDump(text) : [];
  return tables.length > 0 ? { sets: tables, isDump: true } : { sets: keysOfList(text, form), isDump: false };
}

/** Returns the form under which a reader will read the text. A cell of a table may begin like any other form. */
function formOfStart(text: string) {
  return /^\s*[{[]/.test(text) ? 'json' : formOfText(text);
}

function keysOfList(text: string, form: FormName) {
  if (form === 'ldif') return [keysOfLines(text, /^([A-Za-z][\w.-]*)(?:;[^:\n]*)?:/gm)];
  const keys = keysIn(text, form);
  return form === 'json' || keys.size > 1 ? [keys] : [keysOfLines(text, /^\s*['"]?([\w-]+)['"]?:(?:\s|$)/gm)];
}

/** Lists of users. A key within them counts as a user's key. */
const userLists =
  /^(?:(?:users|Users|identities|data|value|result|results|items|Resources|docs|entries|rows|RECORDS)\.)+/;
const titleRow = /^(?!#|\s*$).+/m;

/**
 * Returns the keys of JSON (even if it is cut off), as paths without lists (`registrations.applicationId`), or the
 * titles of a table.
 */
export function keysIn(text: string, form: FormName) {
  const [titles = ''] = titleRow.exec(text) ?? [];
  const keys =
    form === 'json'
      ? Array.from(keysWithin(text), (levels) => levels.flatMap(({ key }) => key ?? []).join('.'))
      : titles.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  return new Set(keys.flatMap((key) => [key, key.replace(userLists, '')]));
}

/** Returns the keys of each table: its name, such as `auth.users`, and its columns. */
function keysOfDump(text: string) {
  const tables = new Map<string, Set<string>>();
  for (const head of headsOf(text)) {
    if (!('table' in head)) continue;
    const name = head.table.toLowerCase();
    const keys = tables.get(name) ?? new Set([name]);
    for (const column of head.kind === 'create' ? head.columns.all : (head.columns ?? [])) keys.add(column);
    tables.set(name, keys);
  }
  return [...tables.values()];
}

/** Returns the attributes of LDIF or the keys of YAML. */
function keysOfLines(text: string, line: RegExp) {
  return new Set(Array.from(text.matchAll(line), ([, key = '']) => key));
}
