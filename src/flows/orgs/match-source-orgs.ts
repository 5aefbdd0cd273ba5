/** Which organizations the users of a source go to, before anything is sent: reads the source once. */
import type { Client } from '../../api/client.ts';
import type { Emit } from '../../events.ts';
import type { TargetOrg } from '../../records/organization.ts';
import { readUsers, type UserSource } from '../source/read-users.ts';
import { listCreated, type OrgSettings } from './choose-org.ts';
import { matchOrgs } from './match-orgs.ts';

export interface MatchedOrgsOfSource {
  /** With the ids of the target. */
  readonly settings: OrgSettings;
  readonly orgs: readonly TargetOrg[];
}

/** Throws `InputError`, and `UsageError` where two organizations of the target could be meant. */
export async function matchSourceOrgs(
  client: Client,
  source: UserSource & { readonly orgs: OrgSettings },
  emit: Emit,
): Promise<MatchedOrgsOfSource> {
  const seen = new Map(listCreated(source.orgs).map((org) => [org.orgId, org]));
  for await (const { record } of readUsers(source)) {
    const org = record.placement?.org;
    if (org !== undefined && record.kind !== 'rejected') seen.set(org.orgId, org);
  }
  const { ids } = await matchOrgs(client, [...seen.values()], emit);
  return {
    settings: { ...source.orgs, matched: Object.fromEntries(ids) },
    orgs: Array.from(seen.values(), (org) => ({ ...org, orgId: ids.get(org.orgId) ?? org.orgId })),
  };
}
