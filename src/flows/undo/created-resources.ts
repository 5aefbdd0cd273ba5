/** Removes what a run created besides its users, once these are gone and unless others use it. */
import { memoized } from '../../lib/strings.ts';
import { ifRefused } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { note, warning } from '../../events.ts';
import { clockStep, type JournalProgress } from '../../journal/load.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import type { Resource, ResourceKind } from '../../records/resource.ts';
import { foldName } from '../../records/text.ts';
import { readRemovals } from '../reconcile/event-log.ts';
import { createdAt } from '../reconcile/find-users.ts';
import type { ListContext } from '../reconcile/list-lag.ts';
import { listIdps, readMadeIds } from '../resources/create-idps.ts';
import { countParts, type Listed, listResources } from '../resources/find.ts';
import { kinds, type Found, type Scope } from '../resources/kinds.ts';
import {
  fingerprintGrant,
  findWritten,
  listUserGrantPages,
  type UserGrant,
} from '../resources/user-grants.ts';
import { readSentUsers } from '../runs/journal-users.ts';
import { orgsOf, whyInUse, type InUseContext, countLinks } from './in-use.ts';
import { readRunRules, type RunRules } from './may-delete.ts';

/** `parent` is the id of the project in the journal. */
export type CreatedPart = Pick<Resource, 'kind' | 'org' | 'parent' | 'id' | 'name'>;

/** What a run may have created. */
export interface RunCreations extends Pick<RunRules, 'latest' | 'isOfRun'> {
  /** What is counted and confirmed. The parts of a run with users are removed with these. */
  readonly counts: 'user' | 'identity provider';
  readonly parts: readonly CreatedPart[];
  readonly journal: JournalProgress;
}

/** Includes organizations only if they still exist and are not newer than the run. Throws `ApiError`. */
export async function readCreations(
  context: ListContext,
  journal: JournalProgress,
  createdOrgs: 'keep' | 'delete',
): Promise<RunCreations> {
  const { client } = context;
  const { verb, creates = [] } = journal.header;
  if (verb === 'create-idps') {
    const parts = await findMade(context, journal);
    // The ids prove that the run created them.
    return { counts: 'identity provider', parts, journal, latest: Infinity, isOfRun: () => true };
  }
  const parts: CreatedPart[] = [];
  const run = { counts: 'user', parts, journal } as const;
  if (creates.length === 0) return { ...run, latest: -Infinity, isOfRun: () => false };
  const { latest, isOfRun } = await readRunRules(journal);
  await forEachConcurrent(creates, kinds.org.callsAtOnce, async ([kind, org, of, name]) => {
    if (kind === 'project') parts.push({ kind, org, parent: '', id: of, name });
    else if (kind !== 'org') parts.push({ kind, org, parent: of, id: '', name });
    else if (createdOrgs === 'delete') {
      const part = { kind, org, parent: '', id: of, name };
      const found = await findPart(listsOf(client), part, part);
      if (found !== undefined && found.createdAt <= latest) parts.push(part);
    }
  });
  return { ...run, latest, isOfRun };
}

/**
 * Reports which parts stay and why, and returns their number. A role can only be judged once the grants that name it are gone.
 */
export async function removeCreations(lists: ListContext, run: RunCreations) {
  const context = createContext(lists, run);
  const { emit, signal } = lists;
  let kept = 0;
  for (const { order, code, done, stays } of removals) {
    const removed: CreatedPart[] = [];
    for (const kind of order) {
      const own = run.parts.filter((part) => part.kind === kind);
      const work = async (part: CreatedPart) => {
        const [end, shown] = await removePart(context, run, part).catch(
          ifRefused(({ text }) => [text] as const),
        );
        if (end === 'removed') removed.push(part);
        if (end === 'removed' || end === 'gone') return;
        kept += 1;
        const text = kinds[kind].describe({ ...part, ...shown });
        emit(warning(stays, `${text.charAt(0).toUpperCase()}${text.slice(1)} stays: ${end}.`));
      };
      await forEachConcurrent(own, kinds[kind].callsAtOnce, work, signal);
    }
    if (removed.length > 0) emit(note(code, `${countParts(removed)} deleted, which the run ${done}.`));
  }
  return kept;
}

/** Kinds in the order of deletion, with the notices of each group. */
const removals = [
  {
    order: ['project', 'app', 'grant', 'role'],
    code: 'undo:projects',
    done: 'added',
    stays: 'undo:project',
  },
  { order: ['org'], code: 'undo:organizations', done: 'created', stays: 'undo:organization' },
  { order: ['idp'], code: 'undo:idps', done: 'created', stays: 'undo:idp' },
] as const;

function createContext(lists: ListContext, { parts, latest, journal }: RunCreations): InUseContext {
  const own = new Set(parts.map(({ kind, name }) => `${kind} ${foldName(name)}`));
  let removals: ReturnType<typeof readRemovals> | undefined;
  return {
    ...lists,
    latest,
    readRemovals: () => (removals ??= readRemovals(lists.client, journal.header.orgs)),
    isOwn: (kind, name) => own.has(`${kind} ${foldName(name)}`),
    countLinks: memoized((org) => countLinks(lists, org)),
  };
}

/** Kinds whose id proves that the run created them. For others, something else may have got the id or the name since. */
const provedById: ReadonlySet<ResourceKind> = new Set(['org', 'idp']);

type ReadList = (kind: ResourceKind, scope: Scope) => Promise<Listed>;

const listsOf =
  (client: Client): ReadList =>
  (kind, scope) =>
    listResources(client, kind, scope);

