/** Finds what a source needs besides its users at the target, by id, else by name, and compares it. */
import { ApiError, isRefusal, ifRefused } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { UsageError } from '../../errors.ts';
import { type Emit, note, warning } from '../../events.ts';
import type { CreatedResource } from '../../journal/lines.ts';
import { formatCounted, formatCount } from '../../lib/format.ts';
import { groupBy } from '../../lib/group-by.ts';
import {
  type TargetOrg,
  type Resource,
  type ResourceKind,
  deriveProjectId,
  deriveNumericId,
} from '../../records/resource.ts';
import { kinds, type Found, type Scope } from './kinds.ts';
import { forEachEvent, idOf } from '../reconcile/event-log.ts';
import { count } from '../../records/tally.ts';
import { foldName } from '../../records/text.ts';
import { readOwnOrg } from '../preflight/check-orgs.ts';
import { noSuchOrg } from '../reconcile/look-up.ts';

/** Resources of one kind in one organization, or in one project if they belong to it. */
export interface Group {
  readonly kind: ResourceKind;
  /** Scope at the target. */
  readonly scope: Scope;
  /** Whether their project does not exist yet. */
  readonly isNew: boolean;
  readonly expected: readonly Resource[];
}

/** `ids` has ids of projects at the target by those in the source. The caller adds what it finds, group by group. */
export function* groupsOf(
  resources: readonly Resource[],
  ids: ReadonlyMap<string, string>,
): Generator<Group> {
  const ordered = Object.keys(kinds).flatMap((kind) => resources.filter((one) => one.kind === kind));
  const groups = groupBy(ordered, ({ kind, org, parent }) => [kind, org, parent].join('\n'));
  const projects = new Set(resources.flatMap(({ kind, id }) => (kind === 'project' ? [id] : [])));
  for (const expected of groups.values()) {
    const [{ kind, org, parent }] = expected as [Resource];
    const isNew = projects.has(parent) && !ids.has(parent);
    yield { kind, scope: { org, parent: ids.get(parent) ?? parent }, isNew, expected };
  }
}

/** Resources of one organization or project. */
export interface Listed {
  /** Finds by id, else by name unless it is empty. A single call cannot give a resource the id that a body has. */
  find(one: Pick<Resource, 'id' | 'name'>): Found | undefined;
}

const nothing: Listed = { find: () => undefined };

export async function listResources(client: Client, kind: ResourceKind, scope: Scope): Promise<Listed> {
  const { key, list } = kinds[kind];
  const all = await list(client, scope);
  const byId = new Map(all.map((found) => [found.id, found]));
  const byName = new Map(all.toReversed().map((found) => [key(found.name), found]));
  return { find: ({ id, name }) => byId.get(id) ?? (name === '' ? undefined : byName.get(key(name))) };
}

/**
 * Returns the organizations that cannot use an identity provider, by its id. One that does not exist yet can use those of the
 * instance. Throws `ApiError`, also if none exists.
 */
export async function listUsableIdps(client: Client, orgs: readonly string[]) {
  const barred = new Map<string, ReadonlySet<string>>();
  let missing = 0;
  const ifNoOrg = (error: unknown) => {
    if (error instanceof ApiError && error.id === noSuchOrg && ++missing < orgs.length) return [];
    throw error;
  };
  for (const org of orgs) {
    const others = new Set(orgs.filter((other) => other !== org));
    for (const { id, isOfInstance } of await kinds.idp.list(client, { org, parent: '' }).catch(ifNoOrg))
      barred.set(id, isOfInstance ? new Set() : others);
  }
  return barred;
}

/** `by id`: the bulk import gives a project the id of the body. `by name`: single calls cannot do that. */
type ProjectMatch = 'by id' | 'by name';

/**
 * Returns the resources that are not at the target, which the run adds. `missing` are organizations that do not exist either.
 * Empty if the token may not look. Then undo leaves them. Throws `UsageError` if another project has the name of one that
 * `migrate --roles` made.
 */
