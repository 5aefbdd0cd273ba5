/** Roles that the authorization extension, or a rule, has put into `app_metadata`. */
import { isObject, type JsonObject } from '../../lib/json-value.ts';

/** Never throws for what a record holds. */
export function readRoleKeys(value: unknown): string[] {
  const metadata = objectIn(value, 'app_metadata');
  const authorization = objectIn(metadata, 'authorization');
  return [
    ...textsIn(metadata['roles']).map((name) => `role:${name}`),
    ...textsIn(authorization['roles']).map((name) => `role:${name}`),
    ...textsIn(authorization['groups']).map((name) => `group:${name}`),
    ...textsIn(authorization['permissions']).map((name) => `permission:${name}`),
  ];
}

/** Lists of users give metadata as text. */
function objectIn(value: unknown, name: string): JsonObject {
  const inner: unknown = isObject(value) ? value[name] : undefined;
  if (typeof inner !== 'string') return isObject(inner) ? inner : {};
  try {
    const parsed: unknown = JSON.parse(inner);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function textsIn(value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((one): one is string => typeof one === 'string' && one.trim() !== '');
}
