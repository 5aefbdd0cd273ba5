/** Gives the organizations that `--create-orgs` has put into a body the ids that they have at the target. */
import type { Client } from '../api/client.ts';
import { matchOrgs } from '../flows/orgs/match-orgs.ts';
import type { OrgSettings } from '../flows/orgs/choose-org.ts';
import { matchSourceOrgs } from '../flows/orgs/match-source-orgs.ts';
import type { UserSource, OpenedSource } from '../flows/source/read-users.ts';
import type { TargetOrg } from '../records/organization.ts';
import { withOrgIds } from '../sources/org-data/with-org-ids.ts';
import type { CommandContext } from './context.ts';

/** What has a body as its input. */
type Source = Pick<OpenedSource, 'inputs'>;

/** The source as if it named the organizations of the target. Throws `UsageError` where two could be meant. */
export async function matchSource<Opened extends Source, Org extends TargetOrg>(
  client: Client,
  source: Opened,
  orgs: readonly Org[],
  { emit }: Pick<CommandContext, 'emit'>,
): Promise<{ readonly source: Opened; readonly orgs: readonly Org[] }> {
  const { ids } = await matchOrgs(client, orgs, emit);
  return {
    source: { ...source, inputs: source.inputs.map((input) => withOrgIds(input, ids)) },
    orgs: orgs.map((org) => ({ ...org, orgId: ids.get(org.orgId) ?? org.orgId })),
  };
}

/** The same for the users of an export, with `settings`: reads them once. */
export async function placeUsers<Org extends TargetOrg>(
  client: Client,
  source: UserSource,
  { orgs, settings }: { readonly orgs: readonly Org[]; readonly settings: OrgSettings | undefined },
  context: Pick<CommandContext, 'emit'>,
): Promise<{ readonly source: UserSource; readonly orgs: readonly (Org | TargetOrg)[] }> {
  if (settings === undefined) return matchSource(client, source, orgs, context);
  const matched = await matchSourceOrgs(client, { ...source, orgs: settings }, context.emit);
  return { source: { ...source, orgs: matched.settings }, orgs: matched.orgs };
}
