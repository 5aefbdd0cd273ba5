/** One request to an old system: short, without redirects, and with a bounded response. */
import { Agent, request } from 'undici';
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

const mostResponseBytes = 256 * 1024;

export function createJsonSender(): JsonSender {
  const agent = new Agent({ connections: 32, maxResponseSize: mostResponseBytes });
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
