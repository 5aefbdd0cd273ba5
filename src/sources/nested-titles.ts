/** Titles of a table that are places in an object or a list: `identities[0].connection`, `user_metadata.color`. */
import { isObject } from '../lib/json-value.ts';
import { memoized } from '../lib/strings.ts';

/** One step into an object or a list. */
type Step = string | number;
export type Container = Record<Step, unknown>;

/** Returns the place of a title. A title outside of the columns `nested` is a column itself. */
const placeOf = memoized((title, nested: readonly string[]): readonly Step[] => {
  const parts = title.split(/[.[\]]+/).filter(Boolean);
  if (parts.length < 2 || !nested.includes(parts[0]!)) return [title];
  return parts.map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : part));
});

/**
 * Puts a value at the place of a title, unless it is an empty text. Numbers are places in lists, texts are keys of objects without a
 * prototype: `__proto__` and `length` are ordinary keys.
 */
export function put(root: Container, title: string, nested: readonly string[], value: unknown) {
  if (value === '') return;
  const place = placeOf(title, nested);
  let inside = root;
  for (const [at, step] of place.slice(0, -1).entries()) {
    const found = inside[step];
    const empty = typeof place[at + 1] === 'number' ? [] : (Object.create(null) as Container);
    const fits = Array.isArray(empty) ? Array.isArray(found) : isObject(found);
    inside = inside[step] = (fits ? found : empty) as Container;
  }
  inside[place.at(-1)!] = value;
}
