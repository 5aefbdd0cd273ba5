/** Creates the projects, roles, project grants and applications of a body that are missing, before the users whom they are granted to. */
import { ApiError } from '../../api/api-error.ts';
import { type Emit, note, warning } from '../../events.ts';
import { countParts } from '../projects/count-parts.ts';
import type { AddedPart } from '../../journal/lines.ts';
import {
  orgsOf,
  type BodyProject,
  type BodyProjects,
  type BodyRole,
} from '../../sources/org-data/projects.ts';
import { createApps, type AddedApps } from '../apps/create-apps.ts';
import { addProjectGrantResponse, addProjectResponse } from '../../wire/project.ts';
import {
  chooseProject,
  listProjectGrants,
  listProjects,
  listRoles,
  pathOf,
  type FoundProject,
} from '../projects/calls.ts';
import { findCreated } from '../projects/find-created.ts';
import type { ListContext } from '../reconcile/list-lag.ts';

/** Ids at the target. */
export interface ProjectIds {
  /** By the id of the body. */
  readonly projects: Map<string, string>;
  /** Of grants, by the organization and the id that the project has in the body. */
  readonly grants: Map<string, string>;
  /** Applications that the service has refused. */
  refusedApps: number;
}

export const noProjectIds = (): ProjectIds => ({ projects: new Map(), grants: new Map(), refusedApps: 0 });

export const grantKey = (org: string, projectId: string): string => `${org}\n${projectId}`;

/** Where all users go to one organization: so does what the body says of its projects. */
export function withOrg(body: BodyProjects, org: string | undefined): BodyProjects {
  if (org === undefined) return body;
  const move = <Part extends { readonly org: string }>(parts: readonly Part[]): Part[] =>
    parts.map((part) => ({ ...part, org }));
  const { projects, roles, grants, apps } = body;
  return { ...body, projects: move(projects), roles: move(roles), grants: move(grants), apps: move(apps) };
}

/**
 * Undefined, with a warning, where the token may not do it: then users get no roles. Of several shards one creates each
 * part, and the others find it.
 */
export async function createProjects(
  context: ListContext,
  body: BodyProjects,
  added: AddedApps,
): Promise<ProjectIds | undefined> {
  const ids = noProjectIds();
  try {
    for (const org of orgsOf(body)) {
      await createInOrg(context, body, org, ids);
      ids.refusedApps += await createApps(context, { body, org, projectIds: ids.projects, added });
    }
    return ids;
  } catch (error) {
    if (!(error instanceof ApiError) || error.verdict !== 'refused') throw error;
    const text = `Projects and roles of the body cannot be created: ${error.text || error.message}. Users are imported; their roles are refused.`;
    context.emit(warning('single:projects', text));
    return undefined;
  }
}

async function createInOrg(
  context: ListContext,
  body: BodyProjects,
  org: string,
  ids: ProjectIds,
): Promise<void> {
  const { client } = context;
  let there = await listProjects(client, org);
  for (const project of body.projects.filter((each) => each.org === org)) {
    const found = chooseProject(there, project) ?? (await createProject(context, project));
    if (!there.includes(found)) there = [...there, found];
    ids.projects.set(project.id, found.id);
  }
  const roles = body.roles.filter((role) => role.org === org);
  const grants = body.grants.filter((grant) => grant.org === org);
  for (const id of new Set([...roles, ...grants].map(({ projectId }) => projectId))) {
    const target = ids.projects.get(id) ?? id;
    await addRoles(
      context,
      org,
      target,
      roles.filter(({ projectId }) => projectId === id),
    );
    const ofProject = grants.filter(({ projectId }) => projectId === id);
    if (ofProject.length === 0) continue;
    const known = await listProjectGrants(client, org, target);
    for (const { grantedOrg, roleKeys } of ofProject) {
      const grantId =
        known.find(({ grantedOrgId }) => grantedOrgId === grantedOrg)?.grantId ??
        (await grantProject(context, { org, projectId: target, grantedOrg, roleKeys }));
      ids.grants.set(grantKey(grantedOrg, id), grantId);
    }
  }
}

async function createProject(
  context: ListContext,
  { org, name, settings }: BodyProject,
): Promise<FoundProject> {
  const { client } = context;
  const end = await client.attempt({
    method: 'POST',
    path: '/management/v1/projects',
    org,
    body: settings,
    repeat: 'unsafe',
    answer: addProjectResponse,
  });
  if (end.ok) return { id: end.value.id, name };
  return findCreated(context, end.error, async () =>
    chooseProject(await listProjects(client, org), { id: '', name }),
  );
}

const mostAtOnce = 100;

async function addRoles(
  context: ListContext,
  org: string,
  projectId: string,
  roles: readonly BodyRole[],
): Promise<void> {
  if (roles.length === 0) return;
  const { client } = context;
  const missingOf = async (some: readonly BodyRole[]): Promise<BodyRole[]> => {
    const known = new Set((await listRoles(client, org, projectId)).map(({ key }) => key));
    return some.filter(({ key }) => !known.has(key));
  };
  const missing = await missingOf(roles);
  for (let at = 0; at < missing.length; at += mostAtOnce) {
    const batch = missing.slice(at, at + mostAtOnce);
    const end = await client.attempt({
      method: 'POST',
      path: `${pathOf(projectId)}/roles/_bulk`,
      org,
      body: { roles: batch.map(({ key, displayName, group }) => ({ key, displayName, group })) },
      repeat: 'unsafe',
    });
    if (end.ok) continue;
    await findCreated(context, end.error, async () =>
      (await missingOf(batch)).length === 0 ? true : undefined,
    );
  }
}

interface ProjectGrant {
  readonly org: string;
  readonly projectId: string;
  readonly grantedOrg: string;
  readonly roleKeys: readonly string[];
}

async function grantProject(
  context: ListContext,
  { org, projectId, grantedOrg, roleKeys }: ProjectGrant,
): Promise<string> {
  const { client } = context;
  const end = await client.attempt({
    method: 'POST',
    path: `${pathOf(projectId)}/grants`,
    org,
    body: { grantedOrgId: grantedOrg, roleKeys },
    repeat: 'unsafe',
    answer: addProjectGrantResponse,
  });
  if (end.ok) return end.value.grantId;
  return findCreated(context, end.error, async () => {
    const grants = await listProjectGrants(client, org, projectId);
    return grants.find((grant) => grant.grantedOrgId === grantedOrg)?.grantId;
  });
}

/** `1 project and 11 roles created: Harbour.` */
export function reportAdded(added: readonly AddedPart[], dryRun: boolean, emit: Emit): void {
  if (added.length === 0) return;
  const text = `${countParts(added)} ${dryRun ? 'would be added' : 'added'}.`;
  emit(note('role:added', text));
}
