/** Writes a rejected record as a line of the rejects file, which can be fixed and converted. */
import type { Rejected } from './user.ts';

/** The one key that is added to a record. Every reader ignores it. */
export const rejectedKey = 'idport:rejected';

/**
 * Returns the source's record with one more key in front, as JSON without line breaks. A value that is not an object is
 * stored under `raw` inside that key. The line contains any secrets that the record contains.
 */
export function encodeRejected(
  { origin, code, detail }: Pick<Rejected, 'origin' | 'code' | 'detail'>,
  raw: unknown,
) {
  const reason = { code, detail, input: origin.input, index: origin.index };
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return JSON.stringify({ [rejectedKey]: { ...reason, raw } });
  }
  const { [rejectedKey]: _, ...record } = raw as Record<string, unknown>;
  return JSON.stringify({ [rejectedKey]: reason, ...record });
}
