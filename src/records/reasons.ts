/**
 * All reason codes in one table, with the same words in reports, events and docs/reasons.md. Codes are stable. A code
 * that starts with `user-skipped:`, `record:` or `target:` rejects the record. All others are notes.
 */
import { credentials } from './reasons/credentials.ts';
import { imports } from './reasons/imports.ts';
import { userNotes } from './reasons/users.ts';
import type { Reason } from './reasons/reason.ts';
import { rejections } from './reasons/rejections.ts';

export type { Reason } from './reasons/reason.ts';

export const reasons = {
  ...rejections,
  ...credentials,
  ...userNotes,
  ...imports,
} as const satisfies Record<string, Reason>;

export type ReasonCode = keyof typeof reasons;
