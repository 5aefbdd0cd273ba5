/** Writes a rejected record as a line of the rejects file: fix the line and convert that file. */
import type { Rejected } from './user.ts';

/** The one key that is added to a record; every reader ignores it. */
export const rejectedKey = 'idport:rejected';

/**
 * The source's own record with one more key in front, as JSON without a line break. What is not an object is
 * under `raw` inside that key, since it cannot carry one. The line holds whatever secrets the record holds.
 */
export function encodeRejected(
  { origin, code, detail }: Pick<Rejected, 'origin' | 'code' | 'detail'>,
  raw: unknown,
): string {
  const reason = { code, detail, input: origin.input, index: origin.index };
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return JSON.stringify({ [rejectedKey]: { ...reason, raw } });
  }
  const { [rejectedKey]: _, ...record } = raw as Record<string, unknown>;
  return JSON.stringify({ [rejectedKey]: reason, ...record });
}
