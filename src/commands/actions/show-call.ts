/** Shows a received or saved call and the result of its check, as JSON or as lines, without secrets. */
import type { ReceivedCall } from '../../flows/actions/listen.ts';
import { printable } from '../../lib/format.ts';
import { redact } from '../../lib/redact.ts';
import type { WebhookCall } from '../../webhooks/call.ts';

/** A call as printed in JSON. `formatCall` turns it into lines. */
type ShownCall = ReturnType<typeof showCall>;

export function showCall(call: ReceivedCall, forwardTo: string | undefined) {
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

function showContent(content: WebhookCall | undefined) {
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

/** Describes an age in seconds. Signing times are whole seconds, so a call may seem to arrive up to a second early. */
function describeAge(age: number) {
  const seconds = Math.round(age);
  return seconds < 0 ? `${-seconds} s ahead of this clock` : `${seconds} s old`;
}

function describeForward({ forwardProblem, verdict }: ReceivedCall, to: string | undefined) {
  if (to === undefined) return undefined;
  if (verdict !== 'unchecked' && !verdict.ok) return 'not forwarded';
  return forwardProblem === undefined ? `by ${to}` : `${to}: ${forwardProblem}`;
}

function describeRecord({ recordedAs, recordProblem }: ReceivedCall) {
  if (recordProblem !== undefined) return `NOT RECORDED: ${recordProblem}`;
  return recordedAs === undefined ? undefined : `recorded in ${recordedAs}`;
}

/** Maximum number of lines of a payload. Longer payloads are cut. */
const payloadLines = 60;

export function formatCall(call: ShownCall) {
  const who = [
    call.userId && `user ${call.userId}`,
    call.orgId && `organization ${call.orgId}`,
    call.instanceId && `instance ${call.instanceId}`,
  ].filter(Boolean);
  const what = call.name === '' ? 'a call that says no method' : `${call.kind} ${call.name}`;
  return [
    `#${call.number} ${call.receivedAt} ${what}`,
    ...(who.length === 0 ? [] : [`   ${who.join(', ')}`]),
    `   ${call.signature}`,
    `   answered ${call.status}${call.forwarded === undefined ? '' : ` (${call.forwarded})`}`,
    ...(call.recorded === undefined ? [] : [`   ${call.recorded}`]),
    ...formatPayload(call).map((line) => `   ${line}`),
  ].map(printable);
}

function formatPayload({ payload, payloadType, tokenHeader, bytes }: ShownCall) {
  const token =
    tokenHeader === undefined ? [] : [`${payloadType.toUpperCase()} ${JSON.stringify(tokenHeader)}`];
  if (payload === undefined) return bytes === 0 ? token : [...token, `${bytes} bytes that are not shown`];
  const lines = [...token, ...JSON.stringify(payload, undefined, 2).split('\n')];
  if (lines.length <= payloadLines) return lines;
  const rest = lines.length - payloadLines;
  return [...lines.slice(0, payloadLines), `... and ${rest} more lines`];
}
