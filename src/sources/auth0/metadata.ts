/** Turns `user_metadata` and `app_metadata` into metadata entries, or notes that they are not carried. */
import { addMetadata, addNote } from '../../records/build-user.ts';
import type { UserRecord } from '../../records/user.ts';
import { isObject, type JsonObject } from '../../lib/json-value.ts';
import { facts } from './fields.ts';
import type { Auth0Options } from './options.ts';

/**
 * Keys carry the name of the root before them: users can write their `user_metadata` in Auth0 themselves, and must
 * not be able to pass it off as `app_metadata`.
 */
export function readMetadata(draft: UserRecord, user: JsonObject, options: Auth0Options): void {
  const entries = entriesOf('user_metadata', user['user_metadata']);
  entries.push(...entriesOf('app_metadata', user['app_metadata']));
  if (options.metadata === 'none') {
    const { length } = entries;
    if (length > 0)
      addNote(draft, 'attribute:not-migrated', length === 1 ? '1 attribute' : `${length} attributes`);
    return;
  }
  for (const [key, value] of entries) carry(draft, key, value);
  if (options.metadata === 'all') for (const fact of facts) carry(draft, fact, user[fact]);
}

function entriesOf(root: string, value: unknown): (readonly [string, unknown])[] {
  if (value === undefined || value === null) return [];
  const object = typeof value === 'string' ? parse(value) : value;
  if (!isObject(object)) return [];
  return Object.entries(object).map(([key, entry]) => [`${root}.${key}`, entry]);
}

/** A table may hold a whole object in one cell. */
function parse(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A text stays a text, everything else is JSON; null and the empty text carry nothing. */
function carry(draft: UserRecord, key: string, value: unknown): void {
  if (value === undefined || value === null || value === '') return;
  addMetadata(draft, key, typeof value === 'string' ? value : JSON.stringify(value));
}
