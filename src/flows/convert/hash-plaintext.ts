/** Replaces the plain password of a user by a bcrypt hash. */
import { randomBytes } from 'node:crypto';
import type { UserRecord } from '../../records/user.ts';

/** The lowest cost that the target accepts; it hashes again with its own cost at the first login. */
const cost = 10;
/** bcrypt ignores further bytes, here and at the login. */
const maxBytes = 72;

export async function hashPlaintext(user: UserRecord): Promise<UserRecord> {
  const { bcrypt } = await import('hash-wasm');
  const password = Buffer.from(user.plainPassword, 'utf8').subarray(0, maxBytes);
  const hash = await bcrypt({ password, salt: randomBytes(16), costFactor: cost, outputType: 'encoded' });
  return { ...user, plainPassword: '', passwordHash: hash.replace(/^\$2a\$/, '$2b$') };
}
