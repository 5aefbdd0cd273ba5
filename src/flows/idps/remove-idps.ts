/** Rolls `create-idps` back: removes the identity providers that it made, where no user is linked to them. */
import { warning } from '../../events.ts';
import { search } from '../../api/search.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { readLines, type LoadedJournal } from '../../journal/load.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { formatCount } from '../../lib/quantity.ts';
import { listIdpLinksResponse } from '../../wire/user-grant.ts';
import { listUsers } from '../preflight/ask-service.ts';
import { readLastAdded } from '../reconcile/event-log.ts';
import { waitForList, type ListContext } from '../reconcile/list-lag.ts';
import { kinds } from '../resources/kinds.ts';

export interface MadeIdp {
  readonly org: string;
  readonly alias: string;
  readonly name: string;
  readonly id: string;
}

/** Those of the journal that are still there. Throws `ApiError`. */
export async function findMade(
  client: Client,
  path: string,
  { header }: Pick<LoadedJournal, 'header'>,
): Promise<MadeIdp[]> {
  const { adds = [], orgs } = header;
  const ids = new Map<number, string>();
  const open = new Map<number, { readonly entry: number; readonly at: number }>();
  for await (const { line } of readLines(path)) {
    if (line.kind === 'intent') {
      const { attempt, at, entries } = line.intent;
      open.set(attempt, { entry: entries[0] ?? 0, at });
    }
    if (line.kind !== 'outcome') continue;
    open.delete(line.outcome.attempt);
    for (const [entry, id] of line.outcome.ids) ids.set(entry, id);
  }
  const [org = ''] = orgs;
  const there = await kinds.idp.list(client, { org, parent: '' });
  // The answer was lost: it is the one with the name that was created since.
  for (const { entry, at } of open.values()) {
    const name = adds[entry]?.[3];
    const isSince = (date = ''): boolean => Date.parse(date) >= at - clockStep;
    const found = there.find((idp) => idp.name === name && isSince(idp.details?.creationDate));
    if (found !== undefined) ids.set(entry, found.id);
  }
  return [...ids].flatMap(([entry, id]): MadeIdp[] => {
    const [, , alias = '', name = ''] = adds[entry] ?? [];
    return there.some((idp) => idp.id === id && idp.owner === 'IDP_OWNER_TYPE_ORG')
      ? [{ org, alias, name, id }]
      : [];
  });
}

/** The service's `Date` has whole seconds. */
const clockStep = 1000;

/** More users are not asked for their links one by one. */
const mostUsers = 1000;
const pageSize = 100;
const atOnce = 4;

/** Says which stay and why; returns how many do. Throws `ApiError`. */
export async function removeIdps(context: ListContext, made: readonly MadeIdp[]): Promise<number> {
  const { client, emit } = context;
  const [{ org } = { org: '' }] = made;
  const links = made.length === 0 ? new Map<string, number>() : await countLinks(context, org);
  let kept = 0;
  for (const { id, name } of made) {
    const why = typeof links === 'string' ? links : describeLinks(links.get(id) ?? 0);
    const end = why || (await remove(client, org, id));
    if (end === '') continue;
    kept += 1;
    const text = `Identity provider ${JSON.stringify(name)} (${id}) stays: ${end}.`;
    emit(warning('undo:idp', text));
  }
  return kept;
}

function describeLinks(count: number): string {
  if (count === 0) return '';
  return count === 1 ? '1 user is linked to it' : `${formatCount(count)} users are linked to it`;
}

/** Empty once it is gone. */
async function remove(client: Client, org: string, id: string): Promise<string> {
  const path = `${kinds.idp.path('')}/${encodeURIComponent(id)}`;
  const end = await client.attempt({ method: 'DELETE', path, org, repeat: 'safe' });
  if (end.ok || end.error.status === 404) return '';
  if (end.error.verdict !== 'refused') throw end.error;
  return end.error.text;
}

/** By provider, or why it is not known: the service has no list of the users that are linked to one. */
async function countLinks(context: ListContext, org: string): Promise<Map<string, number> | string> {
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
