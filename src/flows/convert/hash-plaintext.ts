/** Hashes passwords in plain text with bcrypt. */
import { randomBytes } from 'node:crypto';

/** The lowest cost that the target accepts; it hashes again with its own cost at the first login. */
const cost = 10;

/** Longer ones than `maxPasswordBytes` are refused before. */
export async function hashPassword(text: string): Promise<string> {
  const { bcrypt } = await import('hash-wasm');
  const password = Buffer.from(text, 'utf8');
  const hash = await bcrypt({ password, salt: randomBytes(16), costFactor: cost, outputType: 'encoded' });
  return hash.replace(/^\$2a\$/, '$2b$');
}
