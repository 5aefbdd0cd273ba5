/** An import body and the name of a person in, the hash that the body gives that person out; in constant memory. */
import { InputError, UsageError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
import { batchMemory } from '../../lib/batch-memory.ts';
import { JsonSyntaxError } from '../../lib/json-error.ts';
import { parseElements } from '../../lib/json-parse.ts';
import { scanJson } from '../../lib/json-scan.ts';

export interface FoundPerson {
  readonly userId: string;
  readonly userName: string;
  /** Secret; empty where the body has none. */
  readonly hash: string;
}

/** The request of a bulk import in both of its forms, in the field names of either style, and the bare file form. */
const roots = [['dataOrgs'], ['data_orgs'], ['dataOrgsv1'], ['data_orgsv1'], []];
const people = ['humanUsers', 'human_users'];
const arrays = roots.flatMap((root) => people.map((name) => [...root, 'orgs', '*', name]));

/**
 * Looks for a user name (without regard to case, as the target compares) or an id. Undefined where nobody has it.
 * Throws `InputError` for what is no import body, `UsageError` where several people have the name.
 */
export async function findPerson(
  body: Input,
  wanted: string,
  signal: AbortSignal,
): Promise<FoundPerson | undefined> {
  const name = wanted.toLowerCase();
  const found: FoundPerson[] = [];
  let opened = false;
  for await (const item of scanJson(body.name, body.blocks(), { arrays })) {
    signal.throwIfAborted();
    if (item.kind === 'open') opened = true;
    if (item.kind !== 'batch') continue;
    for (const element of parseBatch(body.name, item)) {
      const person = readPerson(element);
      if (person.userName.toLowerCase() === name || person.userId === wanted) found.push(person);
    }
    batchMemory.giveBack(item.bytes.buffer);
  }
  if (!opened) {
    throw new InputError('input:no-body', body.name, 'it is no import body: it has no humanUsers', {
      hint: 'Name the file that `idport migrate` wrote.',
    });
  }
  if (found.length > 1) throw ambiguous(wanted, found);
  return found[0];
}

function parseBatch(name: string, { bytes, offset }: { bytes: Uint8Array; offset: number }): unknown[] {
  try {
    return parseElements(bytes);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? error.toInputError(name, offset) : error;
  }
}

function readPerson(element: unknown): FoundPerson {
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

function ambiguous(wanted: string, found: readonly FoundPerson[]): UsageError {
  const ids = found.map(({ userId }) => (userId === '' ? 'one without an id' : userId));
  return new UsageError(`${found.length} people in the body are named ${wanted}`, {
    hint: `Name the person by id: ${ids.slice(0, 5).join(', ')}.`,
  });
}
