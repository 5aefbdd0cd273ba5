/** Projects, roles, project grants and applications that a run added: removed once its users are, unless others use them. */
import { note, warning } from '../../events.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import type { AddedPart } from '../../journal/lines.ts';
import type { LoadedJournal } from '../../journal/load.ts';
import { countParts } from '../resources/find.ts';
import {
  chooseApp,
  chooseProject,
  listApps,
  listMembers,
  listProjectGrants,
  listProjects,
  listRoles,
  pathOf,
  type FoundApp,
} from '../projects/calls.ts';
import {
  fingerprintGrant,
  findWritten,
  listUserGrantPages,
  type UserGrant,
} from '../resources/user-grants.ts';
import { foldName } from '../../records/text.ts';
import { readUser } from '../reconcile/find-users.ts';
import { listTimeOf, pauseForList, readLastGranted, type ListContext } from '../reconcile/list-lag.ts';
import { readSentUsers, userTest } from '../resume/journal-users.ts';
import { readRunRules, type RunRules } from './may-delete.ts';

/** What a run may have added. */
export interface RunAdditions extends Pick<RunRules, 'latest' | 'isOfRun'> {
  readonly parts: readonly AddedPart[];
  readonly journalPath: string;
  readonly journal: Pick<LoadedJournal, 'header'>;
}

const nothingAdded = { latest: -Infinity, isOfRun: () => false };

export async function readAdditions(
  journalPath: string,
  journal: Pick<LoadedJournal, 'header' | 'writes'>,
): Promise<RunAdditions> {
  const { adds: parts = [] } = journal.header;
  const rules = parts.length === 0 ? nothingAdded : await readRunRules(journalPath, journal);
  return { parts, latest: rules.latest, isOfRun: rules.isOfRun, journalPath, journal };
}

/** Says which stay and why, and returns how many do. */
export async function removeAdded(context: ListContext, run: RunAdditions): Promise<number> {
  const removed: AddedPart[] = [];
  let kept = 0;
  for (const part of inOrder(run.parts)) {
    if (context.signal.aborted) break;
    const end = await removePart(context, run, part).catch((error: unknown) => {
      if (error instanceof ApiError && error.verdict === 'refused') return error.text;
      throw error;
    });
    if (end === 'removed') removed.push(part);
    if (end === 'removed' || end === 'gone') continue;
    kept += 1;
    const text = `${describe(part)} stays: ${end}.`;
    context.emit(warning('undo:project', text));
  }
  if (removed.length > 0) {
    const text = `${countParts(removed)} deleted, which the run added.`;
    context.emit(note('undo:projects', text));
  }
  return kept;
}

/** A role can only be judged once the grants that name it are gone; an application goes with its project. */
const kinds = ['project', 'app', 'grant', 'role'] as const;
const inOrder = (parts: readonly AddedPart[]): AddedPart[] =>
  kinds.flatMap((kind) => parts.filter(([of]) => of === kind));

function describe([kind, , projectId, name]: AddedPart): string {
  if (kind === 'project') return `Project ${projectId} ${name}`;
  if (kind === 'app') return `Application ${name} of project ${projectId}`;
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
  // Of one that the run added by a single call, the service has chosen the id.
  const [, , , projectName = ''] = run.parts.find(([of, , id]) => of === 'project' && id === projectId) ?? [];
  const found = chooseProject(await listProjects(client, org), { id: projectId, name: projectName });
  if (found === undefined) return 'gone';
  // Since the run, another may have got its id or its name.
  if (kind === 'project' && !run.isOfRun(createdAt(found))) {
    return notOfRun;
  }
  if (kind === 'app') return removeApp(client, run, [org, found.id, name]);
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
    if (!run.isOfRun(createdAt(grant))) return notOfRun;
    const used = await findGrantInUse(
      context,
      [name],
      found.id,
      (each) => each.projectGrantId === grant.grantId,
    );
    if (used !== undefined) return `${used.userName} (${used.userId}) has roles by it`;
    return remove(client, org, `${pathOf(found.id)}/grants/${encodeURIComponent(grant.grantId)}`);
  }
  const role = (await listRoles(client, org, found.id)).find(({ key }) => key === name);
  if (role === undefined) return 'gone';
  if (!run.isOfRun(createdAt(role))) return notOfRun;
  const used = await findGrantInUse(context, orgs, found.id, ({ roleKeys }) => roleKeys.includes(name));
  if (used !== undefined) return `${used.userName} (${used.userId}) has it`;
  const holder = shared.find(({ grantedRoleKeys }) => grantedRoleKeys.includes(name));
  if (holder !== undefined) return `it is granted to organization ${holder.grantedOrgId}`;
  return remove(client, org, `${pathOf(found.id)}/roles/${encodeURIComponent(name)}`);
}

const notOfRun = 'it was not created while the run was at work';

