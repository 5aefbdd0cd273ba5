/** Chooses the organization of a run: the named one, else the only one of the service. */
import { UsageError } from '../errors.ts';
import { note } from '../events.ts';
import type { SeenTarget } from '../flows/preflight/who-am-i.ts';
import type { ConnectionFlags } from '../flags/connection.ts';
import { formatNames, nameWithId } from '../lib/format.ts';
import type { TargetOrg } from '../records/organization.ts';
import { readOrgs } from '../sources/body/provider.ts';
import { listFroms } from '../sources/providers.ts';
import type { CommandContext } from './context.ts';
import type { OpenedSource } from '../flows/source/read-users.ts';

/** Throws `UsageError` if no organization is named and there is no address of a service, or it does not have exactly one. */
export async function chooseOrg(
  { org, ...flags }: ConnectionFlags & { readonly org?: string | undefined },
  context: CommandContext,
) {
  if (org !== undefined) return org;
  if ((flags.url ?? context.env['IDPORT_URL'] ?? '') === '') {
    throw new UsageError(
      '--org <id> is missing',
      'Give the organization that receives the users. With a service in IDPORT_URL that has only one organization, idport takes that one.',
    );
  }
  // Loaded late: the HTTP client takes longer to load than a small export takes to convert.
  const [{ connect, failFast }, { lookAtTarget }] = await Promise.all([
    import('./connect.ts'),
    import('../flows/preflight/who-am-i.ts'),
  ]);
  const client = await connect(flags, context, failFast);
  const { orgs } = await lookAtTarget(client);
  return takeOnly(orgs, client.url, context);
}

/** Returns the id of the only organization at `url`. Throws `UsageError` if there is not exactly one. */
export function takeOnly(orgs: SeenTarget['orgs'], url: string, { emit }: CommandContext): string {
  const [only] = orgs;
  if (only !== undefined && orgs.length === 1) {
    emit(note('org:chosen', `Organization: ${nameWithId(only.name, only.id)}, the only one of ${url}.`));
    return only.id;
  }
  const names = orgs.map(({ id, name }) => `${id} (${name})`);
  throw new UsageError(
    `--org <id> is missing, and the token sees ${names.length === 0 ? 'no' : names.length} organizations at ${url}`,
    `Give the id of one${names.length === 0 ? '' : `: ${formatNames(names)}`}.`,
  );
}

/** Returns the organizations of import bodies. Throws `UsageError` if there are none, one has no id, or a body is a stream. */
export async function orgsOfBodies({ inputs }: OpenedSource): Promise<readonly TargetOrg[]> {
  if (inputs.some(({ repeatable }) => !repeatable)) {
    throw new UsageError(
      '--org <id> is missing',
      'A body on standard input is read once: name its organization, or give a file.',
    );
  }
  const orgs = await readOrgs(...inputs);
  const names = formatNames(inputs.map(({ name }) => name));
  if (orgs.some(({ orgId }) => orgId === '')) {
    throw new UsageError(
      `an organization in ${names} has no orgId`,
      'Give it the id that it has, or will have, at the target.',
    );
  }
  if (orgs.length > 0) return orgs;
  throw new UsageError(
    `no organization is named in ${names}`,
    'An import body has them under dataOrgs.orgs. ' +
      `For the export of a provider give ${listFroms()}, and --org.`,
  );
}
