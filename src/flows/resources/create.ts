/** Creates what a source needs at the target and what is missing there, by calls of their own. */
import { ApiError } from '../../api/api-error.ts';
import { warning } from '../../events.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import type { Resource } from '../../records/resource.ts';
import { pauseForList, type ListContext } from '../reconcile/list-lag.ts';
import { isAdded, keepSecret, type AddedApps } from './app-secrets.ts';
import { inOrder, listResources } from './find.ts';
import { kinds, type Made, type Place } from './kinds.ts';

/** Ids at the target. */
export interface TargetIds {
  /** By the id of the body. */
  readonly projects: Map<string, string>;
  /** Of grants, by the organization and the id that the project has in the body. */
  readonly grants: Map<string, string>;
  /** Applications that the service has refused. */
  refusedApps: number;
}

export const noTargetIds = (): TargetIds => ({ projects: new Map(), grants: new Map(), refusedApps: 0 });

export const grantKey = (org: string, projectId: string): string => `${org}\n${projectId}`;

/**
 * Undefined, with a warning, where the token may not do it: then users get no roles. Of several shards one creates each
 * part, and the others find it. Those that are there are left as they are.
 */
export async function createResources(
  context: ListContext,
  wanted: readonly Resource[],
  added: AddedApps,
): Promise<TargetIds | undefined> {
  const ids = noTargetIds();
  try {
    for (const group of groupsOf(inOrder(wanted))) await createGroup(context, group, ids, added);
    return ids;
  } catch (error) {
    if (!(error instanceof ApiError) || error.verdict !== 'refused') throw error;
    const text = `Projects and roles of the body cannot be created: ${error.text || error.message}. Users are imported; their roles are refused.`;
    context.emit(warning('single:projects', text));
    return undefined;
  }
}

type Group = readonly [Resource, ...Resource[]];

/** Resources of one kind in one place. */
function groupsOf(resources: readonly Resource[]): Iterable<Group> {
  const groups = new Map<string, [Resource, ...Resource[]]>();
  for (const one of resources) {
    const place = [one.kind, one.org, one.parent].join('\n');
    const group = groups.get(place);
    if (group === undefined) groups.set(place, [one]);
    else group.push(one);
  }
  return groups.values();
}

async function createGroup(
  context: ListContext,
  group: Group,
  ids: TargetIds,
  added: AddedApps,
): Promise<void> {
  const [{ kind, org, parent }] = group;
  const { batch, callsAtOnce } = kinds[kind];
  const place = { org, parent: ids.projects.get(parent) ?? parent };
  const keep = async (one: Resource, made: Made, isNew: boolean): Promise<void> => {
    if (kind === 'project') ids.projects.set(one.id, made.id);
    if (kind === 'grant') ids.grants.set(grantKey(one.name, parent), made.id);
    if (isNew || isAdded(added.adds, one, [parent, place.parent])) {
      await keepSecret(context, place, one, made, added.secrets);
    }
  };
  // An application that the service does not take is no reason to leave out the others, or the roles of users.
  const refuse = (error: unknown, some: Group): void => {
    if (kind !== 'app' || !(error instanceof ApiError) || error.verdict !== 'refused') throw error;
    ids.refusedApps += some.length;
    const names = some.map(({ name }) => JSON.stringify(name)).join(', ');
    const text = `${some.length === 1 ? `Application ${names} is` : `Applications ${names} are`} not created: ${error.text}`;
    context.emit(warning('app:refused', text));
  };
  try {
    const there = await listResources(context.client, kind, place);
    const missing: Resource[] = [];
    const parts: Group[] = [];
    for (const one of group) {
      if (there.find(one) === undefined) missing.push(one);
      else parts.push([one]);
    }
    for (let at = 0; at < missing.length; at += batch)
      parts.push(missing.slice(at, at + batch) as [Resource]);
    await forEachConcurrent(parts, callsAtOnce, async (some) => {
      const found = there.find(some[0]);
      try {
        const made = found ?? (await createSome(context, some, place));
        for (const one of some) await keep(one, made, found === undefined);
      } catch (error) {
        refuse(error, some);
      }
    });
  } catch (error) {
    refuse(error, group);
  }
}

const conflict = 409;

/**
 * Of one kind. An answer that was lost may have created them, or another shard. Lists lag behind writes, so where the service
 * says that they are there, they are waited for. Throws `ApiError`.
 */
export async function createSome(context: ListContext, some: Group, place: Place): Promise<Made> {
  const { client, wait } = context;
  const [{ kind }] = some;
  const call = kinds[kind].create(some, place.parent);
  const end = await client.attempt({ method: 'POST', org: place.org, repeat: 'unsafe', ...call });
  if (end.ok) return end.value;
  for (;;) {
    const there = await listResources(client, kind, place);
    const [found, ...others] = some.map((one) => there.find(one));
    if (found !== undefined && !others.includes(undefined)) return found;
    if (end.error.status !== conflict || wait.left <= 0) throw end.error;
    await pauseForList(context, 1000);
  }
}
