/** What a kind of verifier is: the schema of its settings, and how it is opened with them. */
import { z } from 'zod';
import type { Environment } from '../../../api/connection.ts';
import type { LoginAttempt, Verifier } from '../verifier.ts';

export type OpenVerifier = Omit<Verifier, 'name'>;

/** Opens a verifier with settings from a file; the error says what is wrong with them. `env` may name a proxy. */
export type VerifierKind = (settings: unknown, env?: Environment) => Promise<OpenVerifier | z.ZodError>;

export function verifierKind<Settings>(
  schema: z.ZodType<Settings>,
  open: (settings: Settings, env: Environment) => OpenVerifier | Promise<OpenVerifier>,
): VerifierKind {
  return async (settings, env = {}) => {
    const parsed = schema.safeParse(settings);
    return parsed.success ? open(parsed.data, env) : parsed.error;
  };
}

/** Which name of the user the old system knows. */
export const nameForms = z.enum(['userName', 'loginName', 'email']).default('userName');

/**
 * Empty for a name that an old system may read as another: full-width letters as plain ones, no invisible characters, two
 * spaces as one. Otherwise a user with a lookalike name could guess the password of another.
 */
export function nameOf(attempt: LoginAttempt, form: z.output<typeof nameForms>): string {
  const name = attempt[form];
  const prepared = name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
    .replaceAll(/\s+/g, ' ');
  return prepared.normalize('NFKC') === name.normalize('NFC') ? name : '';
}
