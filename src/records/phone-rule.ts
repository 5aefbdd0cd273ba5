/** What becomes of phone numbers that are not verified, to which the service would send an SMS: `--phone`. */
import type { UserRecord } from './user.ts';

export type PhoneRule = 'keep' | 'assume-verified' | 'drop';

export function applyPhoneRule(user: UserRecord, rule: PhoneRule): void {
  if (rule === 'keep' || user.phone === '' || user.phoneVerified) return;
  if (rule === 'assume-verified') {
    user.phoneVerified = true;
    return;
  }
  user.phone = '';
  user.notes.push({ code: 'phone:left-out' });
}
