/** Checks of JSON texts and values of unknown type. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The first text among these values; empty where there is none. For fields that have several names. */
export function firstText(object: JsonObject, ...names: readonly string[]): string {
  return names.map((name) => object[name]).find(isText) ?? '';
}

/** For `JSON.stringify`: keys in a fixed order. */
export function sortKeys(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The objects of a list; none where it is not a list. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** For a line of a file: true for a complete JSON object. */
export function isObjectLine(line: string): boolean {
  const text = line.trim();
  return text.startsWith('{') && text.endsWith('}') && tryParseJson(text) !== undefined;
}

/** Without members where it is no object. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The same of a text. */
export const parseObject = (text: string): JsonObject => objectOf(tryParseJson(text));

/** Returns undefined for a text that is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * An id as exports write it: a text, or an integer that JSON.parse keeps exactly. Undefined for everything else, because a
 * larger number was rounded, perhaps to the id of another user.
 */
export function readJsonId(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** A number of rounds, digits or bytes: an integer from 0, or its decimal digits as a text; NaN for everything else. */
export function readJsonCount(value: unknown): number {
  if (typeof value === 'string') return /^(?:0|[1-9][0-9]{0,14})$/.test(value) ? Number(value) : Number.NaN;
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : Number.NaN;
}

/** JSON with the integers that JSON.parse would round, perhaps to the id of another user, as texts. */
export const keepDigits = (json: string): string =>
  json.replaceAll(/"[^"\\\n]*(?:\\.[^"\\\n]*)*"|-?\d[\d.eE+-]*/g, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );

/** For messages: `a list`, `a number`, `null`. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
