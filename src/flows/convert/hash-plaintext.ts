/** Replaces the plain password of a user by a bcrypt hash. */
import { randomBytes } from 'node:crypto';
import type { UserRecord } from '../../records/user.ts';

/** The lowest cost that the target accepts; it hashes again with its own cost at the first login. */
const cost = 10;

export async function hashPlaintext(user: UserRecord): Promise<UserRecord> {
  return withHash(user, await hashPassword(user.plainPassword));
}

export function withHash(user: UserRecord, passwordHash: string): UserRecord {
  return { ...user, plainPassword: '', passwordHash };
}

/** Longer ones than `maxPasswordBytes` are refused before. */
export async function hashPassword(text: string): Promise<string> {
  const { bcrypt } = await import('hash-wasm');
  const password = Buffer.from(text, 'utf8');
  const hash = await bcrypt({ password, salt: randomBytes(16), costFactor: cost, outputType: 'encoded' });
  return hash.replace(/^\$2a\$/, '$2b$');
}
