/** What a value of a row is as a text. */
import { isObject } from '../../../lib/json-value.ts';
import type { Scope } from './paths.ts';

/** Longer texts fit in no field; templates and replacements stop there. */
export const longestText = 1_000_000;

/** Names of values in MongoDB's Extended JSON. */
const wrapped = ['$oid', '$date', '$numberLong', '$numberInt', '$numberDouble', '$numberDecimal', '$uuid'];

/** The empty text for what is absent. An object rejects the record: it is not a text, and dropping it would lose something. */
export function textOf(value: unknown, scope: Scope, place: string): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return numberText(value, scope, place);
  if (Array.isArray(value)) return textOf(value[0], scope, place);
  if (isObject(value)) {
    const key = wrapped.find((name) => Object.hasOwn(value, name));
    if (key !== undefined) return textOf(value[key], scope, place);
    if (Object.keys(value).length === 0) return '';
  }
  scope.problems.push(`${place} is not a text`);
  return '';
}

/** A JSON reader has rounded larger numbers already. */
function numberText(value: number, scope: Scope, place: string): string {
  if (!Number.isSafeInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    scope.problems.push(`${place} is a number too large to be exact; export it as text`);
    return '';
  }
  return String(value);
}

/** `1.08235E+20`: a spreadsheet has rounded it, and two users may have the same one now. */
export function isRounded(text: string): boolean {
  return /^\d(?:[.,]\d+)?E\+?\d{1,3}$/i.test(text);
}
