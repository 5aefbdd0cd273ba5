/** Finds a user of an import body, and the password hash that the body gives it; in constant memory. */
import { InputError, UsageError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
import { firstText, isObject, type JsonObject } from '../../lib/json-value.ts';
import { entriesIn, organizationsIn } from '../../sources/org-data/organizations.ts';

export interface FoundUser {
  readonly userId: string;
  readonly userName: string;
  /** Secret; empty where the body has none. */
  readonly hash: string;
}

/**
 * Looks for a user name (without regard to case, as the target compares) or an id. Undefined where no user has it.
 * Throws `InputError` for a file that is not an import body, `UsageError` where several users have the name.
 */
export async function findUserByName(
  body: Input,
  requested: string,
  signal: AbortSignal,
): Promise<FoundUser | undefined> {
  const name = requested.toLowerCase();
  const found: FoundUser[] = [];
  let opened = false;
  for await (const item of organizationsIn(body.name, body.blocks(), { lists: ['humanUsers'] })) {
    signal.throwIfAborted();
    if (item.kind === 'open') opened = true;
    if (item.kind !== 'batch') continue;
    for (const entry of entriesIn(body.name, item)) {
      const user = readUser(entry);
      if (user.userName.toLowerCase() === name || user.userId === requested) found.push(user);
    }
  }
  if (!opened) {
    throw new InputError('input:no-body', body.name, 'it is not an import body: it has no humanUsers', {
      hint: 'Name the file that `idport migrate` wrote.',
    });
  }
  if (found.length > 1) throw ambiguous(requested, found);
  return found[0];
}

/** Bodies are written with the names of JSON or of protobuf. */
function readUser(element: unknown): FoundUser {
  const entry = objectOf(element);
  const user = objectOf(entry['user']);
  const hashed = objectOf(user['hashedPassword'] ?? user['hashed_password']);
  return {
    userId: firstText(entry, 'userId', 'user_id'),
    userName: firstText(user, 'userName', 'user_name'),
    hash: firstText(hashed, 'value'),
  };
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

function ambiguous(requested: string, found: readonly FoundUser[]): UsageError {
  const ids = found.map(({ userId }) => (userId === '' ? 'one without an id' : userId));
  return new UsageError(`${found.length} users in the body are named ${requested}`, {
    hint: `Name the user by id: ${ids.slice(0, 5).join(', ')}.`,
  });
}
