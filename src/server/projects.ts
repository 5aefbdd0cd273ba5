/** Adds and removes projects, their roles, applications and grants, for the bulk import and for single calls. */
import { randomBytes } from 'node:crypto';
import { lowerCase } from '../lib/strings.ts';
import { hasSecret } from '../records/resource.ts';
import { hashSecret } from './accounts.ts';
import type { ServerState } from './method.ts';
import { existing, refuseIf, requireUnique } from './errors.ts';
import type { AppRow, ProjectGrantRow, ProjectRow, RoleRow, UserGrantRow } from './store/rows.ts';
import type { Store } from './store/store.ts';
import { noteRemoved } from './users/change.ts';

export type Oidc = NonNullable<AppRow['oidc']>;

/** Unique names are compared in lower case (Z:internal/eventstore/v3/unique_constraints.go). */
const isSameName = (one: string, other: string) => lowerCase(one) === lowerCase(other);

/** Adds a project. An empty `id` means a generated one. */
export function addProject(
  { store }: ServerState,
  orgId: string,
  id: string,
  project: ProjectRow['project'],
) {
  refuseIf(id !== '' && store.projects.has(id), 'COMMAND-opamwu');
  requireUnique(
    store.projects.by('org', orgId).some((other) => isSameName(other.project.name, project.name)),
    'Project',
  );
  return store.projects.put({ id: id || store.nextId(), orgId, project, created: store.now() });
}

/** Reports whether the project has the role, or had it when it was removed. */
export const hasRole = ({ leftovers, roles }: Store, projectId: string, key: string) =>
  leftovers.has(`role/${projectId}/${lowerCase(key)}`) ||
  roles.by('project', projectId).some(({ role }) => isSameName(role.roleKey, key));

export function addProjectRole({ store }: ServerState, project: ProjectRow, role: RoleRow['role']) {
  requireUnique(hasRole(store, project.id, role.roleKey), 'Project.Role');
  store.roles.put({ ...partOf(store, project, `${project.id}/${role.roleKey}`), role });
}

/** Returns what the rows of all parts of a project have. An empty `id` means a generated one. */
const partOf = (store: Store, { id: projectId, orgId }: ProjectRow, id: string) => ({
  id: id || store.nextId(),
  orgId,
  projectId,
  created: store.now(),
});

/** Adds a grant of a project to another organization. An empty `id` means a generated one. */
export function addProjectGrant(
  { store }: ServerState,
  project: ProjectRow,
  id: string,
  { grantedOrgId, roleKeys }: Pick<ProjectGrantRow, 'grantedOrgId' | 'roleKeys'>,
) {
  refuseIf(grantedOrgId === project.orgId, 'PROJECT-ckUpbvboAH');
  refuseIf(!store.orgs.has(grantedOrgId), 'COMMAND-3m9gg');
  refuseIf(
    roleKeys.some((key) => !store.roles.has(`${project.id}/${key}`)),
    'COMMAND-6m9gd',
  );
  const grants = store.projectGrants.by('project', project.id);
  requireUnique(
    grants.some((grant) => grant.grantedOrgId === grantedOrgId),
    'Project.Grant',
  );
  return store.projectGrants.put({ ...partOf(store, project, id), grantedOrgId, roleKeys });
}

/** The settings of an application, of which exactly one is set. */
export type AppSettings = Pick<AppRow, 'oidc' | 'api'>;

export const settingsOf = ({ oidc, api }: AppSettings) => (oidc ?? api)!;

/** Returns the settings as stored: URIs trimmed, code as the default response type. */
export function asStored(oidc: Oidc): Oidc {
  const { redirectUris, postLogoutRedirectUris, additionalOrigins, responseTypes, grantTypes } = oidc;
  const trimmed = (uris: readonly string[]) => uris.map((uri) => uri.trim());
  return {
    ...oidc,
    redirectUris: trimmed(redirectUris),
    postLogoutRedirectUris: trimmed(postLogoutRedirectUris),
    additionalOrigins: trimmed(additionalOrigins),
    responseTypes: responseTypes.length === 0 ? ['OIDC_RESPONSE_TYPE_CODE'] : responseTypes,
    grantTypes: grantTypes.length === 0 ? ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'] : grantTypes,
    clockSkew: oidc.clockSkew || '0s',
  };
}

