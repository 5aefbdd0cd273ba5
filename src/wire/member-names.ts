/** The names of a member: protobuf reads camelCase and snake_case, and writes camelCase in JSON. */

import { type JsonObject, objectOf, tryParseJson } from '../lib/json-value.ts';

/** `isEmailVerified` -> `is_email_verified`; digits stay where they are. */
export function snakeCase(name: string) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns a member by its camelCase name, in whichever of the two styles it is written. */
export const memberOf = (object: JsonObject, name: string) => object[name] ?? object[snakeCase(name)];

/** Returns a member if it is a string, otherwise an empty string. */
export function memberText(object: JsonObject, name: string) {
  const value = memberOf(object, name);
  return typeof value === 'string' ? value : '';
}

/** Returns a string member of a JSON object. Returns an empty string for anything else, also for text that is not JSON. */
export function memberTextIn(json: string, name: string) {
  return memberText(objectOf(tryParseJson(json)), name);
}

/** Returns the same JSON value with all members renamed, at every depth. */
export function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [rename(name), renamed(part, rename)]),
  );
}

/** `is_email_verified` -> `isEmailVerified`, as protobuf makes its JSON names. */
export function camelCase(name: string) {
  return name.replace(/_+([a-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
}

/** `isEmailVerified` -> `IsEmailVerified`, as Go names it. */
export const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
