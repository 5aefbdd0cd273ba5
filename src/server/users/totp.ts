/** Time-based one-time passwords (RFC 6238) as the service checks them: SHA-1, six digits, thirty seconds. */
import { createHmac, timingSafeEqual } from 'node:crypto';

import type { ServerState } from '../context.ts';
import { refusal } from '../errors.ts';
import { decodeBase32 } from '../../lib/base32.ts';
import type { UserRow } from '../store/rows.ts';

/** Throws for a wrong code: failures are counted and may lock the user by the policy of the organization. */
export function checkTotp({ store, settings }: ServerState, checked: UserRow, code: string): void {
  // A check of the password may have changed the row meanwhile.
  const user = store.users.get(checked.id) ?? checked;
  const { otpSecret, failedCodes = 0, ...more } = user.more ?? {};
  if (otpSecret === undefined) throw refusal('COMMAND-3Mif9s');
  if (user.status === 'locked') throw refusal('COMMAND-SF3fg');
  const sequence = user.sequence + 1;
  if (verifyTotp(otpSecret, code, settings.clock.now())) {
    if (failedCodes > 0) store.users.put({ ...user, more: { ...more, otpSecret }, sequence });
    return;
  }
  const most = store.orgs.get(user.orgId)?.lockoutPolicy?.maxOtpAttempts ?? 0;
  const status = most > 0 && failedCodes + 1 >= most ? 'locked' : user.status;
  store.users.put({ ...user, status, more: { ...more, otpSecret, failedCodes: failedCodes + 1 }, sequence });
  throw refusal('EVENT-8isk2');
}

const step = 30_000;

/** True for the code of now, of the step before and of the step after. */
function verifyTotp(secret: string, code: string, now: number): boolean {
  const key = decodeBase32(secret);
  if (key === undefined) return false;
  const given = Buffer.from(code);
  return [-1, 0, 1].some((offset) => {
    const expected = Buffer.from(totpCode(key, Math.floor(now / step) + offset));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function totpCode(key: Uint8Array, counter: number): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', key).update(message).digest();
  const number = mac.readUInt32BE(mac[19]! & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}