async function removeApp(
  client: Client,
  { isOfRun }: RunAdditions,
  [org, projectId, name]: readonly [org: string, projectId: string, name: string],
): Promise<string> {
  const app = chooseApp(await listApps(client, org, projectId), { id: '', name });
  if (app === undefined) return 'gone';
  if (!isOfRun(createdAt(app))) return notOfRun;
  return remove(client, org, `${pathOf(projectId)}/apps/${encodeURIComponent(app.id)}`);
}

const createdAt = ({ details }: Pick<UserGrant, 'details'>): number =>
  Date.parse(details?.creationDate ?? '');

async function remove(client: Client, org: string, path: string): Promise<string> {
  const end = await client.attempt({ method: 'DELETE', path, org, repeat: 'safe' });
  if (end.ok) return 'removed';
  if (end.error.verdict !== 'refused') throw end.error;
  return end.error.status === 404 ? 'gone' : end.error.text;
}

/** `orgs`: that of the project first. What was there before the end of the run is the run's: the project is. */
async function whyUsed(
  context: ListContext,
  { parts, latest }: RunAdditions,
  orgs: readonly string[],
  projectId: string,
): Promise<string | undefined> {
  const { client } = context;
  const [org = ''] = orgs;
  const isLater = ({ details }: Pick<UserGrant, 'details'>): boolean => !(createdAt({ details }) <= latest);
  const own = new Set(parts.map(([kind, , , name]) => `${kind} ${foldName(name)}`));
  const isOther = ({ name }: FoundApp): boolean => !own.has(`app ${foldName(name)}`);
  const app = (await listApps(client, org, projectId)).find((each) => isLater(each) || isOther(each));
  if (app !== undefined) return `it has an application that was created or renamed since, ${app.name}`;
  const role = (await listRoles(client, org, projectId)).find(isLater);
  if (role !== undefined) return `it has a role that was created since, ${role.key}`;
  const shared = (await listProjectGrants(client, org, projectId)).find(isLater);
  if (shared !== undefined) return `it was granted since to organization ${shared.grantedOrgId}`;
  const member = (await listMembers(client, org, projectId)).find(isLater);
  if (member !== undefined) return `user ${member.userId} was made a manager of it since`;
  const late = await whyUnknown(context, orgs, projectId);
  if (late !== undefined) return late;
  const grant = await findGrantInUse(context, orgs, projectId, () => true);
  return grant === undefined ? undefined : `${grant.userName} (${grant.userId}) has roles of it`;
}

/** Undefined once the list of user grants shows all that were written. */
async function whyUnknown(
  context: ListContext,
  orgs: readonly string[],
  projectId: string,
): Promise<string | undefined> {
  const { client, wait } = context;
  const written = await readLastGranted(client);
  if (written === undefined)
    return 'the token may not read events, so users may have roles of it that no list shows yet';
  for (;;) {
    let time = Infinity;
    for (const org of new Set(orgs)) {
      for await (const page of listUserGrantPages(client, org, [{ projectIdQuery: { projectId } }])) {
        time = Math.min(time, listTimeOf(page.details) ?? Infinity);
        break;
      }
    }
    if (time >= written) return undefined;
    if (wait.left <= 0)
      return 'the list of user grants of the service is behind, so users may have roles of it; run the same command again';
    await pauseForList(context, pause);
  }
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
    for await (const { result } of listUserGrantPages(client, org, [{ projectIdQuery: { projectId } }])) {
      yield* result;
    }
  }
}

/** Grants that the run gave to users who were there before. Those that the journal does not name stay. */
async function removeOwnGrants(
  { client }: ListContext,
  { isOfRun, journalPath, journal: { header } }: RunAdditions,
  orgs: readonly string[],
  projectId: string,
): Promise<void> {
  const candidates: [fingerprint: string, grant: UserGrant][] = [];
  for await (const grant of grantsOfProject(client, orgs, projectId)) {
    if (!isOfRun(createdAt(grant))) continue;
    const { userId, roleKeys, orgId: org } = grant;
    candidates.push([fingerprintGrant({ org, userId, projectId, roleKeys }), grant]);
  }
  if (candidates.length === 0) return;
  const written = await findWritten(journalPath, new Set(candidates.map(([fingerprint]) => fingerprint)));
  const existed = new Set<string>();
  const named = new Set(candidates.map(([, { userId }]) => userId));
  for await (const { id, end } of readSentUsers(journalPath, userTest(header, journalPath))) {
    if (end === 'existed' && named.has(id)) existed.add(id);
  }
  for (const [fingerprint, { id, userId, orgId }] of candidates) {
    if (!written.has(fingerprint) || !existed.has(userId)) continue;
    const path = `/management/v1/users/${encodeURIComponent(userId)}/grants/${encodeURIComponent(id)}`;
    await remove(client, orgId, path);
  }
}
