/** Opens Auth0's files, whatever their form, as batches of raw records in order, and makes users of rows of tables. */
import { InputError } from '../../errors.ts';
import { memoized } from '../../lib/strings.ts';
import type { Input } from '../../lib/input.ts';
import { isObject, type JsonObject } from '../../lib/json-value.ts';
import { linesIn } from '../../json/line-values.ts';
import { BrokenRecord } from '../raw-record.ts';
import { parseBatch, releaseElements } from '../elements.ts';
import { createPageCount } from '../table/forms/form.ts';
import type { RawElements, Notify } from '../source.ts';
import { openRows, type OpenedRows } from '../table/forms/open.ts';
import { headText } from '../table/forms/recognise.ts';

export interface UserBatch {
  readonly input: string;
  readonly elements: RawElements;
  readonly cells: Cells;
}

/** Kinds of files, named like their flags: `--users`, `--passwords`, `--mfa`. */
type RecordKind = 'users' | 'passwords' | 'mfa';

/**
 * Yields the users. Throws `InputError` for another kind of file. Notifies if API pages have fewer users than they say.
 */
export async function* scanUsers(inputs: readonly Input[], notify: Notify, batchBytes?: number) {
  let isEmpty = true;
  const count = createPageCount();
  for (const input of inputs) {
    const rows = await openFile(input, batchBytes);
    for await (const batch of batchesOf(input, rows, 'users')) {
      isEmpty = false;
      count.add(batch.elements);
      yield batch;
    }
    if (rows.pages !== undefined) count.close(rows.pages());
  }
  count.finish(inputs, 'Auth0 shows no more than 1,000 this way, an export job shows all users', notify);
  if (!isEmpty) return;
  const names = inputs.map(({ name }) => name).join(', ');
  notify({ level: 'warning', code: 'input:no-users', text: `no users in ${names}` });
}

/**
 * Reads the records of files. `line` is the line number or, in a list, the position, both from 1. Throws `InputError`
 * for a file that was given with the wrong flag.
 */
export async function readNumbered(
  inputs: readonly Input[],
  kind: RecordKind,
  take: (record: unknown, input: string, line: number) => void,
) {
  for (const input of inputs) {
    let last = 0;
    for await (const { elements } of batchesOf(input, await openFile(input), kind)) {
      const numberOf = numbersOf(elements, last);
      let place = 0;
      for (const record of parseBatch({ input: input.name, elements })) {
        last = numberOf(place++);
        take(record, input.name, last);
      }
      releaseElements(elements);
    }
  }
}

function numbersOf(elements: RawElements, before: number): (place: number) => number {
  if (elements.form !== 'lines') return (place) => before + 1 + place;
  const lines = linesIn(elements);
  return (place) => lines[place]!.line;
}

/** Throws `InputError` if the file is neither JSON nor a table with an id or an address. */
async function openFile(input: Input, batchBytes?: number) {
  const rows = await openRows({
    input,
    source: { null: [] },
    named: namedIn,
    table: undefined,
    notify: () => {},
    batchBytes,
  });
  if (rows.form === 'json' || (rows.form === 'csv' && rows.columns?.some(isIdentifying) === true))
    return rows;
  await rows.close();
  throw new InputError(
    'input:unknown-form',
    input.name,
    'it is neither JSON nor a table with a row of titles',
    'Give an export of Auth0: JSON lines, a JSON list, or a CSV whose first row has user_id or email.',
  );
}

/**
 * Exports of Auth0 put an apostrophe before each text. If all ids and addresses in the first rows of a table have one,
 * it is removed from each cell.
 */
async function* batchesOf(input: Input, rows: OpenedRows, kind: RecordKind) {
  let cells: Cells;
  let isFirst = true;
  try {
    for await (const elements of rows.batches) {
      if (isFirst && rows.form === 'csv') {
        const found = Array.from(parseBatch({ input: input.name, elements }), isMarked);
        cells = found.includes(true) && !found.includes(false) ? 'marked' : 'plain';
      }
      const batch: UserBatch = { input: input.name, elements, cells };
      if (isFirst) expectKind(batch, kind);
      isFirst = false;
      yield batch;
    }
  } finally {
    await rows.close();
  }
}

/** Reports whether the cells begin with an apostrophe. Undefined for a row without an id or an address. */
function isMarked(row: unknown) {
  if (!isObject(row) || row instanceof BrokenRecord) return undefined;
  const cells = Object.entries(row).filter(([title, cell]) => cell !== '' && isIdentifying(title));
  return cells.length === 0 ? undefined : cells.every(([, cell]) => String(cell).startsWith("'"));
}

