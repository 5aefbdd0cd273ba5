/** A verifier that asks with one request: short, without redirects, and with a bounded response. */
import type { z } from 'zod';
import { Agent, request } from 'undici';
import { createProxyAgent } from '../../../api/connection.ts';
import { type JsonObject, parseObject } from '../../../lib/json-value.ts';
import { type LoginAttempt, type Verdict, VerifierError } from '../verifier.ts';
import { type VerifierKind, verifierKind } from './kind.ts';

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
