/** Finds the stored password of one user, in an import body or in a source that can show it. */
import { InputError, UsageError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
import { firstText, type JsonObject, objectOf, parseObject } from '../../lib/json-value.ts';
import { readEntries } from '../../sources/org-data/organizations.ts';
import type { ReadResult } from '../../records/user.ts';
import { memberOf, memberText } from '../../wire/member-names.ts';
import { loadProvider } from '../../sources/index.ts';
import { type OpenedSource, readRaw } from './read-users.ts';

/**
 * Finds a user by user name (regardless of case, as the target compares) or id. Undefined if no user has it. Throws `InputError`
 * for a file that is not an import body, `UsageError` if several users have the name.
 */
export async function findUserByName(body: Input, requested: string) {
  const name = requested.toLowerCase();
  const found: FoundUser[] = [];
  let isBody = false;
  for await (const { text } of readEntries(body, ['humanUsers'])) {
    isBody = true;
    const user = readUser(parseObject(text));
    if (user.userName.toLowerCase() === name || user.userId === requested) found.push(user);
  }
  if (!isBody) {
    throw new InputError(
      'input:no-body',
      body.name,
      'it is not an import body: it has no humanUsers',
      'Name the file that `idport migrate` wrote.',
    );
  }
  if (found.length > 1) throw ambiguous(requested, found);
  return found[0];
}

export type FoundUser = ReturnType<typeof readUser>;

/** Bodies are written with the names of JSON or of protobuf. */
function readUser(entry: JsonObject) {
  const user = objectOf(entry['user']);
  const hashed = objectOf(memberOf(user, 'hashedPassword'));
  return {
    userId: memberText(entry, 'userId'),
    userName: memberText(user, 'userName'),
    /** Secret. Empty if the body has none. */
    hash: firstText(hashed, 'value'),
  };
}

function ambiguous(requested: string, found: readonly FoundUser[]) {
  const ids = found.map(({ userId }) => (userId === '' ? 'one without an id' : userId));
  return new UsageError(
    `${found.length} users in the body are named ${requested}`,
    `Name the user by id: ${ids.slice(0, 5).join(', ')}.`,
  );
}

/** Finds the hash by user name (regardless of case) or id. Undefined if the source cannot tell, or no user has the name. */
export async function findStored(source: OpenedSource, requested: string) {
  const provider = await loadProvider(source.provider);
  // Standard input has already been read to its end.
  if (provider.stored === undefined || source.inputs.some(({ name }) => name === '-')) return undefined;
  const stored = provider.stored(source.options);
  for await (const { raw, context, record } of readRaw(source))
    if (isOf(record, requested)) return stored(raw, context);
  return undefined;
}

function isOf(record: ReadResult, requested: string) {
  if (record.kind !== 'human') return record.origin.id === requested;
  return record.userName.toLowerCase() === requested.toLowerCase() || record.id === requested;
}
