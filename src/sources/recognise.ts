/** Recognises by its beginning whose export a file is. */
import type { Mark } from './entry.ts';
import { knownExports } from './known-exports.ts';
import { type ExportName, providers } from './providers.ts';

/** Enough for the first keys of a realm, or for some users. */
export const headBytes = 64 * 1024;

export interface Recognised {
  /** Absent for an import body, and for a provider whose exports are not read yet. */
  readonly provider?: ExportName;
  /** As users write it. */
  readonly title: string;
}

export const bodyTitle = 'import body';

const bodyMarks: readonly Mark[] = [
  ['dataOrgs.orgs'],
  ['dataOrgsv1.orgs'],
  ['orgs.humanUsers'],
  ['orgs.orgId'],
];

/** Undefined for a file that has marks of its own provider, or of none. `own` is what it was given as. */
export function recogniseOther(head: Uint8Array, own: ExportName | 'body'): Recognised | undefined {
  const has = createTest(head);
  if (has(own === 'body' ? bodyMarks : providers[own].marks)) return undefined;
  return recogniseBy(has);
}

/** Undefined for a file without marks. */
export function recognise(head: Uint8Array): Recognised | undefined {
  return recogniseBy(createTest(head));
}

type Test = (marks: readonly Mark[]) => boolean;

function createTest(head: Uint8Array): Test {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, headBytes)).toString(
    'utf8',
  );
  const keys = keysIn(text);
  return (marks) =>
    marks.some((mark) => (mark instanceof RegExp ? mark.test(text) : mark.every((key) => keys.has(key))));
}

function recogniseBy(has: Test): Recognised | undefined {
  if (has(bodyMarks)) return { title: bodyTitle };
  const built = Object.entries(providers).find(([, { marks }]) => has(marks));
  if (built !== undefined) return { provider: built[0] as ExportName, title: built[1].title };
  const known = Object.values(knownExports).find(({ marks }) => has(marks));
  return known === undefined ? undefined : { title: known.title };
}

/** Lists of users: a key in them counts as one of a user. */
const userLists = /^(?:users|Users|data)\./;
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
