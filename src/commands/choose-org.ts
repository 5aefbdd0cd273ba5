/** The organization of a run that names none. */
import { retryLimits } from '../api/retry-policy.ts';
import { UsageError } from '../errors.ts';
import { note } from '../events.ts';
import type { ConnectionFlags } from '../flags/connection.ts';
import { lookAtTarget } from '../flows/preflight/look-at-target.ts';
import { connect } from './connect.ts';
import type { CommandContext } from './context.ts';

/** The only one that the service has. Throws `UsageError` where it has several, or where no service is named. */
export async function chooseOrg(flags: ConnectionFlags, context: CommandContext): Promise<string> {
  if ((flags.url ?? context.env['IDPORT_URL'] ?? '') === '') {
    throw new UsageError('--org <id> is missing', {
      hint: 'It is the organization that receives the users. Where IDPORT_URL names a service with one organization, that is taken.',
    });
  }
  const client = await connect(flags, context, { retryLimits: { ...retryLimits, patience: 5000 } });
  try {
    const { orgs } = await lookAtTarget(client);
    const [only] = orgs;
    if (only !== undefined && orgs.length === 1) {
      const name = only.name === '' ? only.id : `${only.name} (${only.id})`;
      context.emit(note('org:chosen', `Users go to ${name}, the only organization of ${client.url}.`));
      return only.id;
    }
    const first = orgs.slice(0, 5).map(({ id, name }) => `${id} (${name})`);
    throw new UsageError(`--org <id> is missing: ${client.url} has ${orgs.length} organizations`, {
      hint: `Give the id of one: ${first.join(', ')}${orgs.length > 5 ? ', ...' : ''}.`,
    });
  } finally {
    await client.close();
  }
}
