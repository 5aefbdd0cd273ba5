/** What a kind of verifier is: the schema of its settings, and how it is opened with them. */
import { z } from 'zod';
import { type Environment, createProxyAgent } from '../../../api/connection.ts';
import { type LoginAttempt, type Verifier, type Verdict, VerifierError } from '../verifier.ts';
import { Agent, request } from 'undici';
import { type JsonObject, parseObject } from '../../../lib/json-value.ts';

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

/** A setting that must not be empty. */
export const someText = z.string().min(1);

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

interface JsonKind<Settings> {
  /** Where the requests go; through the proxy that the environment names, as those to the service. */
  readonly url: (settings: Settings) => string;
  /** As the old system knows the user; for an empty one it is not asked. */
  readonly name: (attempt: LoginAttempt, settings: Settings) => string;
  readonly request: (
    settings: Settings,
    login: LoginAttempt & { readonly name: string },
  ) => { readonly headers: Readonly<Record<string, string>>; readonly body: string };
  /** `json` is empty where the body is no object. Throws `VerifierError`. */
  readonly verdict: (status: number, json: JsonObject) => Verdict;
}

const mostResponseBytes = 256 * 1024;

export const jsonVerifier = <Settings>(schema: z.ZodType<Settings>, kind: JsonKind<Settings>): VerifierKind =>
  verifierKind(schema, (settings, env) => {
    const url = kind.url(settings);
    const options = { connections: 32, maxResponseSize: mostResponseBytes };
    const dispatcher = createProxyAgent({ url, env, agent: options, tls: {} }) ?? new Agent(options);
    return {
      async check(attempt, signal) {
        const name = kind.name(attempt, settings);
        if (name === '') return 'unknown';
        const call = kind.request(settings, { ...attempt, name });
        const answer = await request(url, { method: 'POST', ...call, signal, dispatcher });
        const json = parseObject(await answer.body.text());
        if (answer.statusCode >= 500) throw answered(answer.statusCode);
        return kind.verdict(answer.statusCode, json);
      },
      close: () => dispatcher.close(),
    };
  });

/** An answer that does not tell; of its text only what is surely a code. */
export const answered = (status: number, code: unknown = ''): VerifierError =>
  new VerifierError(
    `it answered with status ${status}${typeof code === 'string' && /^\w{1,60}$/.test(code) ? ` ${code}` : ''}`,
  );
