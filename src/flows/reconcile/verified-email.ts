/** Verified addresses of users without a password: they arrive unverified, and one more call sets them. */
import type { Call } from '../../api/client.ts';
import { note, type NoticeEvent } from '../../events.ts';
import { formatCounted } from '../../lib/quantity.ts';

/** `leave` them unverified until the user answers the initialization email, or set them to `verified`. */
export type EmailAfter = 'leave' | 'verified';

export function verifyEmailCall(org: string, id: string, email: string): Call {
  const path = `/v2/users/human/${encodeURIComponent(id)}`;
  return { method: 'PUT', path, org, body: { email: { email, isVerified: true } } };
}

export function leftUnverified(count: number): NoticeEvent {
  const one = count === 1;
  const text =
    `${formatCounted(count, 'user')} with a verified email address ${one ? 'has' : 'have'} no password: the service has the ` +
    `${one ? 'address' : 'addresses'} as unverified until its initialization email is answered. --email-after verified sets ` +
    `${one ? 'it' : 'them'} to verified.`;
  return note('email:unverified', text);
}
