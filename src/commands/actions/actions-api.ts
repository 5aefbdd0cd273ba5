/** Opens the actions API of the service for one command. */
import { createActionsApi } from '../../api/actions/index.ts';
import type { ActionsApi, Generation } from '../../api/actions/types.ts';
import { connect } from '../connect.ts';
import type { ConnectionFlags } from '../connection-flags.ts';
import type { CommandContext } from '../context.ts';

/** `--key-file` is the signing key's here, so the service user's has another name. */
export interface ServiceFlags extends Omit<ConnectionFlags, 'keyFile'> {
  readonly userKeyFile?: string | undefined;
  readonly api: Generation | 'auto';
}

export async function withActionsApi<Value>(
  flags: ServiceFlags,
  context: CommandContext,
  use: (api: ActionsApi) => Promise<Value>,
): Promise<Value> {
  const client = await connect(connectionOf(flags), context);
  try {
    return await use(createActionsApi(client, flags.api));
  } finally {
    await client.close();
  }
}

/** Field by field: `--key-file` of the same command must not be taken for credentials. */
function connectionOf(flags: ServiceFlags): ConnectionFlags {
  const { url, tokenFile, token, userKeyFile: keyFile, clientId, clientSecretFile } = flags;
  const given = Object.entries({ url, tokenFile, token, keyFile, clientId, clientSecretFile });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}
