/** Adds projects, their roles and their grants to other organizations: for the bulk import and for single calls. */
import { grpcCodes } from '../wire/errors.ts';
import type { ServerState } from './context.ts';
import { refusal } from './errors.ts';
import type { ProjectGrantRow, ProjectRow, RoleRow } from './store/rows.ts';

/** An empty id stands for the next one. */
export function addProject(
  { store, settings }: ServerState,
  orgId: string,
  id: string,
  project: ProjectRow['project'],
): ProjectRow {
  if (id !== '' && store.projects.has(id)) {
    throw refusal(grpcCodes.alreadyExists, 'COMMAND-opamwu', 'Errors.Project.AlreadyExisting');
  }
  if (store.projects.by('org', orgId).some((other) => other.project.name === project.name)) {
    throw refusal(grpcCodes.alreadyExists, 'V3-DKcYh', 'Errors.Project.AlreadyExists');
  }
  return store.projects.put({ id: id || store.nextId(), orgId, project, created: settings.clock.now() });
}

export function addProjectRole(
  { store, settings }: Pick<ServerState, 'store' | 'settings'>,
  project: ProjectRow,
  role: RoleRow['role'],
): void {
  const id = `${project.id}/${role.roleKey}`;
  if (store.roles.has(id)) {
    throw refusal(grpcCodes.alreadyExists, 'V3-DKcYh', 'Errors.Project.Role.AlreadyExists');
  }
  store.roles.put({ id, orgId: project.orgId, projectId: project.id, role, created: settings.clock.now() });
}

/** An empty id stands for the next one. */
export function addProjectGrant(
  { store, settings }: Pick<ServerState, 'store' | 'settings'>,
  project: ProjectRow,
  id: string,
  { grantedOrgId, roleKeys }: Pick<ProjectGrantRow, 'grantedOrgId' | 'roleKeys'>,
): ProjectGrantRow {
  if (!store.orgs.has(grantedOrgId)) {
    throw refusal(grpcCodes.failedPrecondition, 'COMMAND-3m9gg', 'Errors.Org.NotFound');
  }
  if (roleKeys.some((key) => !store.roles.has(`${project.id}/${key}`))) {
    throw refusal(grpcCodes.failedPrecondition, 'COMMAND-6m9gd', 'Errors.Project.Role.NotFound');
  }
  const grants = store.projectGrants.by('project', project.id);
  if (grants.some((grant) => grant.grantedOrgId === grantedOrgId)) {
    throw refusal(grpcCodes.alreadyExists, 'V3-DKcYh', 'Errors.Project.Grant.AlreadyExists');
  }
  const row = {
    orgId: project.orgId,
    projectId: project.id,
    grantedOrgId,
    roleKeys,
    created: settings.clock.now(),
  };
  return store.projectGrants.put({ id: id || store.nextId(), ...row });
}
