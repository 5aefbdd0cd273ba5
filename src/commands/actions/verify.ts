/** `idport actions verify`: checks the signature of a saved call, and says why it is refused. */
import { ExitCode, UsageError } from '../../errors.ts';
import { readSigningKeys } from '../../flows/actions/signing-keys.ts';
import { verifySaved } from '../../flows/actions/verify-saved.ts';
import { printLines } from '../../storage/stream-sink.ts';
import { parseSavedRequest } from '../../webhooks/saved-request.ts';
import type { VerifyCallFlags } from '../../flags/actions.ts';
import type { CommandContext } from '../context.ts';
import { readFileOrStdin } from '../read-text.ts';
import { showContent, showVerdict } from './show-call.ts';

export async function verifySavedCall(
  options: VerifyCallFlags,
  { clock, cwd, stdin, stdout }: CommandContext,
): Promise<ExitCode> {
  const keys = await readSigningKeys(options.signingKeyFile, cwd);
  const bytes = await readFileOrStdin(options.file, { cwd, stdin });
  if (options.signature === undefined && parseSavedRequest(bytes) === undefined) {
    throw new UsageError(`${options.file}: this is not a saved HTTP request`, {
      hint: 'For a file that holds the body alone, give the header with --signature "t=...,v1=...".',
    });
  }
  const { verdict, content, judgedAt, remark } = verifySaved(bytes, {
    keys,
    signature: options.signature,
    at: options.at,
    now: clock.now(),
    tolerance: options.ignoreAge === true ? Infinity : options.tolerance / 1000,
    allowFuture: options.allowFuture === true || options.ignoreAge === true,
  });
  const shown = { ...showVerdict(verdict), judgedAt: new Date(judgedAt).toISOString(), remark };
  const { payload: _, ...about } = showContent(content);
  const lines = [`${options.file}: ${shown.signature}`, ...(remark === undefined ? [] : [`   ${remark}`])];
  await printLines(stdout, options.format === 'json' ? [JSON.stringify({ ...shown, ...about })] : lines);
  return verdict.ok ? ExitCode.done : ExitCode.differs;
}
