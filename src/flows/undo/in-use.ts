/** Says why a resource that a run created stays: others use it. Each kind has a rule. */
import { type Client, searchAll } from '../../api/client.ts';
import { formatCount, formatCounted } from '../../lib/format.ts';
import type { ResourceKind } from '../../records/resource.ts';
import { listProjectMembersResponse } from '../../wire/organization.ts';
import { listLoggedUsers, type IsRemoved, readLastAdded } from '../reconcile/event-log.ts';
import { createdAt, readLinks, readUser } from '../reconcile/find-users.ts';
import {
  listTimeOf,
  readLastWritten,
  waitUntil,
  type ListContext,
  type ListLook,
  waitForList,
} from '../reconcile/list-lag.ts';
import { kinds, projectPath, type Found, type Scope } from '../resources/kinds.ts';
import { listUserGrantPages, type UserGrant } from '../resources/user-grants.ts';
import { ifMissing, isRefusal } from '../../api/api-error.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { listUsers } from '../preflight/ask-service.ts';
import { count } from '../../records/tally.ts';

export interface InUseContext extends ListContext {
  /** What was created later is not of the run. */
  readonly latest: number;
  /** Reports whether the run created a part of a project. */
  readonly isOwn: (kind: ResourceKind, name: string) => boolean;
  /** Returns the users that the event log knows to be deleted, whose entries lists may still show. */
  readRemovals(): Promise<IsRemoved>;
  /** Returns the number of users by linked provider, or why that is not known. */
  readonly countLinks: (org: string) => Promise<ReadonlyMap<string, number> | string>;
}

type Rule = (context: InUseContext, found: Found, scope: Scope) => Promise<string | undefined>;

/** Returns undefined if the resource is not in use. Throws `ApiError`. */
export const whyInUse: Readonly<Record<ResourceKind, Rule>> = {
  // Reads the event log, because the list of users lags and loses users.
  async org({ client }, { id }) {
    const users = await listLoggedUsers(client, id);
    if (users === undefined) return 'the token may not read events, so it may have users that no list shows';
    const [first] = users;
    return first && `it has users, among them ${first.join(' ')}`;
  },
  project: whyProjectInUse,
  async grant(context, { id, name }, { parent }) {
    const { used } = await findGrantInUse(
      context,
      [name],
      parent,
      ({ projectGrantId }) => projectGrantId === id,
    );
    return used && `${used.userName} (${used.userId}) has roles by it`;
  },
  async role(context, { name }, scope) {
    const grants = await kinds.grant.list(context.client, scope);
    const orgs = orgsOf(scope, grants);
    const { used } = await findGrantInUse(context, orgs, scope.parent, ({ roleKeys }) =>
      roleKeys.includes(name),
    );
    if (used !== undefined) return `${used.userName} (${used.userId}) has it`;
    const holder = grants.find(({ roleKeys }) => roleKeys?.includes(name));
    return holder && `it is granted to organization ${holder.name}`;
  },
  app: async () => undefined,
  async idp({ countLinks }, { id }, { org }) {
    const links = await countLinks(org);
    if (typeof links === 'string') return links;
    const count = links.get(id) ?? 0;
    return count === 0 ? undefined : `${formatCounted(count, 'user is', 'users are')} linked to it`;
  },
};

/** Returns the organizations whose users may have roles of a project, its own first. */
export const orgsOf = ({ org }: Scope, grants: readonly Found[]) => [
  ...new Set([org, ...grants.map(({ name }) => name)]),
];

