/** Compares projects, roles and user grants of a body with the target. Reads their lists, a page for many users. */
import type { Client } from '../../api/client.ts';
import type { Input } from '../../lib/input.ts';
import { readBodyResources, readUserGrants } from '../../sources/org-data/projects.ts';
import { toResources } from '../resources/source-apps.ts';
import { compareResources } from '../resources/find.ts';
import { listUserGrantPages } from '../resources/user-grants.ts';
import { listTimeOf, type ListLook, waitForEntries } from '../reconcile/list-lag.ts';
import type { Comparison } from './comparison.ts';
import type { ExpectedUsers } from './expected-users.ts';

/** Organizations that have grants, with the ids of the granted projects at the target. */
type GrantScopes = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the text by which a grant is compared. */
const grantEntry = (org: string, projectId: string, roleKeys: readonly string[]) =>
  JSON.stringify([org, projectId, roleKeys.toSorted()]);

/**
 * Compares what bodies and `apps` say of projects. Returns the ids of existing ones if a body has user grants.
 */
export async function compareProjects({ request, lists, counts }: Comparison) {
  const { client, orgs, apps } = request;
  const { provider, inputs } = request.source;
  const bodies = provider === 'body' ? await Promise.all(inputs.map(readBodyResources)) : [];
  const expected = [...bodies.flatMap(({ resources }) => resources), ...(apps ? toResources(apps) : [])];
  const there = expected.flatMap((one) => {
    const org = targetOrg(one.org, orgs);
    // The missing organization is reported elsewhere.
    return org === undefined ? [] : [{ ...one, org }];
  });
  const { projectIds, missing } = await compareResources(client, there, lists.emit);
  counts.parts = missing;
  return bodies.some(({ hasUserGrants }) => hasUserGrants) ? projectIds : undefined;
}

/**
 * Returns the organization at the target. With only one, that one, because a body may be imported into another organization.
 * Undefined if it is missing.
 */
function targetOrg(org: string, orgs: readonly string[]) {
  return orgs.length === 1 ? orgs[0] : orgs.find((id) => id === org);
}

/** Compares grants, and reads the lists again while they lag. If they lag too long, differing users count as not known yet. */
export async function compareGrants(
  { users, lists, request }: Comparison,
  projectIds: ReadonlyMap<string, string>,
) {
  const { source, orgs } = request;
  const scopes = await expectGrants(source.inputs, orgs, projectIds, users);
  if (scopes.size === 0) return;
  const look = async (): Promise<ListLook> => {
    const time = await readGrants(lists.client, scopes, users);
    return { isShown: !users.any('differs grants'), time };
  };
  const { state } = await waitForEntries(lists, 'user grants', look);
  users.withdrawDifferences('grants', state);
}

/** Records the grants that each user should have. */
async function expectGrants(
  inputs: readonly Input[],
  orgs: readonly string[],
  projectIds: ReadonlyMap<string, string>,
  users: ExpectedUsers,
): Promise<GrantScopes> {
  const scopes = new Map<string, Set<string>>();
  for await (const { org: named, userId, projectId, roleKeys } of readUserGrants(inputs)) {
    const org = targetOrg(named, orgs);
    if (org === undefined) continue;
    const target = projectIds.get(projectId) ?? projectId;
    scopes.set(org, (scopes.get(org) ?? new Set()).add(target));
    const user = users.byId(userId);
    if (user !== -1) users.expect(user, 'grants', grantEntry(org, target, roleKeys));
  }
  return scopes;
}

/** Returns the time up to which the furthest behind list is current. Undefined if no list says it. */
async function readGrants(client: Client, scopes: GrantScopes, users: ExpectedUsers) {
  for (const user of users.with('found')) users.forget(user, ['grants']);
  let oldest: number | undefined;
  for (const [org, projects] of scopes) {
    for (const projectId of projects) {
      for await (const page of listUserGrantPages(client, org, projectId)) {
        const time = listTimeOf(page.details);
        if (time !== undefined) oldest = Math.min(oldest ?? Infinity, time);
        for (const { userId, roleKeys } of page.result) {
          const user = users.byTargetId(userId);
          if (user !== -1) users.see(user, 'grants', grantEntry(org, projectId, roleKeys));
        }
      }
    }
  }
  for (const user of users.with('found')) users.compareSeen(user, ['grants']);
  return oldest;
}