async function findPart(read: ReadList, { kind, id, name }: CreatedPart, scope: Scope) {
  return (await read(kind, scope)).find({ id, name: provedById.has(kind) ? '' : name });
}

/** Returns `removed`, `gone`, or why the part stays, with its ids at the target. */
async function removePart(
  context: InUseContext,
  run: RunCreations,
  part: CreatedPart,
): Promise<readonly [end: string, shown?: Pick<CreatedPart, 'id' | 'parent'>]> {
  const { client } = context;
  const { kind, org } = part;
  const located = await locate(listsOf(client), run, part);
  if (located === undefined) return ['gone'];
  const { found, scope, isOfRun } = located;
  const shown = { id: found.id, parent: scope.parent };
  if (!isOfRun) return ['it was not created while the run was at work', shown];
  if (kind !== 'app')
    await removeOwnGrants(client, run, kind === 'project' ? { org, parent: found.id } : scope);
  return [(await whyInUse[kind](context, found, scope)) ?? (await remove(client, part, scope, found)), shown];
}

/** Returns parts that still exist, including those that the token may not see. */
export async function findRemaining(client: Client, run: RunCreations) {
  const list = memoized((_, ...asked: Parameters<ReadList>) => listResources(client, ...asked), Infinity);
  const readOnce: ReadList = (kind, scope) => list([kind, scope.org, scope.parent].join('\n'), kind, scope);
  const remaining: CreatedPart[] = [];
  for (const part of run.parts) {
    const located = await locate(readOnce, run, part).catch(ifRefused(() => ({ isOfRun: true })));
    if (located?.isOfRun) remaining.push(part);
  }
  return remaining;
}

async function locate(read: ReadList, run: RunCreations, part: CreatedPart) {
  const { kind, org, parent } = part;
  const scope = { org, parent: '' };
  if (parent !== '') {
    // The service chose the id of a project that the run created with a single call.
    const project = run.parts.find((one) => one.kind === 'project' && one.id === parent);
    const there = (await read('project', scope)).find({ id: parent, name: project?.name ?? '' });
    if (there === undefined) return undefined;
    scope.parent = there.id;
  }
  const made = run.parts.map(({ id }) => id);
  const found = await findPart(read, part, { ...scope, made });
  return found && { found, scope, isOfRun: provedById.has(kind) || run.isOfRun(found.createdAt) };
}

async function remove(client: Client, part: CreatedPart, scope: Scope, { id }: Found) {
  const { kind, org } = part;
  const end = await client.attempt({ method: 'DELETE', path: kinds[kind].deletePath(scope.parent, id), org });
  if (end.ok || end.error.status === 404) return 'removed';
  if (end.error.verdict !== 'refused') throw end.error;
  const found = await findPart(listsOf(client), part, { ...scope, made: [part.id] });
  return found === undefined ? 'removed' : end.error.text;
}

/** Removes grants that the run gave to existing users. Grants that the journal does not name stay. */
async function removeOwnGrants(client: Client, { isOfRun, journal }: RunCreations, scope: Scope) {
  const { parent: projectId } = scope;
  if (projectId === '') return;
  const candidates: [fingerprint: string, grant: UserGrant][] = [];
  for (const inOrg of orgsOf(scope, await kinds.grant.list(client, scope))) {
    for await (const { result } of listUserGrantPages(client, inOrg, projectId)) {
      for (const grant of result.filter((one) => isOfRun(createdAt(one)))) {
        const { userId, roleKeys, orgId: org } = grant;
        candidates.push([fingerprintGrant({ org, userId, projectId, roleKeys }), grant]);
      }
    }
  }
  if (candidates.length === 0) return;
  const sought = new Set(candidates.map(([fingerprint]) => fingerprint));
  const written = await findWritten(journal, sought);
  const existed = new Set<string>();
  const named = new Set(candidates.map(([, { userId }]) => userId));
  for await (const { id, end } of readSentUsers(journal)) {
    if (end === 'existed' && named.has(id)) existed.add(id);
  }
  for (const [fingerprint, { id, userId, orgId }] of candidates) {
    if (!written.has(fingerprint) || !existed.has(userId)) continue;
    const own = `/management/v1/users/${encodeURIComponent(userId)}/grants/${encodeURIComponent(id)}`;
    const end = await client.attempt({ method: 'DELETE', path: own, org: orgId });
    if (!end.ok && end.error.verdict !== 'refused') throw end.error;
  }
}

/** Returns the identity providers of a `create-idps` run that still exist. Throws `ApiError`. */
async function findMade(context: ListContext, { path, header, open }: JournalProgress) {
  const { creates = [], orgs } = header;
  const ids = await readMadeIds(path);
  const [org = ''] = orgs;
  const nameOf = (entry: number) => creates[entry]?.[3] ?? '';
  const lost = open.map(({ entries: [entry = 0], at }) => ({ entry, at }));
  const unsure = new Map(lost.map(({ entry, at }) => [foldName(nameOf(entry)), at]));
  const there = await listIdps(context, org, [...ids.values()], unsure);
  // After a lost answer, it is the provider with this name that was created since.
  for (const { entry, at } of lost) {
    const found = there.find((idp) => idp.name === nameOf(entry) && idp.createdAt >= at - clockStep);
    if (found !== undefined) ids.set(entry, found.id);
  }
  const own = new Set(there.flatMap(({ id, isOfInstance }) => (isOfInstance === false ? [id] : [])));
  return Array.from(ids)
    .filter(([, id]) => own.has(id))
    .map(([entry, id]): CreatedPart => ({ kind: 'idp', org, parent: '', id, name: nameOf(entry) }));
}
