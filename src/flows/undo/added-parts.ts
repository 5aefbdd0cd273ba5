/** Projects, roles and project grants that a run added: removed once its users are, unless others use them. */
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { formatCounted } from '../../lib/quantity.ts';
import type { AddedPart } from '../../journal/lines.ts';
import type { LoadedJournal } from '../../journal/load.ts';
import {
  chooseProject,
  listApps,
  listProjectGrants,
  listProjects,
  listUserGrantPages,
  pathOf,
  type UserGrant,
} from '../projects/calls.ts';
import { readUser } from '../reconcile/find-users.ts';
import { pauseForList, type ListContext } from '../reconcile/list-lag.ts';
import { WriteTimes } from '../reconcile/write-times.ts';
import { readSentUsers, userTest } from '../resume/journal-users.ts';
import { readRunEnd } from './created-users.ts';

/** What a run may have added, and until when. */
export interface RunAdditions {
  readonly parts: readonly AddedPart[];
  /** What was created later is not of the run; on the service's clock. */
  readonly latest: number;
  /** Whether the run can have made what was created then. */
  readonly isOfRun: (createdAt: number) => boolean;
  readonly journalPath: string;
  readonly journal: Pick<LoadedJournal, 'header'>;
}

export async function readAdditions(
  path: string,
  journal: Pick<LoadedJournal, 'header' | 'writes'>,
): Promise<RunAdditions> {
  const { adds: parts = [], startedAt } = journal.header;
  const { lastCreation } = parts.length === 0 ? { lastCreation: 0 } : await readRunEnd(path);
  const times = new WriteTimes(journal);
  const latest = times.latest(Math.max(lastCreation, startedAt));
  const isOfRun = (createdAt: number): boolean =>
    times.isPossible(createdAt, startedAt) && createdAt <= latest;
  return { parts, latest, isOfRun, journalPath: path, journal };
}

/** Says which stay and why, and returns how many do. */
export async function removeAdded(context: ListContext, run: RunAdditions): Promise<number> {
  const counts = { removed: 0, kept: 0 };
  for (const part of inOrder(run.parts)) {
    if (context.signal.aborted) break;
    const end = await removePart(context, run, part).catch((error: unknown) => {
      if (error instanceof ApiError && error.verdict === 'refused') return error.text;
      throw error;
    });
    if (end === 'removed') counts.removed += 1;
    if (end === 'removed' || end === 'gone') continue;
    counts.kept += 1;
    const text = `${describe(part)} stays: ${end}.`;
    context.emit({ type: 'notice', level: 'warning', code: 'undo:project', text });
  }
  if (counts.removed > 0) {
    const text = `${formatCounted(counts.removed, 'project, role or project grant', 'projects, roles and project grants')} deleted, which the run added.`;
    context.emit({ type: 'notice', level: 'info', code: 'undo:projects', text });
  }
  return counts.kept;
}

/** A role can only be judged once the grants that name it are gone. */
const kinds = ['project', 'grant', 'role'] as const;
const inOrder = (parts: readonly AddedPart[]): AddedPart[] =>
  kinds.flatMap((kind) => parts.filter(([of]) => of === kind));

function describe([kind, , projectId, name]: AddedPart): string {
  if (kind === 'project') return `Project ${projectId} ${name}`;
  if (kind === 'role') return `Role ${name} of project ${projectId}`;
  return `The grant of project ${projectId} to organization ${name}`;
}

