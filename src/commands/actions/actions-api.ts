/** Opens the actions API of the service for one command. */
import { createActionsApi } from '../../api/actions/index.ts';
import type { ActionsApi } from '../../api/actions/types.ts';
import type { ConnectionFlags, ServiceFlags } from '../../flags/connection.ts';
import { withClient } from '../connect.ts';
import type { CommandContext } from '../context.ts';

export function withApi<Value>(
  flags: ConnectionFlags & Pick<ServiceFlags, 'api'>,
  context: CommandContext,
  use: (api: ActionsApi) => Promise<Value>,
): Promise<Value> {
  return withClient(flags, context, (client) => use(createActionsApi(client, flags.api)));
}

/** The same where `--key-file` is that of a signing key, which must not be taken for credentials. */
export function withActionsApi<Value>(
  flags: ServiceFlags & { readonly keyFile?: string },
  context: CommandContext,
  use: (api: ActionsApi) => Promise<Value>,
): Promise<Value> {
  const { userKeyFile, keyFile: _, ...others } = flags;
  return withApi({ ...others, ...(userKeyFile === undefined ? {} : { keyFile: userKeyFile }) }, context, use);
}
