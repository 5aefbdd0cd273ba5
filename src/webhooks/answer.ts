/** The responses of a webhook receiver: status, headers and body for a refusal or a result. */
import { bodyProblems } from './body.ts';
import { replayProblems } from './replays.ts';
import { refusals, type Refused } from './verify.ts';

/** Why a call was not taken. */
export const webhookProblems = [...refusals, ...replayProblems, ...bodyProblems, 'wrong-method'] as const;
export type WebhookProblem = (typeof webhookProblems)[number];

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const wrongMethod: Refused<WebhookProblem> = {
  ok: false,
  reason: 'wrong-method',
  message: 'this is a webhook receiver: it takes POST only',
};

/** All refusals but these give 500, as the service's example receiver does. */
const statusOf: Partial<Record<WebhookProblem, number>> = { 'too-large': 413, 'wrong-method': 405 };

export function answerRefusal({ reason, message }: Refused<WebhookProblem>): Answer {
  const answer = answerJson(statusOf[reason] ?? 500, { reason, message });
  if (reason !== 'wrong-method') return answer;
  return { ...answer, headers: { ...answer.headers, allow: 'POST' } };
}

export function answerJson(status: number, value: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
