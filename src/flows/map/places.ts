/** Finds the list of users in a JSON document that does not have it at the top. */
import { isObject } from '../../lib/json-value.ts';

export interface Place {
  /** Keys, separated by dots; undefined for the document itself. */
  readonly list: string | undefined;
  /** Each user is under a key of its own. */
  readonly isKeyed: boolean;
}

const deepest = 5;

/** The longest list of objects, or else the object with the most of them. */
export function findUsers(document: unknown): Place | undefined {
  const found: (Place & { readonly count: number })[] = [];
  const look = (value: unknown, path: readonly string[]): void => {
    if (path.length > deepest || path.some((key) => key.includes('.'))) return;
    const inner = Array.isArray(value) || isObject(value) ? Object.values(value) : [];
    if (inner.length > 0 && inner.every(isRecord)) {
      const list = path.length === 0 ? undefined : path.join('.');
      found.push({ list, isKeyed: !Array.isArray(value), count: inner.length });
    }
    if (isObject(value)) for (const [key, next] of Object.entries(value)) look(next, [...path, key]);
  };
  look(document, []);
  return found.sort(
    (one, other) => Number(one.isKeyed) - Number(other.isKeyed) || other.count - one.count,
  )[0];
}

/** Has a field of its own, not only places for others. */
function isRecord(value: unknown): boolean {
  return isObject(value) && Object.values(value).some((field) => typeof field !== 'object');
}
