/** Plays a script of responses and failures as a `Send`, and logs what was sent and when. */
import type { Clock } from '../../src/lib/clock.ts';
import {
  NetworkFailure,
  type Stage,
  type ApiRequest,
  type ApiResponse,
  type Send,
} from '../../src/api/send.ts';

/** One response: a status, a body, headers; or a network failure; after `delay` milliseconds. */
export interface Step {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  fail?: Stage;
  delay?: number;
}

export interface Sent {
  readonly at: number;
  readonly request: ApiRequest;
}

/** The last step is played again and again. */
export function playScript(steps: readonly Step[], clock: Clock) {
  const sent: Sent[] = [];
  const send: Send = async (request) => {
    const step = steps[Math.min(sent.length, steps.length - 1)] ?? {};
    sent.push({ at: clock.monotonic(), request });
    if (step.delay !== undefined) await clock.sleep(step.delay);
    if (step.fail !== undefined) throw new NetworkFailure(step.fail, 'TEST', 'it broke', undefined);
    return toResponse(step);
  };
  return { send, sent };
}

export function toResponse({ status = 200, body = {}, headers = {} }: Step): ApiResponse {
  return { status, headers, text: typeof body === 'string' ? body : JSON.stringify(body) };
}

/** A refusal as the service words it. */
export function refusal(status: number, code: number, id: string, text: string): Step {
  const type = 'type.googleapis.com/zitadel.v1.ErrorDetail';
  return {
    status,
    body: { code, message: `${text} (${id})`, details: [{ '@type': type, id, message: text }] },
  };
}

export function aRequest(overrides: Partial<ApiRequest> = {}): ApiRequest {
  return {
    method: 'POST',
    url: 'https://id.example/management/v1/users/human/_import',
    headers: {},
    timeout: 1000,
    repeat: 'safe',
    ...overrides,
  };
}