export async function findAdded(
  client: Client,
  expected: readonly Resource[],
  missing: readonly TargetOrg[],
  match: ProjectMatch,
) {
  const ids = new Map<string, string>();
  const added: CreatedResource[] = [];
  try {
    for (const { kind, scope, isNew, expected: some } of groupsOf(expected, ids)) {
      const isProject = kind === 'project';
      const { org, parent } = scope;
      const isThere = !isNew && missing.every(({ orgId }) => orgId !== org);
      const there = isThere ? await listResources(client, kind, scope) : nothing;
      for (const one of some) {
        const { id, name } = one;
        const byId = isProject && match === 'by id';
        const found = there.find(byId ? { id, name: '' } : one);
        if (isProject && found !== undefined) ids.set(id, found.id);
        if (found !== undefined) continue;
        if (byId) refuseTaken(one, there.find({ id: '', name }));
        // Roles and grants go with a project that is added.
        if (isThere || isProject || kind === 'app') added.push([kind, org, isProject ? id : parent, name]);
      }
    }
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
  return added;
}

/**
 * Throws for a project of our own making that the service would refuse, with all its roles and grants. Other bodies have ids of
 * their own.
 */
function refuseTaken({ org, id, name }: Resource, other: Found | undefined) {
  if (other === undefined || id !== deriveProjectId(org, name)) return;
  throw new UsageError(
    `organization ${org} has another project named ${name} (${other.id})`,
    `Nothing was sent. Convert again with \`idport migrate --roles=project:${other.id}\`, or with another name.`,
  );
}

/** Returns text such as `1 project with its roles, 4 applications`. */
export function countParts(parts: readonly { readonly kind: ResourceKind }[]) {
  const counts = new Map<ResourceKind, number>();
  for (const { kind } of parts) count(counts, kind);
  return Array.from(counts, ([kind, count]) =>
    kind === 'project'
      ? formatCounted(count, 'project with its roles', 'projects with their roles')
      : formatCounted(count, kinds[kind].one),
  ).join(', ');
}

export function reportAdded(added: readonly CreatedResource[], dryRun: boolean, emit: Emit) {
  if (added.length === 0) return;
  emit(
    note(
      'role:added',
      `${countParts(added.map(([kind]) => ({ kind })))} ${dryRun ? 'would be added' : 'added'}.`,
    ),
  );
}

/**
 * Returns ids to use instead, by those of the body, for deleted projects and their applications. They follow a fixed order, so
 * that every run uses the same. Empty if the token may not read the event log.
 */
export async function findFreshIds(client: Client, resources: readonly Resource[], emit: Emit) {
  const ids = new Map<string, string>();
  const projects = resources.filter(({ kind }) => kind === 'project');
  const removed = new Set<string>();
  const query = { eventTypes: ['project.removed'] };
  if (projects.length > 0) await forEachEvent(client, query, (event) => removed.add(idOf(event)));
  for (const { id, name } of projects) {
    let fresh = id;
    for (let next = 2; removed.has(fresh); next++) fresh = deriveNumericId('project again', id, String(next));
    if (fresh === id) continue;
    ids.set(id, fresh);
    for (const one of resources) {
      if (one.kind === 'app' && one.parent === id)
        ids.set(one.id, deriveNumericId('application', fresh, one.id));
    }
    const text = `Project ${id} ${name} was deleted at the target, and its roles stay taken: it gets the id ${fresh}.`;
    emit(note('role:removed', text));
  }
  return ids;
}

/**
 * Returns the organizations that exist. One without a name is not created by an import, so its absence is left to the calls that
 * follow. A different name is only noted, because an import leaves existing organizations as they are.
 */
export async function compareOrgs(client: Client, orgs: readonly TargetOrg[], emit: Emit) {
  const there: string[] = [];
  const code = 'verify:organization';
  for (const org of orgs) {
    const { orgId: id, name } = org;
    const found = name === '' ? { name } : await readOwnOrg(client, org);
    if (found === undefined || found === 'removed') {
      emit(warning(code, `organization ${id} ${name} is not at the target, nor are its users`));
      continue;
    }
    there.push(id);
    if (foldName(found.name) !== foldName(name)) {
      emit(note(code, `organization ${id} is ${found.name} at the target, and ${name} in the body`));
    }
  }
  return { there, missing: orgs.length - there.length };
}

/** Reports which resources are missing or differ. Does not name the parts of a missing project. Throws `ApiError`. */
export async function compareResources(client: Client, expected: readonly Resource[], emit: Emit) {
  const projectIds = new Map<string, string>();
  let missing = 0;
  for (const { kind, scope, isNew, expected: some } of groupsOf(expected, projectIds)) {
    const { differing, describe } = kinds[kind];
    if (differing === undefined || isNew) continue;
    const there = await listResources(client, kind, scope);
    for (const one of some) {
      const found = there.find(one);
      if (kind === 'project' && found !== undefined) projectIds.set(one.id, found.id);
      const fields = found === undefined ? [] : differing(one, found);
      if (found !== undefined && fields.length === 0) continue;
      missing += 1;
      const roles = kind === 'project' ? ', nor are its roles' : '';
      const what = found === undefined ? `is not at the target${roles}` : `differs in ${fields.join(', ')}`;
      emit(warning('verify:project', `${describe({ ...one, ...scope })} ${what}`));
    }
  }
  return { projectIds, missing };
}

/**
 * Returns how many of the identity providers no organization has, and reports which. `idps` has ids by alias. Throws `ApiError`.
 */
export async function compareIdps(
  client: Client,
  orgs: readonly string[],
  idps: Readonly<Record<string, string>>,
  emit: Emit,
) {
  const named = Object.entries(idps);
  if (named.length === 0) return 0;
  const there = await listUsableIdps(client, orgs).catch(ifRefused(({ text }) => text));
  if (typeof there === 'string') {
    emit(warning('verify:idps', `Identity providers are not compared: ${there}`));
    return 0;
  }
  const missing = named.filter(([, id]) => !there.has(id));
  for (const [alias, id] of missing) {
    const text = `Identity provider ${JSON.stringify(alias)} is not at the target: no organization has ${id}.`;
    emit(warning('verify:idp', text));
  }
  const found = formatCount(named.length - missing.length);
  const text = `${found} of ${formatCounted(named.length, 'identity provider')} at the target.`;
  emit(note('verify:idps', text));
  return missing.length;
}