/** Anything else than these words is why it stays. */
async function removePart(
  context: ListContext,
  run: RunAdditions,
  [kind, org, projectId, name]: AddedPart,
): Promise<string> {
  const { client } = context;
  const found = chooseProject(await listProjects(client, org), {
    id: projectId,
    name: kind === 'project' ? name : '',
  });
  if (found === undefined) return 'gone';
  // Since the run, another may have got its id or its name.
  if (kind === 'project' && !run.isOfRun(createdAt(found))) {
    return 'it was not created while the run was at work';
  }
  const shared = await listProjectGrants(client, org, found.id);
  const orgs = [org, ...shared.map(({ grantedOrgId }) => grantedOrgId)];
  await removeOwnGrants(context, run, orgs, found.id);
  if (kind === 'project') {
    const used = await whyUsed(context, run, orgs, found.id);
    return used ?? remove(client, org, pathOf(found.id));
  }
  if (kind === 'grant') {
    const grant = shared.find(({ grantedOrgId }) => grantedOrgId === name);
    if (grant === undefined) return 'gone';
    const used = await findGrantInUse(
      context,
      [name],
      found.id,
      (each) => each.projectGrantId === grant.grantId,
    );
    if (used !== undefined) return `${used.userName} (${used.userId}) has roles by it`;
    return remove(client, org, `${pathOf(found.id)}/grants/${encodeURIComponent(grant.grantId)}`);
  }
  const used = await findGrantInUse(context, orgs, found.id, ({ roleKeys }) => roleKeys.includes(name));
  if (used !== undefined) return `${used.userName} (${used.userId}) has it`;
  const holder = shared.find(({ grantedRoleKeys }) => grantedRoleKeys.includes(name));
  if (holder !== undefined) return `it is granted to organization ${holder.grantedOrgId}`;
  return remove(client, org, `${pathOf(found.id)}/roles/${encodeURIComponent(name)}`);
}

const createdAt = ({ details }: Pick<UserGrant, 'details'>): number =>
  Date.parse(details?.creationDate ?? '');

async function remove(client: Client, org: string, path: string): Promise<string> {
  const end = await client.attempt({ method: 'DELETE', path, org, repeat: 'safe' });
  if (end.ok) return 'removed';
  if (end.error.verdict !== 'refused') throw end.error;
  return end.error.status === 404 ? 'gone' : end.error.text;
}

/** `orgs`: that of the project first. */
async function whyUsed(
  context: ListContext,
  { latest }: RunAdditions,
  orgs: readonly string[],
  projectId: string,
): Promise<string | undefined> {
  const apps = await listApps(context.client, orgs[0] ?? '', projectId);
  const app = apps.find(({ details }) => Date.parse(details?.creationDate ?? '') > latest);
  if (app !== undefined) return `it has an application that was created since, ${app.name}`;
  const grant = await findGrantInUse(context, orgs, projectId, () => true);
  return grant === undefined ? undefined : `${grant.userName} (${grant.userId}) has roles of it`;
}

const pause = 2000;

/** The list may still show grants of users who are gone: then it is asked again. */
async function findGrantInUse(
  context: ListContext,
  orgs: readonly string[],
  projectId: string,
  isMeant: (grant: UserGrant) => boolean,
): Promise<UserGrant | undefined> {
  const { client, wait } = context;
  for (;;) {
    const first = await findGrant(grantsOfProject(client, orgs, projectId), isMeant);
    if (first === undefined || wait.left <= 0) return first;
    if ((await readUser(client, first.orgId, { id: first.userId, userName: '' })) !== undefined) return first;
    await pauseForList(context, pause);
  }
}

async function findGrant(
  grants: AsyncIterable<UserGrant>,
  isMeant: (grant: UserGrant) => boolean,
): Promise<UserGrant | undefined> {
  for await (const grant of grants) if (isMeant(grant)) return grant;
  return undefined;
}

/** One after the other: a project may have as many as there are users. */
async function* grantsOfProject(
  client: Client,
  orgs: readonly string[],
  projectId: string,
): AsyncGenerator<UserGrant> {
  for (const org of new Set(orgs)) {
    for await (const { grants } of listUserGrantPages(client, org, [{ projectIdQuery: { projectId } }])) {
      yield* grants;
    }
  }
}

/** Grants that the run gave to users who were there before: those are in the journal, and stay. */
async function removeOwnGrants(
  { client }: ListContext,
  { isOfRun, journalPath, journal: { header } }: RunAdditions,
  orgs: readonly string[],
  projectId: string,
): Promise<void> {
  const candidates: UserGrant[] = [];
  for await (const grant of grantsOfProject(client, orgs, projectId)) {
    if (isOfRun(createdAt(grant))) candidates.push(grant);
  }
  if (candidates.length === 0) return;
  const existed = new Set<string>();
  const named = new Set(candidates.map(({ userId }) => userId));
  for await (const { id, end } of readSentUsers(journalPath, userTest(header, journalPath))) {
    if (end === 'existed' && named.has(id)) existed.add(id);
  }
  for (const { id, userId, orgId } of candidates.filter((grant) => existed.has(grant.userId))) {
    const path = `/management/v1/users/${encodeURIComponent(userId)}/grants/${encodeURIComponent(id)}`;
    await remove(client, orgId, path);
  }
}