/**
 * Adds an application. An empty `id` means a generated one. The secret is only returned here, and is empty if none is
 * needed.
 */
export function addApp({ store }: ServerState, project: ProjectRow, id: string, kind: AppSettings) {
  const settings = settingsOf(kind);
  const apps = store.apps.by('project', project.id);
  requireUnique(
    apps.some((other) => isSameName(settingsOf(other).name, settings.name)),
    'Project.App',
  );
  const app = store.apps.put({
    ...partOf(store, project, id),
    clientId: store.nextId(),
    oidc: kind.oidc && asStored(kind.oidc),
    api: kind.api,
  });
  return hasSecret(settings) ? newAppSecret(store, app) : { app, clientSecret: '' };
}

export function newAppSecret(store: Store, row: AppRow) {
  const clientSecret = randomBytes(48).toString('base64url');
  return { app: store.apps.put({ ...row, secretHash: hashSecret(clientSecret) }), clientSecret };
}

/** Removes an application with its keys. */
export function removeApp(store: Store, { id }: AppRow) {
  store.appKeys.deleteBy('app', id);
  store.apps.delete(id);
}

/** Removes a project grant with its members and the roles granted through it. */
export function removeProjectGrant(store: Store, { id, projectId }: ProjectGrantRow) {
  store.members.deleteBy('object', `project-grant/${id}`);
  for (const grant of store.userGrants.by('project', projectId)) {
    if (grant.projectGrantId === id) store.userGrants.delete(grant.id);
  }
  store.projectGrants.delete(id);
}

/**
 * Removes a project. The keys of its roles and the ids of its applications stay taken, even for a new project with its
 * ID.
 */
export function removeProject(state: ServerState, project: ProjectRow) {
  const { store } = state;
  const { id } = project;
  for (const { role } of store.roles.by('project', id)) {
    store.leftovers.put({ id: `role/${id}/${lowerCase(role.roleKey)}` });
  }
  for (const app of store.apps.by('project', id)) {
    store.leftovers.put({ id: `app/${app.id}` });
    removeApp(store, app);
  }
  for (const grant of store.projectGrants.by('project', id)) removeProjectGrant(store, grant);
  for (const table of [store.roles, store.userGrants, store.members]) table.deleteBy('project', id);
  store.projects.delete(id);
  noteRemoved(state, project, 'project');
}

type NewUserGrant = Pick<UserGrantRow, 'userId' | 'projectId' | 'projectGrantId' | 'roleKeys'>;

/**
 * Returns the roles of a project that an organization may grant, and the id of the project grant by which it may: the
 * project must belong to it or be granted to it. To the owner, the service accepts the id of any project grant.
 */
function grantableRoles(store: Store, orgId: string, { projectId, projectGrantId }: NewUserGrant) {
  if (store.projects.get(projectId)?.orgId === orgId) {
    return { projectGrantId, keys: store.roles.by('project', projectId).map(({ role }) => role.roleKey) };
  }
  const grants = store.projectGrants.by('project', projectId).filter((each) => each.grantedOrgId === orgId);
  const { id, roleKeys } =
    projectGrantId === ''
      ? existing(grants[0], 'COMMAND-4m9ff')
      : existing(
          grants.find((each) => each.id === projectGrantId),
          'COMMAND-huvKF',
        );
  return { projectGrantId: id, keys: roleKeys };
}

/** Grants roles to a user. */
export function addUserGrant({ store }: ServerState, orgId: string, requested: NewUserGrant) {
  const { userId, projectId, roleKeys } = requested;
  refuseIf(!store.users.has(userId), 'COMMAND-4f8sg');
  const { projectGrantId, keys } = grantableRoles(store, orgId, requested);
  refuseIf(!roleKeys.every((key) => keys.includes(key)), 'COMMAND-mm9F4');
  const grant = { orgId, userId, projectId, projectGrantId };
  const idOf = (each: typeof grant) => [each.orgId, each.projectId, each.projectGrantId].join('/');
  requireUnique(
    store.userGrants.by('user', userId).some((each) => idOf(each) === idOf(grant)),
    'UserGrant',
  );
  return store.userGrants.put({ ...grant, id: store.nextId(), roleKeys, created: store.now(), sequence: 1 });
}
