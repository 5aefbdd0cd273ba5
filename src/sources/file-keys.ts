/** The keys in the beginning of a file, of any form in which users are exported: by them its source is recognised. */
import type { FormName } from './table/forms/form.ts';
import { formOfText } from './table/forms/recognise.ts';
import { headsOf } from './table/forms/sql-text.ts';

export interface FileKeys {
  /** One set for the file; of a dump, one for each of its tables, with the name of the table. */
  readonly sets: readonly ReadonlySet<string>[];
  readonly isDump: boolean;
}

export function keysOfFile(text: string): FileKeys {
  const form = formOfStart(text);
  const tables = form === 'sql' ? keysOfDump(text) : [];
  return tables.length > 0 ? { sets: tables, isDump: true } : { sets: keysOfList(text, form), isDump: false };
}

/** As its reader will take it: a cell of a table may hold whatever another form begins with. */
export function formOfStart(text: string): FormName {
  return /^\s*[{[]/.test(text) ? 'json' : formOfText(text);
}

function keysOfList(text: string, form: FormName): readonly ReadonlySet<string>[] {
  if (form === 'json') return [keysIn(text)];
  if (form === 'ldif') return [keysOfLines(text, /^([A-Za-z][\w.-]*)(?:;[^:\n]*)?:/gm)];
  const titles = keysIn(text);
  return titles.size > 1 ? [titles] : [keysOfLines(text, /^\s*['"]?([\w-]+)['"]?:(?:\s|$)/gm)];
}

/** Lists of users: a key in them counts as one of a user. */
const userLists = /^(?:users|Users|data|value|result|entries)\./;
const titleRow = /^(?!#|\s*$).+/m;

/**
 * The keys of JSON, also of JSON that is cut off, as paths without the lists between (`registrations.applicationId`);
 * the titles of a table.
 */
export function keysIn(text: string): ReadonlySet<string> {
  const keys = new Set<string>();
  const add = (key: string): void => {
    keys.add(key).add(key.replace(userLists, ''));
  };
  if (!/^\s*[{[]/.test(text)) {
    const [titles = ''] = titleRow.exec(text) ?? [];
    for (const cell of titles.split(/[,;\t]/)) add(cell.trim().replace(/^"(.*)"$/, '$1'));
    return keys;
  }
  /** The last key of each open object; a list has none. */
  const path: (string | undefined)[] = [];
  for (const [token, key, colon] of text.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?|[{}[\]]/gs)) {
    if (token === '{' || token === '[') path.push(undefined);
    else if (token === '}' || token === ']') path.pop();
    else if (colon !== undefined && path.length > 0) {
      path[path.length - 1] = key;
      add(path.filter((part) => part !== undefined).join('.'));
    }
  }
  return keys;
}

/** `auth.users` and its columns, of each table. */
function keysOfDump(text: string): readonly ReadonlySet<string>[] {
  const tables = new Map<string, Set<string>>();
  for (const head of headsOf(text)) {
    if (head.kind === 'change') continue;
    const name = head.table.toLowerCase();
    const keys = tables.get(name) ?? new Set([name]);
    for (const column of head.kind === 'create' ? head.columns.all : (head.columns ?? [])) keys.add(column);
    tables.set(name, keys);
  }
  return [...tables.values()];
}

/** Attributes of LDIF, keys of YAML. */
function keysOfLines(text: string, line: RegExp): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(line), ([, key = '']) => key));
}
