/**
 * The list of users whose password is checked at their first login: a line of JSON a user, written by `migrate`. It has
 * password hashes, so it is 0600. Only ids and offsets are kept in memory, some 60 bytes a user,
 * and 36 more where the target has chosen new ids.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { linesOf } from './file-lines.ts';
import { IdportError, InputError } from '../../errors.ts';
import { IdColumn } from '../../compact/id-column.ts';
import { KeyMaker, KeyTable, keyWords } from '../../compact/key-table.ts';
import { NumberList } from '../../compact/number-list.ts';
import { isObject, tryParseJson } from '../../lib/json-value.ts';
import { inputProblem } from '../../storage/input-problem.ts';
import { secretsOf, type SourceForm } from '../../records/hash-forms/form.ts';

/** How the source has stored the password of a user. */
export interface ListedUser {
  /** That at the target, of the source where the target chooses it; empty where the source has none. */
  readonly id: string;
  readonly userName: string;
  /** Absent where the source gives no hash: only another verifier than `hashes` can tell. */
  readonly form?: SourceForm | undefined;
  /** The user was written with the placeholder password. */
  readonly placeholder?: true;
}

export interface UserList {
  readonly size: number;
  /** Names of the secrets that its forms need. */
  readonly secrets: ReadonlySet<string>;
  /** By id, else by user name without regard to case, where one user alone has that name. */
  find(user: { readonly id: string; readonly userName: string }): Promise<ListedUser | undefined>;
  /** In the order of the file. */
  all(): AsyncGenerator<ListedUser>;
  close(): Promise<void>;
}

export function encodeListedUser({ id, userName, form, placeholder }: ListedUser): string {
  return `${JSON.stringify({ id, userName, form, placeholder })}\n`;
}

/** `newIds` are those that the target has chosen. Throws `InputError` for a line that cannot be read, with its number. */
export async function openUserList(
  path: string,
  name: string,
  newIds?: AsyncIterable<readonly [oldId: string, newId: string]>,
): Promise<UserList> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw inputProblem(name, cause, path);
  });
  try {
    return await indexList(file, name, newIds);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function indexList(
  file: FileHandle,
  name: string,
  newIds: AsyncIterable<readonly [string, string]> = noIds(),
): Promise<UserList> {
  const index = new ListIndex();
  const secrets = new Set<string>();
  let offset = 0;
  let number = 0;
  for await (const line of linesOf(file)) {
    number++;
    const bytes = line.length + 1;
    if (line.length > 0) {
      const user = parseLine(line);
      if (user === undefined) {
        throw new InputError('input:syntax', name, `line ${number} is not a user of a --jit-list list`, {
          hint: 'Write the list anew with idport migrate --jit-list.',
        });
      }
      index.add(user, offset, line.length);
      if (user.form !== undefined) for (const secret of secretsOf(user.form)) secrets.add(secret);
    }
    offset += bytes;
  }
  const read = async (entry: number): Promise<ListedUser> => {
    const { at, length } = index.placeOf(entry);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
    const user = bytesRead === length ? parseLine(buffer) : undefined;
    if (user !== undefined) return { ...user, id: index.newIdOf(entry) ?? user.id };
    throw new IdportError('input:changed', `${name}: the list has changed since it was opened`, {
      hint: 'Restart the receiver.',
    });
  };
  for await (const [oldId, newId] of newIds) {
    for (const entry of index.candidates({ id: oldId, userName: oldId })) {
      if (index.newIdOf(entry) !== undefined) continue;
      const { id, userName } = await read(entry);
      if (id === oldId || (id === '' && userName === oldId)) index.setNewId(entry, newId);
    }
  }
  return {
    get size() {
      return index.size;
    },
    secrets,
    async find(requested) {
      const named: ListedUser[] = [];
      for (const entry of index.candidates(requested)) {
        const user = await read(entry);
        if (user.id !== '' && user.id === requested.id) return user;
        // Who has a new id is not another user of that name.
        const isFound = index.newIdOf(entry) === undefined;
        if (isFound && fold(user.userName) === fold(requested.userName)) named.push(user);
      }
      return named.length === 1 ? named[0] : undefined;
    },
    async *all() {
      for (let entry = 0; entry < index.size; entry++) yield read(entry);
    },
    close: () => file.close(),
  };
}

async function* noIds(): AsyncGenerator<never> {}

function fold(userName: string): string {
  return userName.trim().toLowerCase();
}

/** Not with zod, which would be loaded by every conversion. */
function parseLine(line: Uint8Array): ListedUser | undefined {
  const value = tryParseJson(Buffer.from(line).toString('utf8'));
  if (!isObject(value)) return undefined;
  const { id, userName, form, placeholder } = value;
  if (typeof id !== 'string' || typeof userName !== 'string') return undefined;
  const user: ListedUser = { id, userName, ...(placeholder === true ? { placeholder } : {}) };
  if (form === undefined && placeholder === true) return user;
  if (!isObject(form) || typeof form['kind'] !== 'string') return undefined;
  return { ...user, form: form as unknown as SourceForm };
}

/** Two columns: ids, and user names. */
class ListIndex {
  readonly #table = new KeyTable(2);
  readonly #keys = new KeyMaker();
  readonly #words = new Uint32Array(2 * keyWords);
  #places = new Float64Array(2048);
  readonly #newIds = new IdColumn();
  /** New ids, and the entries of the list that have them. */
  readonly #newTable = new KeyTable(1);
  readonly #newEntries = new NumberList();

  get size(): number {
    return this.#table.size;
  }

  add({ id, userName }: ListedUser, at: number, length: number): void {
    this.#words.fill(0);
    if (id !== '') this.#keys.ofText(`id:${id}`, this.#words, 0);
    this.#keys.ofText(`name:${fold(userName)}`, this.#words, keyWords);
    const entry = this.#table.add(this.#words, 0);
    if (2 * entry >= this.#places.length) {
      const wider = new Float64Array(2 * this.#places.length);
      wider.set(this.#places);
      this.#places = wider;
    }
    this.#places[2 * entry] = at;
    this.#places[2 * entry + 1] = length;
  }

  placeOf(entry: number): { readonly at: number; readonly length: number } {
    return { at: this.#places[2 * entry]!, length: this.#places[2 * entry + 1]! };
  }

  setNewId(entry: number, id: string): void {
    this.#newIds.set(entry, id);
    const key = new Uint32Array(keyWords);
    this.#keys.ofText(`id:${id}`, key, 0);
    this.#newTable.add(key, 0);
    this.#newEntries.push(entry);
  }

  newIdOf(entry: number): string | undefined {
    return this.#newIds.get(entry);
  }

  /** Entries that may be this user; whether they are, their lines say. */
  *candidates({ id, userName }: { readonly id: string; readonly userName: string }): Generator<number> {
    yield* this.#entriesOf(this.#table, 'id:', id, 0);
    yield* this.#entriesOf(this.#table, 'name:', fold(userName), 1);
    for (const at of this.#entriesOf(this.#newTable, 'id:', id, 0)) yield this.#newEntries.get(at)!;
  }

  *#entriesOf(table: KeyTable, prefix: string, text: string, column: number): Generator<number> {
    if (text === '') return;
    const key = new Uint32Array(keyWords);
    this.#keys.ofText(prefix + text, key, 0);
    let entry = table.find(key, 0, column);
    while (entry !== -1) {
      yield entry;
      entry = table.findBefore(entry, key, 0, column);
    }
  }
}
