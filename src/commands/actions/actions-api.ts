/** Opens the actions API of the service for one command. */
import { createActionsApi } from '../../api/actions/index.ts';
import type { ActionsApi } from '../../api/actions/types.ts';
import type { ConnectionFlags, ServiceFlags } from '../../flags/connection.ts';
import { connect } from '../connect.ts';
import type { CommandContext } from '../context.ts';

export async function withApi<Value>(
  flags: ConnectionFlags & Pick<ServiceFlags, 'api'>,
  context: CommandContext,
  use: (api: ActionsApi) => Promise<Value>,
): Promise<Value> {
  const client = await connect(flags, context);
  try {
    return await use(createActionsApi(client, flags.api));
  } finally {
    await client.close();
  }
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
