/**
 * The target's rules for plain text passwords. The client checks them before sending, the reference server after
 * receiving.
 */
import { formatCounted } from '../lib/format.ts';

export interface PasswordPolicy {
  /** In bytes. May be a numeric string, as the service sends it. */
  readonly minLength: string | number;
  readonly hasLowercase: boolean;
  readonly hasUppercase: boolean;
  readonly hasNumber: boolean;
  readonly hasSymbol: boolean;
}

export type Weakness = 'MinLength' | 'HasLower' | 'HasUpper' | 'HasNumber' | 'HasSymbol';

const classes = [
  ['hasLowercase', /[a-z]/, 'HasLower'],
  ['hasUppercase', /[A-Z]/, 'HasUpper'],
  ['hasNumber', /[0-9]/, 'HasNumber'],
  ['hasSymbol', /[^A-Za-z0-9]/, 'HasSymbol'],
] as const;

/** Returns the first weakness in the service's order. */
export function findWeakness(policy: PasswordPolicy, password: string): Weakness | undefined {
  if (Buffer.byteLength(password) < Number(policy.minLength)) return 'MinLength';
  return classes.find(([name, pattern]) => policy[name] && !pattern.test(password))?.[2];
}

/**
 * By default, the target hashes passwords with bcrypt, which refuses more bytes. A hash of a longer password is
 * accepted, but the first login fails, because the target cannot hash the password again.
 */
export const maxPasswordBytes = 72;

/** Returns a warning about hashes, which do not show the length of their password. */
export const unknownLengths = (hashes: number) =>
  `The first login with a password over ${maxPasswordBytes} bytes fails with a 500, and the user needs a new one. ${formatCounted(hashes, 'password hash does', 'password hashes do')} not show how long the password is.`;

export const isTooLong = (password: string) => Buffer.byteLength(password) > maxPasswordBytes;
