/**
 * The `--jit-list` file of `migrate`: users whose password is checked at their first login, one JSON object per line. Its
 * mode is 0600, because it contains password hashes. Memory holds only ids and offsets: about 60 bytes a user, and 36 more
 * if the target chose new ids.
 */
import { open, stat, type FileHandle } from 'node:fs/promises';
import { IdportError, InputError } from '../../errors.ts';
import { IdColumn, NumberList } from '../../compact/columns.ts';
import { TextTable } from '../../compact/key-table.ts';
import { isObject, parseObject } from '../../lib/json-value.ts';
import { inputProblem } from '../../storage/file-problem.ts';
import { foldName } from '../../records/text.ts';
import { secretsOf, type SourceForm } from '../../records/hash-forms/form.ts';

/** A user of the list, with how the source stored the password. */
export interface ListedUser {
  /** Id at the target; the source's id if the target chooses ids. Empty if the source has none. */
  readonly id: string;
  readonly userName: string;
  /** Absent if the source exports no hash. Then only other verifiers than `hashes` can check the password. */
  readonly form?: SourceForm | undefined;
  /** Set if the user was imported with the placeholder password. */
  readonly placeholder?: true;
}

export function encodeListedUser({ id, userName, form, placeholder }: ListedUser) {
  return `${JSON.stringify({ id, userName, form, placeholder })}\n`;
}

/**
 * `newIds` are the ids that the target chose, by the list's ids. `check` throws if the list cannot be used. Throws
 * `InputError` with the number of a line that cannot be read.
 */
export async function openUserList(
  path: string,
  name: string,
  newIds?: AsyncIterable<readonly [oldId: string, newId: string]>,
  check: (list: OpenList) => void = () => {},
) {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw inputProblem(name, cause, path);
  });
  try {
    const list = await indexList(file, name, newIds);
    check(list);
    return list;
  } catch (error) {
    await file.close();
    throw error instanceof IdportError ? error : inputProblem(name, error, path);
  }
}

/**
 * `secrets`: names of the secrets that the hashes need. `find`: by id, or by user name ignoring case, if only one user has
 * that name. `all`: in file order. `hasId`: whether a listed user has this id at the target.
 */
type OpenList = Awaited<ReturnType<typeof indexList>>;
export type UserList = Pick<OpenList, 'find' | 'all' | 'size'>;

async function indexList(
  file: FileHandle,
  name: string,
  newIds: AsyncIterable<readonly [string, string]> | readonly [] = [],
) {
  const [ids, names, secrets] = [new TextTable(), new TextTable(), new Set<string>()];
  /** Offset and length of each entry's line. */
  const [offsets, lengths]: [number[], number[]] = [[], []];
  let [offset, number] = [0, 0];
  for await (const line of linesOf(file)) {
    number++;
    if (line.length > 0) {
      const user = parseLine(line);
      if (user === undefined) throw notAUser(name, number);
      if (user.id === '') ids.skip();
      else ids.add(user.id);
      names.add(foldName(user.userName));
      offsets.push(offset);
      lengths.push(line.length);
      if (user.form !== undefined) for (const secret of secretsOf(user.form)) secrets.add(secret);
    }
    offset += line.length + 1;
  }
  /** New ids by entry, and entries by new id. */
  const renamed = { idOf: new IdColumn(), ids: new TextTable(), entries: new NumberList() };
  const read = async (entry: number): Promise<ListedUser> => {
    const [at = 0, length = 0] = [offsets[entry], lengths[entry]];
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
    const user = bytesRead === length ? parseLine(buffer) : undefined;
    const isSame = user !== undefined && names.findAll(foldName(user.userName)).includes(entry);
    if (isSame) return { ...user, id: renamed.idOf.get(entry) ?? user.id };
    throw new IdportError(
      'input:changed',
      `${name}: the list has changed since it was opened`,
      'Restart the receiver.',
    );
  };
  /** Returns entries that may be this user. The caller compares their lines. */
  const candidates = (id: string, userName: string) => [
    ...ids.findAll(id),
    ...names.findAll(foldName(userName)),
    ...renamed.ids.findAll(id).map((at) => renamed.entries.get(at)!),
  ];
  for await (const [oldId, newId] of newIds) {
    for (const entry of candidates(oldId, oldId)) {
      if (renamed.idOf.get(entry) !== undefined) continue;
      const { id, userName } = await read(entry);
      if (id !== oldId && (id !== '' || userName !== oldId)) continue;
      renamed.idOf.set(entry, newId);
      renamed.ids.add(newId);
      renamed.entries.push(entry);
    }
  }
  return {
    size: offsets.length,
    secrets,
    async find(requested: ListedUser) {
      const named: ListedUser[] = [];
      for (const entry of candidates(requested.id, requested.userName)) {
        const user = await read(entry);
        if (user.id !== '' && user.id === requested.id) return user;
        // An entry with a new id belongs to the user with that id, not to another one with the same name.
        const isFound = renamed.idOf.get(entry) === undefined;
        if (isFound && foldName(user.userName) === foldName(requested.userName)) named.push(user);
      }
      return named.length === 1 ? named[0] : undefined;
    },
    hasId: (id: string) => ids.find(id) !== -1 || renamed.ids.find(id) !== -1,
    async *all() {
      for (const entry of offsets.keys()) yield read(entry);
    },
    close: () => file.close(),
  };
}