/** Everything in the project from before the end of the run counts as the run's, as the project is its own. */
async function whyProjectInUse(context: InUseContext, { id: parent }: Found, { org }: Scope) {
  const { client, latest, isOwn } = context;
  const scope = { org, parent };
  const isLater = (found: Pick<Found, 'createdAt'>) => !(found.createdAt <= latest);
  const apps = await kinds.app.list(client, scope);
  const app = apps.find((each) => isLater(each) || !isOwn('app', each.name));
  if (app !== undefined) return `it has an application that was created or renamed since, ${app.name}`;
  const role = (await kinds.role.list(client, scope)).find(isLater);
  if (role !== undefined) return `it has a role that was created since, ${role.name}`;
  const grants = await kinds.grant.list(client, scope);
  const grant = grants.find(isLater);
  if (grant !== undefined) return `it was granted since to organization ${grant.name}`;
  const members = await searchAll(
    client,
    `${projectPath(parent)}/members/_search`,
    listProjectMembersResponse,
    {
      org,
    },
  );
  const member = members.find((each) => isLater({ createdAt: createdAt(each) }));
  if (member !== undefined) return `user ${member.userId} was made a manager of it since`;
  const written = await readLastWritten(client, 'user grants');
  if (written === undefined)
    return 'the token may not read events, so users may have roles of it that no list shows yet';
  const { used, isLate } = await findGrantInUse(context, orgsOf(scope, grants), parent, () => true, written);
  if (isLate)
    return 'the list of user grants of the service is behind, so users may have roles of it; run the same command again';
  return used && `${used.userName} (${used.userId}) has roles of it`;
}

/**
 * Finds a grant in use. Waits until the list is current up to `until`, and while it shows a grant of a user who is no longer
 * found.
 */
async function findGrantInUse(
  context: InUseContext,
  orgs: readonly string[],
  projectId: string,
  isMeant: (grant: UserGrant) => boolean,
  until = -Infinity,
) {
  const { client } = context;
  let used: UserGrant | undefined;
  const look = async (): Promise<ListLook> => {
    used = undefined;
    let time = Infinity;
    for (const org of orgs) {
      for await (const page of listUserGrantPages(client, org, projectId)) {
        time = Math.min(time, listTimeOf(page.details) ?? Infinity);
        const meant = page.result.filter(isMeant);
        if (meant.length === 0) continue;
        const isRemoved = await context.readRemovals();
        used = meant.find((grant) => !isRemoved(grant.userId, createdAt(grant)));
        if (used === undefined) continue;
        const user = await readUser(client, used.orgId, { id: used.userId, userName: '' });
        return { isShown: user !== undefined, time: -Infinity };
      }
    }
    return { isShown: time >= until, time };
  };
  const { state } = await waitUntil(context, { name: 'user grants', look, written: async () => Infinity });
  return { used, isLate: state !== 'shown' && used === undefined };
}

/** With more users than this, they are not asked for their links one by one. */
const mostUsers = 1000;
const atOnce = 4;

/** Returns the number of linked users by provider, or why it is not known. */
export async function countLinks(context: ListContext, org: string) {
  const { client } = context;
  try {
    const added = await readLastAdded(client);
    if (added === undefined)
      return 'the token may not read events, so users may be linked to it that no list shows yet';
    if (!(await waitForList(context, added)))
      return 'the list of users of the service is behind, so users may be linked to it; run the same command again';
    const users = await listHumans(client, org);
    if (users === undefined)
      return `the organization has more than ${formatCount(mostUsers)} users, who would all have to be asked for their links; remove it by hand`;
    const counts = new Map<string, number>();
    await forEachConcurrent(users, atOnce, async (userId) => {
      // Each provider once. None for a user who no longer exists.
      const links = await readLinks(client, userId, org).catch(ifMissing);
      for (const id of new Set(links?.result.map(({ idpId }) => idpId))) count(counts, id);
    });
    return counts;
  } catch (error) {
    if (isRefusal(error)) return error.text;
    throw error;
  }
}

/** Returns undefined if there are too many users. */
async function listHumans(client: Client, org: string) {
  const ids: string[] = [];
  const users = listUsers(client, [
    { organizationIdQuery: { organizationId: org } },
    { typeQuery: { type: 'TYPE_HUMAN' } },
  ]);
  for await (const page of users) {
    ids.push(...page.map(({ id }) => id));
    if (ids.length > mostUsers) return undefined;
  }
  return ids;
}
