/** `idport actions sign`: prints the signature header for a body. */
import { ExitCode } from '../../errors.ts';
import { readSigningKeys } from '../../flows/actions/signing-keys.ts';
import { print } from '../../storage/stream-sink.ts';
import { signatureHeader, signBody } from '../../wire/signature.ts';
import type { SignFlags } from '../../flags/actions.ts';
import type { CommandContext } from '../context.ts';
import { readFileOrStdin } from '../read-text.ts';

/** The whole header, so that `curl -H "$(idport actions sign ...)"` works. */
export async function signFile(options: SignFlags, context: CommandContext): Promise<ExitCode> {
  const { clock, cwd, stdout } = context;
  const keys = await readSigningKeys(options.signingKeyFile, cwd);
  const body = await readFileOrStdin(options.file, context);
  const { at = 'now' } = options;
  const seconds = (at === 'now' ? clock.now() : at) / 1000;
  await print(stdout, `${signatureHeader}: ${signBody(body, keys, seconds)}\n`);
  return ExitCode.done;
}
