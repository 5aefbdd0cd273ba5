/** `idport actions listen`: opens a port and shows every call that arrives, until it is stopped. */
import { note, warning } from '../../events.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ExitCode } from '../../errors.ts';
import { createForwarder, listen, type ReceivedCall } from '../../flows/actions/listen.ts';
import { createRecorder } from '../../flows/actions/recordings.ts';
import { readSigningKeys } from '../../flows/actions/signing-keys.ts';
import { isLoopback } from '../../lib/private-address.ts';
import { printable } from '../../lib/format.ts';
import { print } from '../../storage/stream-sink.ts';
import { createReplayGuard } from '../../webhooks/replays.ts';
import type { ListenFlags } from '../../flags/actions.ts';
import type { CommandContext } from '../context.ts';
import { formatCall, showCall } from './show-call.ts';

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
