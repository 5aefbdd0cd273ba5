/** Gives the organizations that `--create-orgs` has put into a body, or makes of an export, the ids that they have at the target. */
import type { Client } from '../../api/client.ts';
import type { Emit } from '../../events.ts';
import type { TargetOrg } from '../../records/organization.ts';
import { withOrgIds } from '../../sources/org-data/with-org-ids.ts';
import { readUsers, type OpenedSource, type UserSource } from '../source/read-users.ts';
import { listCreated, type OrgSettings } from './choose-org.ts';
import { matchOrgs } from './match-orgs.ts';

/** The source as if it named the organizations of the target. Throws `UsageError` where two could be meant. */
export async function matchSource<Opened extends Pick<OpenedSource, 'inputs'>, Org extends TargetOrg>(
  client: Client,
  source: Opened,
  orgs: readonly Org[],
  emit: Emit,
) {
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
  emit: Emit,
): Promise<{ readonly source: UserSource; readonly orgs: readonly (Org | TargetOrg)[] }> {
  if (settings === undefined) return matchSource(client, source, orgs, emit);
  const placed = { ...source, orgs: settings };
  const seen = new Map(listCreated(settings).map((org) => [org.orgId, org]));
  for await (const { record } of readUsers(placed)) {
    const org = record.placement?.org;
    if (org !== undefined && record.kind !== 'rejected') seen.set(org.orgId, org);
  }
  const { ids } = await matchOrgs(client, [...seen.values()], emit);
  return {
    source: { ...placed, orgs: { ...settings, matched: Object.fromEntries(ids) } },
    orgs: Array.from(seen.values(), (org) => ({ ...org, orgId: ids.get(org.orgId) ?? org.orgId })),
  };
}
