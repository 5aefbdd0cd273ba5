/** `idport actions replay`: sends recorded calls again and shows the response to each. */
import { ExitCode, UsageError } from '../../errors.ts';
import { createForwarder } from '../../flows/actions/forward.ts';
import { listRecordings, nameOfRecording } from '../../flows/actions/recordings.ts';
import { replay } from '../../flows/actions/replay.ts';
import { readSigningKeys } from '../../flows/actions/signing-keys.ts';
import { printLine } from '../../storage/stream-sink.ts';
import type { ReplayFlags } from '../../flags/actions.ts';
import type { CommandContext } from '../context.ts';
import { notify } from './output.ts';

/** Resolves to `rejected` where a call got no 2xx response. */
export async function replayCalls(options: ReplayFlags, context: CommandContext): Promise<ExitCode> {
  const { clock, cwd, signal, stdout } = context;
  const keys =
    options.signingKeyFile === undefined ? undefined : await readSigningKeys(options.signingKeyFile, cwd);
  const paths = await listRecordings(options.path, cwd);
  if (paths.length === 0) throw new UsageError(`${options.path}: there are no recorded calls in it`);
  if (keys === undefined) {
    const text =
      'Without --signing-key-file the calls keep their old signatures, and receivers refuse old calls.';
    notify(context, 'warning', 'replay:old-signature', text);
  }
  const forward = createForwarder(options.to, options.timeout);
  let failed = 0;
  try {
    for await (const { path, status, problem, ms } of replay(paths, { keys, cwd, forward, clock, signal })) {
      const good = status !== undefined && status >= 200 && status < 300;
      if (!good) failed += 1;
      const line =
        options.format === 'json'
          ? JSON.stringify({ type: 'replayed', path, status, problem, ms: Math.round(ms) })
          : `${status ?? '---'} ${nameOfRecording(path)} ${problem ?? `${Math.round(ms)} ms`}`;
      await printLine(stdout, line);
    }
  } finally {
    await forward.close();
  }
  return failed === 0 ? ExitCode.done : ExitCode.rejected;
}
