/** `idport actions listen`, `verify`, `sign` and `replay`: show calls without secrets, as they arrive or from files. */
import { ExitCode, InputError, UsageError, messageOf } from '../../errors.ts';
import { warning, note } from '../../events.ts';
import type { ReplayFlags, SignFlags, VerifyCallFlags, ListenFlags } from '../../flags/actions.ts';
import { createForwarder, listen, type ReceivedCall } from '../../flows/actions/listen.ts';
import { listRecordings, nameOfRecording, createRecorder } from '../../flows/actions/recordings.ts';
import { readSigningKeys } from '../../flows/actions/signing-keys.ts';
import { print, printLine, printLines } from '../../storage/stream-sink.ts';
import { headerOf, parseSavedRequest, type SavedRequest } from '../../webhooks/saved-request.ts';
import { verifySignature } from '../../webhooks/verify.ts';
import { signatureHeader, signBody } from '../../wire/signature.ts';
import type { CommandContext } from '../context.ts';
import { readBytes, readFileOrStdin } from '../read-text.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isLoopback } from '../../lib/private-address.ts';
import { printable } from '../../lib/format.ts';
import { createReplayGuard } from '../../webhooks/replays.ts';
import { redact } from '../../lib/redact.ts';
import type { WebhookCall } from '../../webhooks/call.ts';

/** Measures the age of the call at the time when it was recorded, else now. */
export async function verifySavedCall(options: VerifyCallFlags, context: CommandContext) {
  const { clock, cwd, stdout } = context;
  const keys = await readSigningKeys(options.signingKeyFile, cwd);
  const saved = parseSavedRequest(await readFileOrStdin(options.file, context));
  if (saved === undefined) {
    throw new UsageError(
      `${options.file}: this is not a saved HTTP request`,
      'It is the request line, the headers, an empty line and the body, as actions listen --record saves it.',
    );
  }
  const { body, headers, receivedAt: now = clock.now() } = saved;
  const verdict = verifySignature({ body, header: headerOf(headers, signatureHeader), key: keys, now });
  const [declared] = headerOf(headers, 'content-length');
  const remark =
    declared === undefined || Number(declared) === body.length
      ? []
      : [`   the file holds a body of ${body.length} bytes, its Content-Length says ${declared}`];
  await printLines(stdout, [`${options.file}: ${showVerdict(verdict).signature}`, ...remark]);
  return verdict.ok ? ExitCode.done : ExitCode.differs;
}

/** Prints the whole header, so that `curl -H "$(idport actions sign ...)"` works. */
export async function signFile(options: SignFlags, context: CommandContext) {
  const { clock, cwd, stdout } = context;
  const keys = await readSigningKeys(options.signingKeyFile, cwd);
  const body = await readFileOrStdin(options.file, context);
  await print(stdout, `${signatureHeader}: ${signBody(body, keys, clock.now() / 1000)}\n`);
  return ExitCode.done;
}

/** Resolves to `rejected` if a call got no 2xx response. Throws `InputError` if a file is not a recorded call. */
export async function replayCalls(options: ReplayFlags, context: CommandContext) {
  const { clock, cwd, signal, stdout } = context;
  const keys =
    options.signingKeyFile === undefined ? undefined : await readSigningKeys(options.signingKeyFile, cwd);
  const paths = await listRecordings(options.path, cwd);
  if (paths.length === 0) throw new UsageError(`${options.path} has no recorded calls`);
  if (keys === undefined) {
    const text =
      'Without --signing-key-file the calls keep their old signatures, and receivers refuse old calls.';
    context.emit(warning('replay:old-signature', text));
  }
  const forward = createForwarder(options.to);
  let failed = 0;
  try {
    for (const path of paths) {
      signal.throwIfAborted();
      const saved = parseSavedRequest(readBytes(path, cwd));
      if (saved === undefined) throw new InputError('input:not-a-call', path, 'it is not a recorded call');
      const call = keys === undefined ? saved : signAgain(saved, keys, clock.now());
      const started = clock.monotonic();
      let status: number | undefined;
      let problem: string | undefined;
      try {
        ({ status } = await forward.send(call, signal));
      } catch (error) {
        signal.throwIfAborted();
        problem = messageOf(error);
      }
      const ms = Math.round(clock.monotonic() - started);
      if (status === undefined || status < 200 || status > 299) failed += 1;
      await printLine(stdout, `${status ?? '---'} ${nameOfRecording(path)} ${problem ?? `${ms} ms`}`);
    }
  } finally {
    await forward.close();
  }
  return failed === 0 ? ExitCode.done : ExitCode.rejected;
}

function signAgain(call: SavedRequest, keys: readonly string[], now: number): SavedRequest {
  const others = call.headers.filter(([name]) => name.toLowerCase() !== signatureHeader.toLowerCase());
  return { ...call, headers: [...others, [signatureHeader, signBody(call.body, keys, now / 1000)]] };
}

/** Resolves to `differs` if a call was refused, so that a test run fails. */
export async function listenForCalls(options: ListenFlags, context: CommandContext) {
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

  const forward = forwardTo === undefined ? undefined : createForwarder(forwardTo);
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
}

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

function showVerdict(verdict: ReceivedCall['verdict']) {
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
