/** The lines that `idport actions listen` shows of a webhook call. */
import { printable } from '../lib/printable.ts';

/** A call as it is printed, as text or JSON; secrets of its payload are masked. */
export interface ShownCall {
  readonly number: number;
  /** RFC 3339. */
  readonly receivedAt: string;
  readonly path: string;
  /** Undefined where signatures are not checked. */
  readonly verified: boolean | undefined;
  /** Why the call was refused: a code of docs/webhooks.md. */
  readonly reason: string | undefined;
  /** One sentence about the signature. */
  readonly signature: string;
  /** request, response, function, event or unknown. */
  readonly kind: string;
  /** The method, function or event. */
  readonly name: string;
  readonly userId: string;
  readonly orgId: string;
  readonly instanceId: string;
  readonly payloadType: string;
  readonly payload: unknown;
  readonly tokenHeader: unknown;
  readonly bytes: number;
  readonly status: number;
  readonly forwarded: string | undefined;
  readonly recorded: string | undefined;
}

/** Longer payloads are cut. */
const payloadLines = 60;

export function formatCall(call: ShownCall): string[] {
  const who = [
    call.userId === '' ? '' : `user ${call.userId}`,
    call.orgId === '' ? '' : `organization ${call.orgId}`,
    call.instanceId === '' ? '' : `instance ${call.instanceId}`,
  ].filter((part) => part !== '');
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

function formatPayload({ payload, payloadType, tokenHeader, bytes }: ShownCall): string[] {
  const token =
    tokenHeader === undefined ? [] : [`${payloadType.toUpperCase()} ${JSON.stringify(tokenHeader)}`];
  if (payload === undefined) return bytes === 0 ? token : [...token, `${bytes} bytes that are not shown`];
  const lines = [...token, ...JSON.stringify(payload, undefined, 2).split('\n')];
  if (lines.length <= payloadLines) return lines;
  const rest = lines.length - payloadLines;
  return [...lines.slice(0, payloadLines), `... and ${rest} more lines`];
}
