/** A person whose source holds the password in plain text in, the same person with a bcrypt hash of it out. */
import { randomBytes } from 'node:crypto';
import type { UserRecord } from '../../records/user.ts';

/** The lowest cost that the target accepts; it hashes again with its own at the first login. */
const cost = 10;
/** bcrypt looks at no more, on either side. */
const maxBytes = 72;

export async function hashPlaintext(user: UserRecord): Promise<UserRecord> {
  const { bcrypt } = await import('hash-wasm');
  const password = Buffer.from(user.plainPassword, 'utf8').subarray(0, maxBytes);
  const hash = await bcrypt({ password, salt: randomBytes(16), costFactor: cost, outputType: 'encoded' });
  return { ...user, plainPassword: '', passwordHash: hash.replace(/^\$2a\$/, '$2b$') };
}
