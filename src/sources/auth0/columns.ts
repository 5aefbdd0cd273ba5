/** Maps the titles of tables, and the keys of the extension's export, to Auth0's field names. */
import { isObject, type JsonObject } from '../../lib/json-value.ts';

/** By the letters and digits of a title, in lower case. */
const names: ReadonlyMap<string, string> = new Map([
  ['id', 'user_id'],
  ['userid', 'user_id'],
  ['email', 'email'],
  ['emailaddress', 'email'],
  ['emailverified', 'email_verified'],
  ['username', 'username'],
  ['givenname', 'given_name'],
  ['firstname', 'given_name'],
  ['familyname', 'family_name'],
  ['lastname', 'family_name'],
  ['name', 'name'],
  ['fullname', 'name'],
  ['nickname', 'nickname'],
  ['phonenumber', 'phone_number'],
  ['phone', 'phone_number'],
  ['phoneverified', 'phone_verified'],
  ['phonenumberverified', 'phone_verified'],
  ['locale', 'locale'],
  ['blocked', 'blocked'],
  ['connection', 'connection'],
  ['provider', 'provider'],
  ['picture', 'picture'],
  ['createdat', 'created_at'],
  ['updatedat', 'updated_at'],
  ['lastlogin', 'last_login'],
  ['lastip', 'last_ip'],
  ['loginscount', 'logins_count'],
  ['passwordhash', 'password_hash'],
]);

/** A title that is not known stays as it is. */
export function canonicalField(title: string): string {
  return names.get(folded(title)) ?? title;
}

export function namesField(title: string): boolean {
  return names.has(folded(title));
}

function folded(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** False for a user whose fields have the titles of a table. */
export function hasOwnFieldNames(user: unknown): boolean {
  if (!isObject(user)) return true;
  return user['user_id'] !== undefined || user['email'] !== undefined || user['identities'] !== undefined;
}

/** The same user with Auth0's own field names; one that has them already is handed back as it is. */
export function withCanonicalFields(user: JsonObject): JsonObject {
  if (hasOwnFieldNames(user)) return user;
  return Object.fromEntries(Object.entries(user).map(([title, value]) => [canonicalField(title), value]));
}

/** One step into an object or a list. */
type Step = string | number;

/** `identities[0].connection` and `user_metadata.color` name places inside a user; anything else a field. */
function placeOf(title: string): readonly Step[] {
  const parts = title.split(/[.[\]]+/).filter((part) => part !== '');
  const [root = ''] = parts;
  const isNested = parts.length > 1 && nestedRoots.has(root);
  return isNested
    ? parts.map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : part))
    : [canonicalField(title)];
}

const nestedRoots = new Set(['identities', 'user_metadata', 'app_metadata', 'multifactor']);

/** Puts the cells in the places that their titles name; empty cells are absent. `places` keeps them for further rows. */
export function userOfRow(
  places: Map<string, readonly Step[]>,
  row: Readonly<Record<string, string>>,
  read: (cell: string) => string,
): JsonObject {
  const user = emptyObject();
  for (const title in row) {
    if (row[title] === '') continue;
    let place = places.get(title);
    if (place === undefined) places.set(title, (place = placeOf(title)));
    const cell = read(row[title]!);
    if (cell !== '') put(user, place, cell);
  }
  return user;
}

type Container = Record<Step, unknown>;

function put(root: Container, place: readonly Step[], value: string): void {
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

function emptyAt(step: Step): Container {
  return typeof step === 'number' ? ([] as unknown as Container) : emptyObject();
}

/** No prototype: a title such as `__proto__` is a field like any other. */
function emptyObject(): Container {
  return Object.create(null) as Container;
}
