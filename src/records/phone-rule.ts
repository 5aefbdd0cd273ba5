/** What becomes of phone numbers that are not verified, to which the service would send an SMS: `--phone`. */
import type { UserRecord } from './user.ts';

export type PhoneRule = 'keep' | 'assume-verified' | 'drop';

export function applyPhoneRule(user: UserRecord, rule: PhoneRule): UserRecord {
  if (rule === 'keep' || user.phone === '' || user.phoneVerified) return user;
  if (rule === 'assume-verified') return { ...user, phoneVerified: true };
  return { ...user, phone: '', notes: [...user.notes, { code: 'phone:left-out' }] };
}
