/** What the target asks of a password in plain text. The client checks with it before sending, the reference server after. */
import { formatCounted } from '../lib/format.ts';

export interface PasswordPolicy {
  /** In bytes; a number as text, as the service has it. */
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

/** The first one, in the order of the service. */
export function findWeakness(policy: PasswordPolicy, password: string): Weakness | undefined {
  if (Buffer.byteLength(password) < Number(policy.minLength)) return 'MinLength';
  return classes.find(([name, pattern]) => policy[name] && !pattern.test(password))?.[2];
}

/**
 * The target hashes passwords with bcrypt by default, which refuses more bytes. A hash of a longer password is accepted;
 * the first login then fails, because the target cannot hash the password again.
 */
export const maxPasswordBytes = 72;

/** A hash does not show the length of its password. */
export const unknownLengths = (hashes: number): string =>
  `The first login with a password over ${maxPasswordBytes} bytes fails with a 500, and the user needs a new one. ` +
  `${formatCounted(hashes, 'password hash does', 'password hashes do')} not show how long the password is.`;

export const isTooLong = (password: string): boolean => Buffer.byteLength(password) > maxPasswordBytes;
