/** `idport actions listen`: shows calls without secrets as they arrive. */
import { ExitCode } from '../../errors.ts';
import { warning, note } from '../../events.ts';
import type { listenFlags } from '../../flags/actions.ts';
import { createForwarder, listen, type ReceivedCall } from '../../flows/actions/listen.ts';
import { createRecorder } from '../../flows/actions/recordings.ts';
import { readSigningKeys } from '../../flows/actions/signing-keys.ts';
import { print } from '../../storage/stream-sink.ts';
import type { Action } from '../context.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isLoopback } from '../../lib/private-address.ts';
import { printable } from '../../lib/format.ts';
import { createReplayGuard } from '../../webhooks/replays.ts';
import { redact } from '../../lib/redact.ts';
import type { WebhookCall } from '../../webhooks/call.ts';

/** Resolves to `differs` if a call was refused, so that a test run fails. */
export const listenForCalls: Action<typeof listenFlags> = async (options, context) => {
  const { clock, cwd, stdout } = context;
  const { forwardTo, calls: most = Infinity, signingKeyFile: keyFiles = [], port } = options;
  const enough = new AbortController();
  let printing = Promise.resolve();
  let seen = 0;
  let refused = 0;
  /** Prints a text. Stops listening once nothing reads standard output. */
  const show = (text: string) => {
    printing = printing.then(() => print(stdout, text));
    printing.catch(() => enough.abort());
  };
  const onCall = (call: ReceivedCall) => {
    if (seen >= most) return;
    seen += 1;
    const shown = showCall(call, forwardTo?.href);
    if (shown.verified === false) refused += 1;
    const text =
      options.format === 'json'
        ? printable(JSON.stringify({ type: 'call', ...shown }))
        : `${formatCall(shown).join('\n')}\n`;
    show(`${text}\n`);
    if (seen >= most) enough.abort();
  };

  const forward = forwardTo && createForwarder(forwardTo);
  const listener = await listen({
    host: options.host,
    port,
    keys: keyFiles.length === 0 ? undefined : () => readSigningKeys(keyFiles, cwd),
    replays: createReplayGuard(),
    forward,
    record: options.record === undefined ? undefined : await createRecorder(options.record, cwd),
    clock,
    signal: AbortSignal.any([context.signal, enough.signal]),
    onCall,
  });
  if (options.format === 'json') show(`${JSON.stringify({ type: 'listening', url: listener.url })}\n`);
  context.emit(note('listen:ready', `Listening on ${listener.url}`));
  if (keyFiles.length === 0) {
    const text = 'Without --signing-key-file, signatures are not checked and every call is accepted.';
    context.emit(warning('listen:unchecked', text));
  }
  for (const file of keyFiles.filter((path) => !existsSync(resolve(cwd, path)))) {
    const text = `${file} does not exist yet: every call is refused until it does.`;
    context.emit(warning('listen:no-key', text));
  }
  if (!isLoopback(options.host)) {
    const text = `Other machines can reach ${options.host}. They see responses, never payloads.`;
    context.emit(warning('listen:open', text));
  }
  await listener.stopped;
  await forward?.close();
  await printing;
  return refused === 0 ? ExitCode.done : ExitCode.differs;
};

/** A call as printed in JSON. `formatCall` turns it into lines. */
type ShownCall = ReturnType<typeof showCall>;

function showCall(call: ReceivedCall, forwardTo: string | undefined) {
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
    return { signature: 'signature not checked: no key was given' };
  }
  if (!verdict.ok) {
    const { reason, message } = verdict;
    return { verified: false, reason, signature: `REFUSED (${reason}): ${message}` };
  }
  const { age, keyIndex } = verdict;
  const key = keyIndex === 0 ? '' : `, with key ${keyIndex + 1}`;
  return { verified: true, signature: `signature good, ${describeAge(age)}${key}` };
}

function showContent({ payload, tokenHeader, body, ...call }: WebhookCall) {
  return { ...call, payload: redact(payload), tokenHeader: redact(tokenHeader), bytes: body.length };
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
