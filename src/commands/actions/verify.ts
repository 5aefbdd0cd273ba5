/** `idport actions verify`: checks the signature of a saved call, and says why it is refused. */
import { ExitCode, UsageError } from '../../errors.ts';
import { readSigningKeys } from '../../flows/actions/signing-keys.ts';
import { printLines } from '../../storage/stream-sink.ts';
import { readCall } from '../../webhooks/call.ts';
import { headerOf, parseSavedRequest } from '../../webhooks/saved-request.ts';
import { verifySignature } from '../../webhooks/verify.ts';
import { signatureHeader } from '../../wire/signature.ts';
import type { VerifyCallFlags } from '../../flags/actions.ts';
import type { CommandContext } from '../context.ts';
import { readFileOrStdin } from '../read-text.ts';
import { showContent, showVerdict } from './show-call.ts';

/** The age is judged by `--at`, else by the time at which the call was recorded, else by now. */
export async function verifySavedCall(options: VerifyCallFlags, context: CommandContext): Promise<ExitCode> {
  const { clock, cwd, stdout } = context;
  const keys = await readSigningKeys(options.signingKeyFile, cwd);
  const bytes = await readFileOrStdin(options.file, context);
  // With a signature on the command line, the file holds only the body.
  const saved = options.signature === undefined ? parseSavedRequest(bytes) : undefined;
  if (options.signature === undefined && saved === undefined) {
    throw new UsageError(`${options.file}: this is not a saved HTTP request`, {
      hint: 'For a file that holds only the body, give the header with --signature "t=...,v1=...".',
    });
  }
  const body = saved?.body ?? bytes;
  const at = options.at ?? saved?.receivedAt ?? 'now';
  const judgedAt = at === 'now' ? clock.now() : at;
  const verdict = verifySignature({
    body,
    header: saved === undefined ? options.signature : headerOf(saved.headers, signatureHeader),
    key: keys,
    tolerance: options.ignoreAge === true ? Infinity : options.tolerance / 1000,
    allowFuture: options.allowFuture === true || options.ignoreAge === true,
    now: judgedAt,
  });
  const [declared] = saved === undefined ? [] : headerOf(saved.headers, 'content-length');
  const remark =
    declared === undefined || Number(declared) === body.length
      ? undefined
      : `the file holds a body of ${body.length} bytes, its Content-Length says ${declared}`;
  const shown = { ...showVerdict(verdict), judgedAt: new Date(judgedAt).toISOString(), remark };
  const { payload: _, ...about } = showContent(readCall(body));
  const lines = [`${options.file}: ${shown.signature}`, ...(remark === undefined ? [] : [`   ${remark}`])];
  await printLines(stdout, options.format === 'json' ? [JSON.stringify({ ...shown, ...about })] : lines);
  return verdict.ok ? ExitCode.done : ExitCode.differs;
}
