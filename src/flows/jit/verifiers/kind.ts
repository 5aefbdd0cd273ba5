/** What a kind of verifier is: the schema of its settings, and how it is opened with them. */
import { z } from 'zod';
import type { LoginAttempt, Verifier } from '../verifier.ts';

export type OpenVerifier = Omit<Verifier, 'name'>;

/** Opens a verifier with settings from a file; the error says what is wrong with them. */
export type VerifierKind = (settings: unknown) => OpenVerifier | z.ZodError;

export function verifierKind<Settings>(
  schema: z.ZodType<Settings>,
  open: (settings: Settings) => OpenVerifier,
): VerifierKind {
  return (settings) => {
    const parsed = schema.safeParse(settings);
    return parsed.success ? open(parsed.data) : parsed.error;
  };
}

/** Which name of the user the old system knows. */
export const nameForms = z.enum(['userName', 'loginName', 'email']).default('userName');

export function nameOf(attempt: LoginAttempt, form: z.output<typeof nameForms>): string {
  return attempt[form];
}
