/** The names of a member: protobuf takes camelCase and snake_case, and its JSON is written in camelCase. */

import { isObject, type JsonObject, tryParseJson } from '../lib/json-value.ts';

/** `isEmailVerified` -> `is_email_verified`; digits stay where they are. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A member, which has its name in either style. */
export const memberOf = (object: JsonObject, name: string): unknown =>
  object[name] ?? object[snakeCase(name)];

/** The same of a text; empty where there is none. */
export function memberText(object: JsonObject, name: string): string {
  const value = memberOf(object, name);
  return typeof value === 'string' ? value : '';
}

/** The same of an object as JSON; empty for any other text. */
export function memberTextIn(json: string, name: string): string {
  const value = tryParseJson(json);
  return isObject(value) ? memberText(value, name) : '';
}

/** The same JSON value with other names, at every depth. */
export function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [rename(name), renamed(part, rename)]),
  );
}

/** `is_email_verified` -> `isEmailVerified`, as protobuf makes its JSON names. */
export function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
}

/** `isEmailVerified` -> `IsEmailVerified`, as Go names it. */
export const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
