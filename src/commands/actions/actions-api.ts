/** Opens the actions API of the service for one command. */
import { type ActionsApi, createActionsApi } from '../../api/actions/index.ts';
import type { ConnectionFlags, ServiceFlags } from '../../flags/connection.ts';
import { withClient } from '../connect.ts';
import { ExitCode } from '../../errors.ts';
import type { KeyFlags } from '../../flags/actions.ts';
import type { Action, CommandContext } from '../context.ts';
import { type KeyOutput, openKeyOutput } from './key-output.ts';

export function withApi<Value>(
  flags: ConnectionFlags & Pick<ServiceFlags, 'api'>,
  context: CommandContext,
  use: (api: ActionsApi) => Promise<Value>,
): Promise<Value> {
  return withClient(flags, context, (client) => use(createActionsApi(client, flags.api)));
}

/** `--key-file` is that of a signing key here, which must not be taken for credentials. */
type ActionsFlags = ServiceFlags & { readonly keyFile?: string };

export function withActionsApi<Value>(
  flags: ActionsFlags,
  context: CommandContext,
  use: (api: ActionsApi) => Promise<Value>,
): Promise<Value> {
  const { userKeyFile, keyFile: _, ...others } = flags;
  return withApi({ ...others, ...(userKeyFile === undefined ? {} : { keyFile: userKeyFile }) }, context, use);
}

type Use = (api: ActionsApi) => Promise<void>;

/** A command that asks the service. What `prepare` refuses is refused before. */
export const asking =
  <Flags extends ActionsFlags>(prepare: (flags: Flags, context: CommandContext) => Use): Action<Flags> =>
  async (flags, context) => {
    await withActionsApi(flags, context, prepare(flags, context));
    return ExitCode.done;
  };

/** The same for one that gets a signing key, for which a place is opened before. */
export const askingForKey =
  <Flags extends ActionsFlags & KeyFlags>(
    prepare: (flags: Flags, context: CommandContext, key: KeyOutput) => Use,
    replace = false,
  ): Action<Flags> =>
  async (flags, context) => {
    const key = openKeyOutput(flags, context, replace);
    try {
      return await asking<Flags>(() => prepare(flags, context, key))(flags, context);
    } finally {
      key.discard();
    }
  };
