/** Guesses from the first bytes of an input what kind of JSON it is, to choose how to read it. */
import { tryParseJson } from '../lib/json-value.ts';

const roots = { '{': 'object', '[': 'array', '[[': 'pages' } as const;

/**
 * Never throws. For a truncated or broken head, it returns what was understood until then. The root `pages` is an array that
 * begins with an array; the root is undefined if it is neither an object nor an array. `keys` are the keys of the first object:
 * the root, or an element of a root array or page.
 */
export function peekShape(head: Uint8Array) {
  const text = Buffer.from(head).toString('utf8');
  const [opening = ''] = /^\s*(?:\{|\[\s*\[?)/.exec(text) ?? [];
  const root = roots[opening.replaceAll(/\s/g, '') as keyof typeof roots];
  if (root === undefined) return { root, keys: [] };
  const keys = new Set<string>();
  for (const levels of keysWithin(text)) {
    const { object, key } = levels.at(-1)!;
    if (object === 1) keys.add(key!);
  }
  return { root, keys: [...keys] };
}

/** An open object or list. */
interface Level {
  /** Number of the object among all objects, from 1; 0 for a list. */
  readonly object: number;
  /** Latest key; a list has none. */
  key?: string;
}

/** Yields the open levels at each key of a JSON text, which may be cut off. The last level has the key. */
export function* keysWithin(text: string): Generator<readonly Level[]> {
  const levels: Level[] = [];
  let objects = 0;
  // A string that is cut off reaches to the end. Otherwise each quote in it would be tried in turn.
  const tokens = /"((?:[^"\\]|\\.|\\$)*)(?:"(\s*:)?|$)|[{}[\]]/gs;
  for (const [token, key, colon] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') levels.push({ object: token === '{' ? ++objects : 0 });
    else if (token === '}' || token === ']') levels.pop();
    else if (colon !== undefined && levels.length > 0) {
      levels.at(-1)!.key = key!.includes('\\') ? String(tryParseJson(`"${key}"`)) : key!;
      yield levels;
    }
  }
}
