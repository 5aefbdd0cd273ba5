/** Hashes plain passwords with bcrypt. */
import { randomBytes } from 'node:crypto';

/** Lowest cost that the target accepts. The target hashes again with its own cost at the first login. */
const cost = 10;

/** Passwords longer than `maxPasswordBytes` are refused earlier. */
export async function hashPassword(text: string) {
  const { bcrypt } = await import('hash-wasm');
  const password = Buffer.from(text, 'utf8');
  const hash = await bcrypt({ password, salt: randomBytes(16), costFactor: cost, outputType: 'encoded' });
  return hash.replace(/^\$2a\$/, '$2b$');
}
