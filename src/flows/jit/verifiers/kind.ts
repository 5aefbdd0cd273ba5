/** Defines a kind of verifier: the schema of its settings, and how to open it. The kind `http` asks an endpoint of the operator. */
import { z } from 'zod';
import { type Environment, createProxyAgent } from '../../../api/connection.ts';
import { type LoginAttempt, type Verifier, type Verdict, VerifierError } from '../verifier.ts';
import { Agent, request } from 'undici';
import { type JsonObject, parseObject } from '../../../lib/json-value.ts';
import type { Clock } from '../../../lib/clock.ts';
import { signatureHeader, signBody } from '../../../wire/signature.ts';

type OpenVerifier = Omit<Verifier, 'name'>;

/** Opens a verifier with settings from a file, or returns what is wrong with them. `env` may name a proxy. */
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

/** A text that must not be empty. */
export const someText = z.string().min(1);

/** The name by which the old system knows the user. */
export const nameForms = z.enum(['userName', 'loginName', 'email']).default('userName');

/**
 * Returns the user's name, or an empty text if an old system may normalize it to another one: full-width letters, invisible
 * characters, repeated spaces. Otherwise a user with a lookalike name could guess another user's password.
 */
export function nameOf(attempt: LoginAttempt, form: z.output<typeof nameForms>) {
  const name = attempt[form];
  const prepared = name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
    .replaceAll(/\s+/g, ' ');
  return prepared.normalize('NFKC') === name.normalize('NFC') ? name : '';
}

interface JsonKind<Settings> {
  /** URL of the requests. They use the proxy of the environment, as requests to the service do. */
  readonly url: (settings: Settings) => string;
  /** The user's name at the old system. If empty, the system is not asked. */
  readonly name: (attempt: LoginAttempt, settings: Settings) => string;
  readonly request: (
    settings: Settings,
    login: LoginAttempt & { readonly name: string },
  ) => { readonly headers: Readonly<Record<string, string>>; readonly body: string };
  /** `json` is empty if the body is not a JSON object. Throws `VerifierError`. */
  readonly verdict: (status: number, json: JsonObject) => Verdict;
}

const mostResponseBytes = 256 * 1024;

export const jsonVerifier = <Settings>(schema: z.ZodType<Settings>, kind: JsonKind<Settings>): VerifierKind =>
  verifierKind(schema, (settings, env) => {
    const url = kind.url(settings);
    const options = { connections: 32, maxResponseSize: mostResponseBytes };
    const dispatcher = createProxyAgent(url, env, options) ?? new Agent(options);
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

/** Error for an answer that does not tell. Of its text it contains only what is certainly a code. */
export const answered = (status: number, code: unknown = '') =>
  new VerifierError(
    `it answered with status ${status}${typeof code === 'string' && /^\w{1,60}$/.test(code) ? ` ${code}` : ''}`,
  );

const settings = z.strictObject({
  url: z.url(),
  /** Signs the call as the service signs its calls, so that the same code can verify it. */
  signingKey: z.string().min(16),
});

const answerSchema = z.object({ result: z.enum(['right', 'expired', 'wrong', 'unknown']) });

export const http = (clock: Clock): VerifierKind =>
  jsonVerifier(settings, {
    url: ({ url }) => url,
    name: ({ userId }) => userId,
    request({ signingKey }, { userId, userName, loginName, email, password }) {
      const body = JSON.stringify({ userId, userName, loginName, email, password });
      const signature = signBody(body, signingKey, clock.now() / 1000);
      return { headers: { 'content-type': 'application/json', [signatureHeader]: signature }, body };
    },
    verdict(status, json) {
      const answer = answerSchema.safeParse(json).data;
      if (status === 200 && answer !== undefined) return answer.result;
      throw new VerifierError(`it answered with status ${status} and no result`);
    },
  });
