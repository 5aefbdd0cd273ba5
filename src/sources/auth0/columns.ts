/** Converts rows of tables, and the keys of the extension's export, into users with Auth0's field names. */
import { isObject, type JsonObject } from '../../lib/json-value.ts';
import { headText } from '../table/forms/recognise.ts';

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
export function namedIn(head: Uint8Array): ReadonlySet<string> {
  const [line = ''] = headText(head).split('\n');
  const titles = line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"|"$/g, ''));
  return new Set([
    'user_id',
    'email',
    'identities',
    ...titles.filter((title) => fieldOf(title) !== undefined),
  ]);
}

export function isIdentifying(title: string) {
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
/** Places of the titles of a table. Limited, because hostile JSON may have any number of keys. */
const places = new Map<string, readonly Step[]>();
const maxPlaces = 1000;

/**
 * Returns where a title's value belongs: `identities[0].connection` and `user_metadata.color` are places inside a user,
 * other titles are fields.
 */
function placeOf(title: string) {
  const known = places.get(title);
  if (known !== undefined) return known;
  const parts = title.split(/[.[\]]+/).filter((part) => part !== '');
  const isNested = parts.length > 1 && nestedRoots.has(parts[0]!);
  const place = isNested
    ? parts.map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : part))
    : [fieldOf(title) ?? title];
  if (places.size < maxPlaces) places.set(title, place);
  return place;
}

function put(root: Container, place: readonly Step[], value: unknown) {
  let inside = root;
  for (const [at, step] of place.entries()) {
    const next = place[at + 1];
    if (next === undefined) inside[step] = value;
    else {
      const found = inside[step];
      const deeper = isObject(found) || Array.isArray(found) ? found : emptyAt(next);
      inside[step] = deeper;
      inside = deeper as Container;
    }
  }
}

function emptyAt(step: Step) {
  return typeof step === 'number' ? ([] as unknown as Container) : emptyObject();
}

/** Returns an object without a prototype, so that a title such as `__proto__` is an ordinary field. */
function emptyObject() {
  return Object.create(null) as Container;
}
