/** Which projects, roles and project grants of a body are not at the target yet: the run adds them. */
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { UsageError } from '../../errors.ts';
import type { AddedPart } from '../../journal/lines.ts';
import { deriveProjectId } from '../../records/role.ts';
import { orgsOf, type BodyProjects } from '../../sources/org-data/projects.ts';
import {
  chooseApp,
  chooseProject,
  listApps,
  listProjectGrants,
  listProjects,
  listRoles,
  type FoundProject,
} from './calls.ts';

/** `by id`: the bulk import gives a project the id of the body. `by name`: single calls cannot. */
export type ProjectMatch = 'by id' | 'by name';

/**
 * `missing` are organizations that are not there either. Undefined where the token may not look: then undo leaves them.
 * Throws `UsageError` where another project has the name of one that `migrate --roles` made.
 */
export async function findAdded(
  client: Client,
  body: BodyProjects,
  missing: readonly string[],
  match: ProjectMatch,
): Promise<AddedPart[] | undefined> {
  const added: AddedPart[] = [];
  try {
    for (const org of orgsOf(body)) {
      const there = missing.includes(org) ? [] : await listProjects(client, org);
      added.push(...(await findInOrg(client, body, { org, there, match })));
    }
  } catch (error) {
    if (error instanceof ApiError && error.verdict === 'refused') return undefined;
    throw error;
  }
  return added;
}

interface OrgToLookIn {
  readonly org: string;
  readonly there: readonly FoundProject[];
  readonly match: ProjectMatch;
}

async function findInOrg(
  client: Client,
  body: BodyProjects,
  { org, there, match }: OrgToLookIn,
): Promise<AddedPart[]> {
  const added: AddedPart[] = [];
  const own = <Part extends { readonly org: string }>(parts: readonly Part[]): Part[] =>
    parts.filter((part) => part.org === org);
  const projects = own(body.projects);
  const find = (id: string): FoundProject | undefined => {
    const name = projects.find((project) => project.id === id)?.name ?? '';
    return chooseProject(there, { id, name: match === 'by name' ? name : '' });
  };
  for (const { id, name } of projects.filter((project) => find(project.id) === undefined)) {
    if (match === 'by id') refuseTaken({ org, id, name }, there);
    added.push(['project', org, id, name]);
  }
  const apps = own(body.apps);
  for (const { projectId, name } of apps) {
    if (find(projectId) === undefined) added.push(['app', org, projectId, name]);
  }
  const isThere = ({ projectId }: { readonly projectId: string }): boolean => find(projectId) !== undefined;
  const roles = own(body.roles).filter(isThere);
  const grants = own(body.grants).filter(isThere);
  const appsThere = apps.filter(isThere);
  for (const bodyId of new Set([...roles, ...grants, ...appsThere].map(({ projectId }) => projectId))) {
    const id = find(bodyId)!.id;
    const ofApps = appsThere.filter(({ projectId }) => projectId === bodyId);
    const known = ofApps.length === 0 ? [] : await listApps(client, org, id);
    for (const app of ofApps) {
      if (chooseApp(known, app) === undefined) added.push(['app', org, id, app.name]);
    }
    const keys = new Set((await listRoles(client, org, id)).map(({ key }) => key));
    for (const { projectId, key } of roles) {
      if (projectId === bodyId && !keys.has(key)) added.push(['role', org, id, key]);
    }
    const ofProject = grants.filter(({ projectId }) => projectId === bodyId);
    const grantsThere = ofProject.length === 0 ? [] : await listProjectGrants(client, org, id);
    for (const { grantedOrg } of ofProject) {
      if (grantsThere.every(({ grantedOrgId }) => grantedOrgId !== grantedOrg)) {
        added.push(['grant', org, id, grantedOrg]);
      }
    }
  }
  return added;
}

/** The service would refuse the project, and with it all roles and grants. Other bodies have ids of their own. */
function refuseTaken(
  project: { readonly org: string; readonly id: string; readonly name: string },
  there: readonly FoundProject[],
): void {
  const { org, id, name } = project;
  const other = chooseProject(there, { id: '', name });
  if (other === undefined || id !== deriveProjectId(org, name)) return;
  throw new UsageError(`organization ${org} has another project named ${name} (${other.id})`, {
    hint: `Nothing was sent. Convert again with \`idport migrate --roles=project:${other.id}\`, or with another name.`,
  });
}
