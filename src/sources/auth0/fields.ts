/** Reads the loosely typed fields of an export; an unreadable field is added to the problems by name. */
import { type JsonObject, readJsonId } from '../../lib/json-value.ts';

/** What `--metadata all` carries besides. */
export const facts = [
  'created_at',
  'updated_at',
  'last_login',
  'last_password_reset',
  'logins_count',
] as const;

/** Absent and null are the empty text; a number is its digits, because ids come in both forms. */
export function readText(source: JsonObject, field: string, problems: string[]): string {
  const text = readJsonId(source[field] ?? '');
  if (text !== undefined) return text;
  problems.push(`${field} is neither a text nor an integer below 2^53`);
  return '';
}

/** Absent, null and the empty text of a CSV are undefined. */
export function readFlag(source: JsonObject, field: string, problems: string[]): boolean | undefined {
  const value = source[field];
  if (typeof value === 'boolean') return value;
  if (value === undefined || value === null || value === '') return undefined;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (word === 'true') return true;
  if (word === 'false') return false;
  problems.push(`${field} is neither true nor false`);
  return undefined;
}
