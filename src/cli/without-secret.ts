/** Knows which values of flags are secrets: what shows a value, or keeps it in a journal, asks here. */
import { mask, redact } from '../lib/redact.ts';

/** Flags whose value is a secret, whatever it looks like. */
const secret: ReadonlySet<string> = new Set(['token', 'password']);

/** `-` says that it is read from standard input. Of other flags, passwords in addresses and the like are masked. */
export function withoutSecret(flag: string, value: unknown): unknown {
  return secret.has(flag) && value !== '-' ? mask : redact(value);
}
