/** Prepares a received or saved call and the result of its check for output, without secrets. */
import type { ReceivedCall } from '../../flows/actions/listen.ts';
import { redact } from '../../lib/redact.ts';
import type { ShownCall } from '../../terminal/calls.ts';
import type { WebhookCall } from '../../webhooks/call.ts';

export function showCall(call: ReceivedCall, forwardTo: string | undefined): ShownCall {
  return {
    number: call.number,
    receivedAt: new Date(call.receivedAt).toISOString(),
    path: call.path,
    ...showVerdict(call.verdict),
    ...showContent(call.content),
    status: call.status,
    forwarded: describeForward(call, forwardTo),
    recorded: describeRecord(call),
  };
}

export function showVerdict(verdict: ReceivedCall['verdict']) {
  if (verdict === 'unchecked') {
    return { verified: undefined, reason: undefined, signature: 'signature not checked: no key was given' };
  }
  if (!verdict.ok) {
    const { reason, message } = verdict;
    return { verified: false, reason, signature: `REFUSED (${reason}): ${message}` };
  }
  const { age, keyIndex } = verdict;
  const key = keyIndex === 0 ? '' : `, with key ${keyIndex + 1}`;
  return { verified: true, reason: undefined, signature: `signature good, ${describeAge(age)}${key}` };
}

export function showContent(content: WebhookCall | undefined) {
  return {
    kind: content?.kind ?? 'unknown',
    name: content?.name ?? '',
    userId: content?.userId ?? '',
    orgId: content?.orgId ?? '',
    instanceId: content?.instanceId ?? '',
    payloadType: content?.payloadType ?? 'unknown',
    payload: redact(content?.payload),
    tokenHeader: redact(content?.tokenHeader),
    bytes: content?.body.length ?? 0,
  };
}

/** Signing times are whole seconds, so a call may seem to come up to a second before it is sent. */
function describeAge(age: number): string {
  const seconds = Math.round(age);
  return seconds < 0 ? `${-seconds} s ahead of this clock` : `${seconds} s old`;
}

function describeForward(
  { forwardProblem, verdict }: ReceivedCall,
  to: string | undefined,
): string | undefined {
  if (to === undefined) return undefined;
  if (verdict !== 'unchecked' && !verdict.ok) return 'not forwarded';
  return forwardProblem === undefined ? `by ${to}` : `${to}: ${forwardProblem}`;
}

function describeRecord({ recordedAs, recordProblem }: ReceivedCall): string | undefined {
  if (recordProblem !== undefined) return `NOT RECORDED: ${recordProblem}`;
  return recordedAs === undefined ? undefined : `recorded in ${recordedAs}`;
}
