/** Opens the actions API of the service for one command. */
import { type ActionsApi, createActionsApi } from '../../api/actions/index.ts';
import type { ServiceFlags } from '../../flags/connection.ts';
import { connect } from '../connect.ts';
import { ExitCode } from '../../errors.ts';
import type { Action, CommandContext } from '../context.ts';

/** Connects without `--key-file`, which names a signing key in these commands and must not be used as credentials. */
export async function openActionsApi(
  { url, tokenFile, keyFile, api }: ServiceFlags,
  context: CommandContext,
) {
  return createActionsApi(await connect({ url, tokenFile, keyFile }, context), api);
}

/** Makes a command that talks to the service. `prepare` checks the flags before it connects. */
export const asking =
  <Flags extends ServiceFlags>(
    prepare: (flags: Flags, context: CommandContext) => (api: ActionsApi) => Promise<void>,
  ): Action<Flags> =>
  async (flags, context) => {
    const use = prepare(flags, context);
    await use(await openActionsApi(flags, context));
    return ExitCode.done;
  };