/** Opens a list whose `renew` reloads it if the file was replaced or overwritten. */
export async function openRenewable(path: string, open: () => Promise<OpenList>) {
  const stamp = () =>
    stat(path).then(
      ({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`,
      () => '',
    );
  let seen = await stamp();
  let used = await open();
  let before: OpenList | undefined;
  let renewing: Promise<boolean> | undefined;
  const renew = async () => {
    const found = await stamp();
    if (found === seen) return false;
    seen = found;
    const next = await open();
    // Logins in progress may still read the previous list, so only the one before that is closed.
    await before?.close();
    [before, used] = [used, next];
    return true;
  };
  return {
    find: (requested: ListedUser) => used.find(requested),
    all: () => used.all(),
    get size() {
      return used.size;
    },
    /** Resolves to whether the list was reloaded. If the new file is unusable, throws once per change and keeps the old list. */
    renew: () => (renewing ??= renew().finally(() => (renewing = undefined))),
    close: async () => void (await Promise.all([before?.close(), used.close()])),
  };
}

const notAUser = (name: string, line: number) =>
  new InputError(
    'input:syntax',
    name,
    `line ${line} is not a user of a --jit-list list`,
    'Write the list anew with `idport migrate --jit-list`.',
  );

/** Does not use zod, because every conversion would load it. */
function parseLine(line: Uint8Array) {
  const { id, userName, form, placeholder } = parseObject(Buffer.from(line).toString('utf8'));
  if (typeof id !== 'string' || typeof userName !== 'string') return undefined;
  const user: ListedUser = { id, userName, ...(placeholder === true && { placeholder }) };
  if (form === undefined && placeholder === true) return user;
  if (!isObject(form) || typeof form['kind'] !== 'string') return undefined;
  return { ...user, form: form as unknown as SourceForm };
}

const blockBytes = 64 * 1024;
/** idport writes no longer lines. */
export const mostBytes = 1024 * 1024;

/** Yields lines without their line feed, also an unfinished last line. Stops after a line longer than `mostBytes`. */
export async function* linesOf(file: FileHandle) {
  let rest = Buffer.alloc(0);
  for (let at = 0; ;) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(blockBytes), 0, blockBytes, at);
    if (bytesRead === 0 || rest.length > mostBytes) break;
    at += bytesRead;
    let text = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    for (let end = text.indexOf(0x0a); end !== -1; end = text.indexOf(0x0a)) {
      yield text.subarray(0, end);
      text = text.subarray(end + 1);
    }
    rest = text;
  }
  if (rest.length > 0) yield rest;
}
