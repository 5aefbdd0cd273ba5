/** Reads and checks JSON text and values of unknown type. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Reports whether a value is an object, but neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Returns the first text among these members, or an empty string. For fields that have several names. */
export function firstText(object: JsonObject, ...names: readonly string[]) {
  const name = names.find((one) => isText(object[one]));
  return name === undefined ? '' : (object[name] as string);
}

/** Sorts keys, as a replacer for `JSON.stringify`. */
export function sortKeys(_: string, value: unknown) {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the objects of a list; none if the value is not a list. */
export function objectsIn(value: unknown) {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Reports whether a line of a file is a complete JSON object. */
export function isObjectLine(line: string) {
  const text = line.trim();
  return text.startsWith('{') && text.endsWith('}') && tryParseJson(text) !== undefined;
}

/** Returns the value if it is an object, otherwise an empty object. */
export const objectOf = (value: unknown) => (isObject(value) ? value : {});

/** Parses an object. Returns an empty object for anything else. */
export const parseObject = (text: string) => objectOf(tryParseJson(text));

/** Parses JSON. Returns undefined if the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads an id as exports write it: text, or an integer that JSON.parse keeps exactly. Returns undefined for everything else,
 * because a larger number was rounded, perhaps to the id of another user.
 */
export function readJsonId(value: unknown) {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/**
 * Reads a number of rounds, digits or bytes: an integer from 0, or its decimal digits as text. Returns NaN for everything else.
 */
export function readJsonCount(value: unknown) {
  if (typeof value === 'string') return /^(?:0|[1-9][0-9]{0,14})$/.test(value) ? Number(value) : Number.NaN;
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : Number.NaN;
}

/** Turns integers that JSON.parse would round, perhaps to the id of another user, into texts. */
export const keepDigits = (json: string) =>
  json.replaceAll(/"[^"\\\n]*(?:\\.[^"\\\n]*)*"|-?\d[\d.eE+-]*/g, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );

/** Names the type of a value in messages: `a list`, `a number`, `null`. */
export function typeName(value: unknown) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

/** Writes a path as in `verbs["migrate keycloak"].org` or `targets[0].name`. */
export function pathText(path: readonly PropertyKey[]) {
  const isWord = (part: PropertyKey) => typeof part === 'string' && /^[\w$-]+$/.test(part);
  return path
    .map((part) => (isWord(part) ? `.${String(part)}` : `[${JSON.stringify(part)}]`))
    .join('')
    .replace(/^\./, '');
}
