/** Creates resources that a source needs and the target lacks, with calls of their own. */
import { isRefusal } from '../../api/api-error.ts';
import { lostAnswers } from '../../api/retry.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { warning, type Notify } from '../../notice.ts';
import type { Resource } from '../../records/resource.ts';
import { inParts } from '../reconcile/find-users.ts';
import { waitUntil, type ListContext, type ListLook } from '../reconcile/list-lag.ts';
import { isAdded, keepSecret, type AddedApps } from './app-secrets.ts';
import { groupsOf, listResources, type Group } from './find.ts';
import { kinds, type Found, type Made, type Scope, type Some } from './kinds.ts';

/** Ids at the target. */
export interface TargetIds {
  /** By the id of the body. */
  readonly projects: Map<string, string>;
  /** Ids of project grants, by the granted organization and the id that the project has in the body. */
  readonly grants: Map<string, string>;
}

export const noTargetIds = () => ({ projects: new Map(), grants: new Map() });

export const grantKey = (org: string, projectId: string) => `${org}\n${projectId}`;

/**
 * Returns undefined, with a warning, if the token may not create them. Then users get no roles. Of several shards, one creates
 * each part and the others find it. Existing resources are left as they are.
 */
export async function createResources(
  context: ListContext,
  expected: readonly Resource[],
  added: AddedApps,
  notify: Notify,
) {
  const ids = noTargetIds();
  try {
    for (const group of groupsOf(expected, ids.projects))
      await createGroup(context, group, ids, added, notify);
    return ids;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const text = `Projects and roles of the body cannot be created: ${error.text}. Users are imported; their roles are refused.`;
    notify(warning('single:projects', text));
    return undefined;
  }
}

async function createGroup(
  context: ListContext,
  { kind, scope, expected }: Group,
  ids: TargetIds,
  added: AddedApps,
  notify: Notify,
) {
  const { batch, callsAtOnce } = kinds[kind];
  const keep = async (one: Resource, made: Made, isNew: boolean) => {
    if (kind === 'project') ids.projects.set(one.id, made.id);
    if (kind === 'grant') ids.grants.set(grantKey(one.name, one.parent), made.id);
    if (isNew || isAdded(added.adds, one, [one.parent, scope.parent])) {
      await keepSecret(context, scope, one, made, added.secrets);
    }
  };
  // If the service refuses an application, go on with the others and with the roles of users.
  const refuse = (error: unknown, some: readonly Resource[]) => {
    if (kind !== 'app' || !isRefusal(error)) throw error;
    const names = some.map(({ name }) => JSON.stringify(name)).join(', ');
    const text = `${some.length === 1 ? `Application ${names} is` : `Applications ${names} are`} not created: ${error.text}`;
    notify(warning('app:refused', text));
  };
  try {
    const there = await listResources(context.client, kind, scope);
    const known = expected.filter((one) => there.find(one) !== undefined);
    const missing = expected.filter((one) => there.find(one) === undefined);
    const parts = [...inParts(known, 1), ...inParts(missing, batch)];
    await forEachConcurrent(parts, callsAtOnce, async (some) => {
      const found = there.find(some[0]);
      try {
        const made = found ?? (await createSome(context, some, scope));
        for (const one of some) await keep(one, made, found === undefined);
      } catch (error) {
        refuse(error, some);
      }
    });
  } catch (error) {
    refuse(error, expected);
  }
}

const conflict = 409;

/**
 * Creates resources of one kind. If the answer was lost or another shard was faster, they may exist. Lists lag behind writes, so
 * if the service says that they exist, waits for them. If they do not exist, they are sent again, except identity providers, of
 * which the service allows several with one name. Throws `ApiError`.
 */
export async function createSome(
  context: ListContext,
  some: Some,
  scope: Scope,
  repeats: number = lostAnswers.resource,
) {
  const { client } = context;
  const [{ kind }] = some;
  const call = kinds[kind].create(some, scope.parent);
  const end = await client.attempt({ method: 'POST', org: scope.org, ...call });
  if (end.ok) return end.value;
  let found: Found | undefined;
  const look = async (): Promise<ListLook> => {
    const there = await listResources(client, kind, scope);
    const all = some.map((one) => there.find(one));
    [found] = all.includes(undefined) ? [] : all;
    return { isShown: found !== undefined || end.error.status !== conflict, time: -Infinity };
  };
  // Nothing says when the list will show them, so it is read until the wait is over.
  await waitUntil(context, { name: `${kinds[kind].one}s`, look, written: async () => Infinity });
  if (found !== undefined) return found;
  if (end.error.verdict !== 'unsure' || kind === 'idp' || repeats === 0) throw end.error;
  return createSome(context, some, scope, repeats - 1);
}
