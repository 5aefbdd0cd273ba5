/** Finds a user of an import body, and the password hash that the body gives it; in constant memory. */
import { InputError, UsageError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
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

function readUser(element: unknown): FoundUser {
  const user = field(element, 'user', 'user');
  const hashed = field(user, 'hashedPassword', 'hashed_password');
  return {
    userId: text(field(element, 'userId', 'user_id')),
    userName: text(field(user, 'userName', 'user_name')),
    hash: text(field(hashed, 'value', 'value')),
  };
}

function field(value: unknown, camel: string, snake: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  return fields[camel] ?? fields[snake];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function ambiguous(requested: string, found: readonly FoundUser[]): UsageError {
  const ids = found.map(({ userId }) => (userId === '' ? 'one without an id' : userId));
  return new UsageError(`${found.length} users in the body are named ${requested}`, {
    hint: `Name the user by id: ${ids.slice(0, 5).join(', ')}.`,
  });
}
