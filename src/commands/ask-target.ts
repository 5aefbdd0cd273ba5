/** The flags of a check and what it reads in; what the service says of it, and who is there already, out. */
import { retryLimits } from '../api/retry-policy.ts';
import { UsageError } from '../errors.ts';
import { type Answers, askService } from '../flows/preflight/ask-service.ts';
import { listPeople } from '../flows/preflight/list-users.ts';
import { readOrgIds } from '../sources/body/provider.ts';
import { connect, type ConnectionFlags } from './connect.ts';
import type { CommandContext } from './context.ts';
import type { OpenedSource } from './source.ts';

export interface Target extends Answers {
  /** In pages. */
  readonly people: ReturnType<typeof listPeople>;
  close(): Promise<void>;
}

export async function askTarget(
  flags: ConnectionFlags & { readonly org?: string },
  source: OpenedSource,
  context: CommandContext,
): Promise<Target> {
  const orgIds = flags.org === undefined ? await namedOrgs(source) : [flags.org];
  // Somebody waits for the answer: an address that is wrong should not be tried for minutes.
  const client = await connect(flags, context, { retryLimits: { ...retryLimits, patience: 5000 } });
  try {
    const answers = await askService(client, orgIds, context.emit);
    return { ...answers, people: listPeople(client), close: () => client.close() };
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function namedOrgs({ provider, inputs }: OpenedSource): Promise<string[]> {
  const [input] = inputs;
  if (provider === 'body' && input?.repeatable === true) return readOrgIds(input);
  throw new UsageError('--url needs --org <id> here', {
    hint: 'An export does not say which organization is to receive its people.',
  });
}