const nouns: Readonly<Record<RecordKind, string>> = {
  users: 'users',
  passwords: 'lines of the password export',
  mfa: 'lines of the multi-factor export',
};

/**
 * Throws if the first record shows another kind of file. A record that shows nothing, such as a broken one, is left to
 * the reader.
 */
function expectKind({ input, elements, cells }: UserBatch, expected: RecordKind) {
  const [first] = parseBatch({ input, elements });
  const found = kindOf(isObject(first) && cells !== undefined ? userOf(first, cells) : first);
  if (found === undefined || found === expected) return;
  throw new InputError(
    'input:wrong-file',
    input,
    `it holds ${nouns[found]}, not ${nouns[expected]}`,
    `Give this file with --${found}.`,
  );
}

function kindOf(value: unknown): RecordKind | undefined {
  if (!isObject(value)) return undefined;
  if ('passwordHash' in value && !('user_id' in value)) return 'passwords';
  if ('user_id' in value && 'type' in value && !('email' in value)) return 'mfa';
  return 'user_id' in value || 'identities' in value ? 'users' : undefined;
}

const fields =
  'user_id email email_verified username given_name family_name name nickname phone_number phone_verified locale blocked connection provider picture created_at updated_at last_login last_ip logins_count password_hash';

/** Fields by the letters and digits of a title, in lower case. */
const names: ReadonlyMap<string, string> = new Map([
  ...fields.split(' ').map((field) => [field.replaceAll('_', ''), field] as const),
  ['id', 'user_id'],
  ['emailaddress', 'email'],
  ['firstname', 'given_name'],
  ['lastname', 'family_name'],
  ['fullname', 'name'],
  ['phone', 'phone_number'],
  ['phonenumberverified', 'phone_verified'],
]);

const fieldOf = (title: string) => names.get(title.toLowerCase().replace(/[^a-z0-9]/g, ''));

/**
 * Returns the titles in the first line of a table that name a field, and the keys that tell a user from a page of
 * users.
 */
function namedIn(head: Uint8Array): ReadonlySet<string> {
  const [line = ''] = headText(head).split('\n');
  const titles = line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"|"$/g, ''));
  return new Set([
    'user_id',
    'email',
    'identities',
    ...titles.filter((title) => fieldOf(title) !== undefined),
  ]);
}

function isIdentifying(title: string) {
  const field = fieldOf(title);
  return field === 'user_id' || field === 'email';
}

/** How the cells of a table are read. `marked` means that each text begins with an apostrophe. Undefined for JSON. */
export type Cells = 'plain' | 'marked' | undefined;

/**
 * Returns a record as a user. A user that already has Auth0's field names is returned unchanged. Empty cells are left
 * out.
 */
export function userOf(record: JsonObject, cells: Cells) {
  const { user_id: id, email, identities } = record;
  if (cells === undefined && (id !== undefined || email !== undefined || identities !== undefined))
    return record;
  const user = emptyObject();
  for (const title in record) {
    const value = record[title];
    const read = cells === 'marked' && typeof value === 'string' ? value.replace(/^'/, '') : value;
    if (read !== '') put(user, placeOf(title), read);
  }
  return user;
}

/** One step into an object or a list. */
type Step = string | number;
type Container = Record<Step, unknown>;

const nestedRoots = new Set(['identities', 'user_metadata', 'app_metadata', 'multifactor']);
/**
 * Returns where a title's value belongs: `identities[0].connection` and `user_metadata.color` are places inside a user,
 * other titles are fields.
 */
const placeOf = memoized((title): readonly Step[] => {
  const parts = title.split(/[.[\]]+/).filter((part) => part !== '');
  const isNested = parts.length > 1 && nestedRoots.has(parts[0]!);
  return isNested
    ? parts.map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : part))
    : [fieldOf(title) ?? title];
});

function put(root: Container, place: readonly Step[], value: unknown) {
  let inside = root;
  for (const [at, step] of place.entries()) {
    const next = place[at + 1];
    if (next === undefined) inside[step] = value;
    else {
      const found = inside[step];
      const empty = typeof next === 'number' ? [] : emptyObject();
      const deeper = isObject(found) || Array.isArray(found) ? found : empty;
      inside[step] = deeper;
      inside = deeper as Container;
    }
  }
}

/** Returns an object without a prototype, so that a title such as `__proto__` is an ordinary field. */
function emptyObject() {
  return Object.create(null) as Container;
}
