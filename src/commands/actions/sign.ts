/** `idport actions sign`: prints the signature header for a body. */
import { ExitCode } from '../../errors.ts';
import { readSigningKeys } from '../../flows/actions/signing-keys.ts';
import { print } from '../../storage/stream-sink.ts';
import { signatureHeader, signBody } from '../../wire/signature.ts';
import type { CommandContext } from '../context.ts';
import { readFileOrStdin, readTime } from '../values.ts';

export interface SignCommandOptions {
  /** A path, or `-` for standard input. */
  readonly file: string;
  readonly signingKeyFile: readonly string[];
  /** The time to sign with. */
  readonly at?: string;
}

/** The whole header, so that `curl -H "$(idport actions sign ...)"` works. */
export async function signFile(
  options: SignCommandOptions,
  { clock, cwd, stdin, stdout }: CommandContext,
): Promise<ExitCode> {
  const time = options.at === undefined ? clock.now() : readTime('--at', options.at);
  const keys = await readSigningKeys(options.signingKeyFile, cwd);
  const body = await readFileOrStdin(options.file, { cwd, stdin });
  await print(stdout, `${signatureHeader}: ${signBody(body, keys, time / 1000)}\n`);
  return ExitCode.done;
}
