/**
 * `--ids new`: gives the users of a body new ids, in everything that refers to them. For a target where the old ids are taken,
 * for example because ids of a deleted organization stay taken.
 */
import { hash } from 'node:crypto';
import { TextMarks } from '../../compact/text-table.ts';
import { firstText, isObject, type JsonObject, parseObject } from '../../lib/json-value.ts';
import { ownedLists, userLists } from '../../wire/org-entries.ts';

/** Returns an entry with the new id as JSON, or undefined if the entry has no id of a user in the body. */
export type RenameUsers = Awaited<ReturnType<typeof createNewIds>>;

/** `texts` are all entries of the lists of users. The same key and id always give the same new id. */
export async function createNewIds(texts: AsyncIterable<{ readonly text: string }>, key: string) {
  const known = new TextMarks();
  for await (const { text } of texts) {
    const id = firstText(parseObject(text), ...userFields);
    if (id !== '') known.add(id, ofBody);
  }
  const isOfBody = (id: string) => known.add(id, notOfBody) === ofBody;

  return (list: string, text: string) => {
    const fields = fieldsOf(list);
    const entry = fields.length === 0 ? {} : parseObject(text);
    const id = firstText(entry, ...fields);
    if (id === '' || !isOfBody(id)) return undefined;
    return { text: JSON.stringify(withId(entry, fields, newIdOf(key, id))), oldId: id };
  };
}

/** Marks of ids: of a user in the body, or only named by related entries. */
const ofBody = 1;
const notOfBody = 2;

/** Returns 18 digits, like the service's own ids, which will not begin with a 9 for decades. */
export function newIdOf(key: string, id: string) {
  const digits = BigInt(`0x${hash('sha256', `${key}\n${id}`, 'hex').slice(0, 16)}`) % 10n ** 17n;
  return `9${String(digits).padStart(17, '0')}`;
}

const userFields = ['userId', 'user_id'];

/** Returns the fields in which an entry of the list names its user. */
function fieldsOf(list: string): readonly string[] {
  if (list === 'userMetadata') return ['id'];
  return userLists.includes(list) || ownedLists.includes(list) ? userFields : [];
}

/** Replaces the id. Service accounts also have it in their `user` object. */
function withId(entry: JsonObject, fields: readonly string[], id: string) {
  const changed: Record<string, unknown> = { ...entry };
  for (const field of fields) if (typeof changed[field] === 'string') changed[field] = id;
  if (isObject(entry['user'])) changed['user'] = withId(entry['user'], fields, id);
  return changed;
}
