/** Opens the actions API of the service for one command. */
import { type ActionsApi, createActionsApi } from '../../api/actions/index.ts';
import type { ConnectionFlags, ServiceFlags } from '../../flags/connection.ts';
import { connect } from '../connect.ts';
import { ExitCode } from '../../errors.ts';
import type { Action, CommandContext } from '../context.ts';

export async function openApi(
  flags: ConnectionFlags & Pick<ServiceFlags, 'api'>,
  context: CommandContext,
): Promise<ActionsApi> {
  return createActionsApi(await connect(flags, context), flags.api);
}

/** `--key-file` is a signing key here, and must not be used as credentials. */
type ActionsFlags = ServiceFlags & { readonly keyFile?: string };

export function openActionsApi(flags: ActionsFlags, context: CommandContext): Promise<ActionsApi> {
  const { userKeyFile, keyFile: _, ...others } = flags;
  return openApi({ ...others, ...(userKeyFile === undefined ? {} : { keyFile: userKeyFile }) }, context);
}

/** A command that talks to the service; `prepare` checks its flags before it connects. */
export const asking =
  <Flags extends ActionsFlags>(
    prepare: (flags: Flags, context: CommandContext) => (api: ActionsApi) => Promise<void>,
  ): Action<Flags> =>
  async (flags, context) => {
    const use = prepare(flags, context);
    await use(await openActionsApi(flags, context));
    return ExitCode.done;
  };
