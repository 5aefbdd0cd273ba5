/** One request to an old system: short, without redirects, and with a bounded response. */
import { Agent, request } from 'undici';
import { createProxyAgent, type Environment } from '../../../api/proxy.ts';
import { tryParseJson } from '../../../lib/json-value.ts';
import { VerifierError } from '../verifier.ts';

export interface JsonAnswer {
  readonly status: number;
  /** Undefined where the body is no JSON. */
  readonly json: unknown;
}

export interface JsonSender {
  post(call: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly signal: AbortSignal;
  }): Promise<JsonAnswer>;
  close(): Promise<void>;
}

/** How long a proxy may take to connect (ms). */
const connectTimeout = 10_000;
const mostResponseBytes = 256 * 1024;

/** `base` is where the requests go; through the proxy that the environment names, as those to the service. */
export function createJsonSender(base: string, env: Environment): JsonSender {
  const options = { connections: 32, maxResponseSize: mostResponseBytes };
  const proxy = { url: base, env, agent: options, tls: {}, timeout: connectTimeout };
  const agent = createProxyAgent(proxy) ?? new Agent(options);
  return {
    async post({ url, headers, body, signal }) {
      const answer = await request(url, { method: 'POST', headers, body, signal, dispatcher: agent });
      const text = await answer.body.text();
      if (answer.statusCode >= 500) {
        throw new VerifierError(`it answered with status ${answer.statusCode}`);
      }
      return { status: answer.statusCode, json: tryParseJson(text) };
    },
    close: () => agent.close(),
  };
}
