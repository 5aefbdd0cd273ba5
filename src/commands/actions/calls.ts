/** `idport actions verify`, `sign` and `replay`: calls that were saved. */
import { ExitCode, InputError, UsageError, messageOf } from '../../errors.ts';
import { showVerdict } from './listen.ts';
import { warning } from '../../events.ts';
import type {
  replayFlags,
  recordings,
  signFlags,
  bodyFile,
  verifyCallFlags,
  savedCall,
} from '../../flags/actions.ts';
import { createForwarder } from '../../flows/actions/listen.ts';
import { listRecordings, nameOfRecording } from '../../flows/actions/recordings.ts';
import { readSigningKeys } from '../../flows/actions/signing-keys.ts';
import { print, printLine, printLines } from '../../storage/stream-sink.ts';
import { headerOf, parseSavedRequest, type SavedRequest } from '../../webhooks/saved-request.ts';
import { verifySignature } from '../../webhooks/verify.ts';
import { signatureHeader, signBody } from '../../wire/signature.ts';
import type { Action } from '../context.ts';
import { readBytes, readFileOrStdin } from '../read-text.ts';

/** Measures the age of the call at the time when it was recorded, else now. */
export const verifySavedCall: Action<typeof verifyCallFlags & typeof savedCall> = async (
  options,
  context,
) => {
  const { clock, cwd, stdout } = context;
  const keys = await readSigningKeys(options.signingKeyFile, cwd);
  const saved = parseSavedRequest(await readFileOrStdin(options.file, context));
  if (saved === undefined) {
    throw new UsageError(
      `${options.file}: this is not a saved HTTP request`,
      'It is the request line, the headers, an empty line and the body, as `idport actions listen --record` saves it.',
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
};

/** Prints the whole header, so that `curl -H "$(idport actions sign ...)"` works. */
export const signFile: Action<typeof signFlags & typeof bodyFile> = async (options, context) => {
  const { clock, cwd, stdout } = context;
  const keys = await readSigningKeys(options.signingKeyFile, cwd);
  const body = await readFileOrStdin(options.file, context);
  await print(stdout, `${signatureHeader}: ${signBody(body, keys, clock.now() / 1000)}\n`);
};

/** Resolves to `rejected` if a call got no 2xx response. Throws `InputError` if a file is not a recorded call. */
export const replayCalls: Action<typeof replayFlags & typeof recordings> = async (options, context) => {
  const { clock, cwd, signal, stdout } = context;
  const keys = options.signingKeyFile && (await readSigningKeys(options.signingKeyFile, cwd));
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
};

function signAgain(call: SavedRequest, keys: readonly string[], now: number): SavedRequest {
  const others = call.headers.filter(([name]) => name.toLowerCase() !== signatureHeader.toLowerCase());
  return { ...call, headers: [...others, [signatureHeader, signBody(call.body, keys, now / 1000)]] };
}
