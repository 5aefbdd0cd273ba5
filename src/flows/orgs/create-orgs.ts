/** Creates the organizations that users of a one-by-one import go to and that the target lacks. */
import type { Client } from '../../api/client.ts';
import { ApiError } from '../../api/api-error.ts';
import { UsageError } from '../../errors.ts';
import { warning, type Notify } from '../../notice.ts';
import { findTakenNames, listTaken, readOwnOrg } from '../preflight/check-orgs.ts';
import type { TargetOrg, Resource } from '../../records/resource.ts';
import type { ListContext } from '../reconcile/list-lag.ts';
import { createSome } from '../resources/create.ts';

/**
 * Returns the missing organizations that have a name and can be created. Also reads the service's clock. Before anything is sent,
 * throws `ApiError` for a missing one without a name, and `UsageError` for one that is inactive at the target only, or a taken name.
 */
export async function findOrgsToCreate(client: Client, orgs: readonly TargetOrg[]) {
  const missing: TargetOrg[] = [];
  for (const org of orgs) if (!(await isThere(client, org))) missing.push(org);
  const taken = await findTakenNames(client, missing);
  if (taken.length > 0) throw nameTaken(listTaken(taken));
  return missing;
}

export async function createOrgs(context: ListContext, orgs: readonly TargetOrg[], notify: Notify) {
  for (const org of orgs) {
    await createOrg(context, org);
    for (const domain of org.domains) await addDomain(context.client, org.orgId, domain, notify);
  }
}

/** Adds a domain. As in bulk, it is verified at once if the service's policy requires no proof. */
async function addDomain(client: Client, org: string, domain: string, notify: Notify) {
  const path = '/management/v1/orgs/me/domains';
  const end = await client.attempt({ method: 'POST', path, org, body: { domain } });
  if (end.ok || end.error.id === alreadyThere) return;
  if (end.error.verdict !== 'refused') throw end.error;
  const text = `Organization ${org} gets no domain ${domain}: ${end.error.text}.`;
  notify(warning('org:domain', text));
}

/** Error id if the organization has the domain. A call with a lost answer may have added it. */
const alreadyThere = 'V2-e1wse';

async function isThere(client: Client, target: TargetOrg) {
  const { orgId } = target;
  const org = await readOwnOrg(client, target);
  if (org === undefined) return false;
  if (org !== 'removed' && (target.isInactive || org.state === 'ORG_STATE_ACTIVE')) return true;
  if (org === 'removed') {
    throw new UsageError(
      `organization ${orgId} was deleted at the target`,
      'Users in it could neither sign in nor be seen. Give another --org.',
    );
  }
  throw new UsageError(
    `organization ${orgId} is not active`,
    'Its users could not sign in. Activate it first, or give another --org.',
  );
}

async function createOrg(context: ListContext, org: TargetOrg) {
  const { orgId, name } = org;
  const expected: Resource = { kind: 'org', org: orgId, parent: '', id: orgId, name, type: '', settings: {} };
  await createSome({ ...context, wait: { left: 0 } }, [expected], expected).catch((error: unknown) => {
    // The name was taken after the look-up, or the service's log has it and its list does not.
    if (error instanceof ApiError && error.status === 409) throw nameTaken(name);
    throw error;
  });
}

function nameTaken(names: string) {
  return new UsageError(
    `the target has another organization named ${names}`,
    'Convert again with its id in the file of --org-map. No user was sent.',
  );
}
