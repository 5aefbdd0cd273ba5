/** Gives the organizations that `--create-orgs` has put into a body the ids that they have at the target. */
import type { Client } from '../api/client.ts';
import { matchOrgs, type OrgToMatch } from '../flows/orgs/match-orgs.ts';
import { withOrgIds } from '../sources/org-data/with-org-ids.ts';
import type { CommandContext } from './context.ts';
import type { OpenedSource } from './source.ts';

export interface MatchedSource<Org> {
  readonly source: OpenedSource;
  readonly orgs: readonly Org[];
}

/** The source as if it named the organizations of the target. Throws `UsageError` where two could be meant. */
export async function matchSource<Org extends OrgToMatch>(
  client: Client,
  source: OpenedSource,
  orgs: readonly Org[],
  { emit }: Pick<CommandContext, 'emit'>,
): Promise<MatchedSource<Org>> {
  const { ids } = await matchOrgs(client, orgs, emit);
  return {
    source: { ...source, inputs: source.inputs.map((input) => withOrgIds(input, ids)) },
    orgs: orgs.map((org) => ({ ...org, orgId: ids.get(org.orgId) ?? org.orgId })),
  };
}
