/** `idport actions replay`: sends recorded calls again, one after the other, and shows the response to each. */
import { warning } from '../../events.ts';
import { ExitCode, InputError, UsageError } from '../../errors.ts';
import { createForwarder } from '../../flows/actions/forward.ts';
import { listRecordings, nameOfRecording } from '../../flows/actions/recordings.ts';
import { readSigningKeys } from '../../flows/actions/signing-keys.ts';
import { printLine } from '../../storage/stream-sink.ts';
import { parseSavedRequest, type SavedRequest } from '../../webhooks/saved-request.ts';
import { signatureHeader, signBody } from '../../wire/signature.ts';
import type { ReplayFlags } from '../../flags/actions.ts';
import type { CommandContext } from '../context.ts';
import { readBytes } from '../read-text.ts';

/** Resolves to `rejected` if a call got no 2xx response. Throws `InputError` for a file that is no recorded call. */
export async function replayCalls(options: ReplayFlags, context: CommandContext): Promise<ExitCode> {
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
  const forward = createForwarder(options.to, options.timeout);
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
        problem = error instanceof Error ? error.message : String(error);
      }
      const ms = Math.round(clock.monotonic() - started);
      if (status === undefined || status < 200 || status > 299) failed += 1;
      const line =
        options.format === 'json'
          ? JSON.stringify({ type: 'replayed', path, status, problem, ms })
          : `${status ?? '---'} ${nameOfRecording(path)} ${problem ?? `${ms} ms`}`;
      await printLine(stdout, line);
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
