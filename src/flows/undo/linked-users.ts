/** How many users are linked to an identity provider: the service has no list of them, so each user is asked. */
import { search } from '../../api/search.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { formatCount } from '../../lib/quantity.ts';
import { listIdpLinksResponse } from '../../wire/user.ts';
import { listUsers } from '../preflight/ask-service.ts';
import { readLastAdded } from '../reconcile/event-log.ts';
import { waitForList, type ListContext } from '../reconcile/list-lag.ts';

/** More users are not asked for their links one by one. */
const mostUsers = 1000;
const pageSize = 100;
const atOnce = 4;

/** By provider, or why it is not known. */
export async function countLinks(context: ListContext, org: string): Promise<Map<string, number> | string> {
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
      for (const id of await linksOf(client, org, userId)) counts.set(id, (counts.get(id) ?? 0) + 1);
    });
    return counts;
  } catch (error) {
    if (error instanceof ApiError && error.verdict === 'refused') return error.text;
    throw error;
  }
}

/** Undefined for too many. */
async function listHumans(client: Client, org: string): Promise<string[] | undefined> {
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

/** Ids of providers, each once. None of a user who is gone by now. */
async function linksOf(client: Client, org: string, userId: string): Promise<Set<string>> {
  const end = await client.attempt(
    search(
      `/v2/users/${encodeURIComponent(userId)}/links/_search`,
      { query: { limit: pageSize } },
      listIdpLinksResponse,
      { org },
    ),
  );
  if (end.ok) return new Set(end.value.result.map(({ idpId }) => idpId));
  if (end.error.status === 404) return new Set();
  throw end.error;
}
