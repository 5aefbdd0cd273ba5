/** The preflight of `idport check --url`: asks the service, and lists the users that exist already. */
import { retryLimits } from '../api/retry-policy.ts';
import { UsageError } from '../errors.ts';
import { askService, listUsers, type PreflightResult } from '../flows/preflight/ask-service.ts';
import { readOrgIds } from '../sources/body/provider.ts';
import { connect, type ConnectionFlags } from './connect.ts';
import type { CommandContext } from './context.ts';
import type { OpenedSource } from './source.ts';

export interface Target extends PreflightResult {
  /** In pages. */
  readonly users: ReturnType<typeof listUsers>;
  close(): Promise<void>;
}

export async function askTarget(
  flags: ConnectionFlags & { readonly org?: string },
  source: OpenedSource,
  context: CommandContext,
): Promise<Target> {
  const orgIds = flags.org === undefined ? await namedOrgs(source) : [flags.org];
  // The user waits for the answer: a wrong address should not be tried for minutes.
  const client = await connect(flags, context, { retryLimits: { ...retryLimits, patience: 5000 } });
  try {
    const answers = await askService(client, orgIds, context.emit);
    return { ...answers, users: listUsers(client), close: () => client.close() };
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function namedOrgs({ provider, inputs }: OpenedSource): Promise<string[]> {
  const [input] = inputs;
  if (provider === 'body' && input?.repeatable === true) return readOrgIds(input);
  throw new UsageError('--url needs --org <id> here', {
    hint: 'An export does not say which organization is to receive its users.',
  });
}
