/** Checks by its first record that a file was given with the right flag. */
import { InputError } from '../../errors.ts';
import { isObject } from '../../lib/json-value.ts';

/** In the words of the flags: `--users`, `--passwords`, `--mfa`. */
export type RecordKind = 'users' | 'passwords' | 'mfa';

const nouns: Readonly<Record<RecordKind, string>> = {
  users: 'users',
  passwords: 'lines of the password export',
  mfa: 'lines of the multi-factor export',
};

/** A record that shows nothing, a broken one for instance, is left to the reader. */
export function expectKind(input: string, first: unknown, expected: RecordKind): void {
  const found = kindOf(first);
  if (found === undefined || found === expected) return;
  throw new InputError('input:wrong-file', input, `it holds ${nouns[found]}, not ${nouns[expected]}`, {
    hint: `Give this file with --${found}.`,
  });
}

function kindOf(value: unknown): RecordKind | undefined {
  if (!isObject(value)) return undefined;
  if ('passwordHash' in value && !('user_id' in value)) return 'passwords';
  if ('user_id' in value && 'type' in value && !('email' in value)) return 'mfa';
  return 'user_id' in value || 'identities' in value ? 'users' : undefined;
}
