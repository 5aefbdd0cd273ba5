/** Projects of an organization, with their roles and their grants to other organizations. */
import { lowerCase } from '../../lib/strings.ts';
import { query, textQuery } from '../../wire/details.ts';
import { json, list, type Message, message, oneOf, shortText, textUpTo } from '../../wire/message.ts';
import { addProjectGrantRequest, addProjectRequest } from '../../wire/org-resources.ts';
import * as wire from '../../wire/organization.ts';
import { type Call, management } from '../method.ts';
import { existing, refuseIf, refuseLacking, requireUnique } from '../errors.ts';
import { byText, filtered, listPage } from '../paging.ts';
import type { Made, ProjectRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { addDetails, changeDetails, detailsOf } from '../users/show.ts';
import {
  addProject,
  addProjectGrant,
  addProjectRole,
  hasRole,
  removeProject,
  removeProjectGrant,
} from '../projects.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';

/** Returns the details of a change to a row whose changes the store does not count. */
export const changedNow = (call: Call, row: { orgId: string; created: number }) =>
  changeDetails({ ...row, changed: call.store.now() });

export const findProject = ({ store, orgId }: Call, id: string, errorId: ServiceErrorId) =>
  existing(store.projects.get(id), errorId, orgId);

const showProject = (row: ProjectRow) => ({
  id: row.id,
  details: detailsOf(row),
  ...row.project,
  state: 'PROJECT_STATE_ACTIVE' as const,
});

function removeRole(store: Store, projectId: string, roleKey: string) {
  store.roles.delete(`${projectId}/${roleKey}`);
  for (const grant of store.projectGrants.by('project', projectId)) {
    // As in the service, a project grant that has the role twice keeps it once.
    const place = grant.roleKeys.indexOf(roleKey);
    store.projectGrants.put({ ...grant, roleKeys: grant.roleKeys.filter((_, index) => index !== place) });
  }
  for (const grant of store.userGrants.by('project', projectId)) {
    store.userGrants.put({ ...grant, roleKeys: grant.roleKeys.filter((key) => key !== roleKey) });
  }
}

type ProjectTable = 'apps' | 'members' | 'projectGrants' | 'roles';
type RowOf<Name extends ProjectTable> = NonNullable<ReturnType<Store[Name]['get']>>;

/** Returns the method that lists what a project has, from a table with the index `project`. */
export const listMethod = <Name extends ProjectTable, Write>(
  name: string,
  part: string,
  response: Message<unknown, { result?: Write[] | undefined }>,
  table: Name,
  show: (row: RowOf<Name>, store: Store) => NoInfer<Write>,
) =>
  management(
    name,
    `POST /management/v1/projects/:projectId/${part}/_search`,
    `project.${part.slice(0, -1)}.read`,
    {
      request: { query, queries: list(json) },
      response,
      handle(call, { projectId, query, queries }) {
        refuseLacking(queries.length > 0, `queries of ${part}`);
        const store = call.lists.read();
        const all: readonly Made[] = store[table].by('project', projectId);
        const rows: readonly Made[] = all.filter(({ orgId }) => orgId === call.orgId);
        return listPage(call, table, rows as readonly RowOf<Name>[], query, (row) => show(row, store));
      },
    },
  );

export const projectMethods = [
  management('AddProject', 'POST /management/v1/projects', 'project.create', {
    request: addProjectRequest,
    response: wire.addProjectResponse,
    handle(call, project) {
      const row = addProject(call, call.orgId, '', project);
      return { id: row.id, details: addDetails(row) };
    },
  }),
  management('ListProjects', 'POST /management/v1/projects/_search', 'project.read', {
    request: {
      query,
      queries: list(
        oneOf('zitadel.project.v1.ProjectQuery', 'query', {
          nameQuery: textQuery('ProjectNameQuery', 'name'),
        }),
      ),
    },
    response: wire.listProjectsResponse,
    handle(call, { query, queries }) {
      const rows = filtered(call.lists.read().projects.by('org', call.orgId), queries, {
        nameQuery: byText(({ project }) => project.name),
      });
      return listPage(call, 'projects', rows, query, showProject);
    },
  }),
  management('GetProjectByID', 'GET /management/v1/projects/:id', 'project.read', {
    response: { project: wire.project },
    handle: (call, { id }) => ({ project: showProject(findProject(call, id, 'QUERY-fk2fs')) }),
  }),
  management('RemoveProject', 'DELETE /management/v1/projects/:id', 'project.delete', {
    handle(call, { id }) {
      const project = findProject(call, id, 'COMMAND-3M9sd');
      removeProject(call, project);
      return changedNow(call, project);
    },
  }),
  management(
    'BulkAddProjectRoles',
    'POST /management/v1/projects/:projectId/roles/_bulk',
    'project.role.write',
    {
      request: {
        roles: list(
          message('BulkAddProjectRolesRequest_Role', {
            key: shortText,
            displayName: shortText,
            group: textUpTo(200),
          }),
        ),
      },
      handle(call, { projectId, roles }) {
        const project = findProject(call, projectId, 'COMMAND-EbFMN');
        // Either all roles are added or none.
        const keys = new Set(roles.map(({ key }) => lowerCase(key)));
        requireUnique(
          keys.size < roles.length || roles.some(({ key }) => hasRole(call.store, projectId, key)),
          'Project.Role',
        );
        for (const { key, displayName, group } of roles) {
          addProjectRole(call, project, { projectId, roleKey: key, displayName, group });
        }
        return { resourceOwner: call.orgId };
      },
    },
  ),
  listMethod('ListProjectRoles', 'roles', wire.listProjectRolesResponse, 'roles', (row) => {
    const { roleKey: key, displayName, group } = row.role;
    return { key, details: detailsOf(row), displayName, group };
  }),
  management(
    'RemoveProjectRole',
    'DELETE /management/v1/projects/:projectId/roles/:roleKey',
    'project.role.delete',
    {
      handle(call, { projectId, roleKey }) {
        const project = call.store.projects.get(projectId);
        if (project?.orgId !== call.orgId) return { resourceOwner: call.orgId };
        removeRole(call.store, projectId, roleKey);
        return changedNow(call, project);
      },
    },
  ),
  management('AddProjectGrant', 'POST /management/v1/projects/:projectId/grants', 'project.grant.write', {
    request: addProjectGrantRequest,
    response: wire.addProjectGrantResponse,
    handle(call, grant) {
      const project = findProject(call, grant.projectId, 'COMMAND-m9gsd');
      const row = addProjectGrant(call, project, '', grant);
      return { grantId: row.id, details: addDetails(row) };
    },
  }),
  listMethod(
    'ListProjectGrants',
    'grants',
    wire.listProjectGrantsResponse,
    'projectGrants',
    ({ id, grantedOrgId, roleKeys, ...row }, { orgs, projects }) => ({
      grantId: id,
      grantedOrgId,
      grantedOrgName: orgs.get(grantedOrgId)?.name,
      grantedRoleKeys: roleKeys,
      state: 'PROJECT_GRANT_STATE_ACTIVE' as const,
      projectId: row.projectId,
      projectName: projects.get(row.projectId)?.project.name,
      projectOwnerId: row.orgId,
      projectOwnerName: orgs.get(row.orgId)?.name,
      details: detailsOf(row),
    }),
  ),
  management(
    'RemoveProjectGrant',
    'DELETE /management/v1/projects/:projectId/grants/:grantId',
    'project.grant.delete',
    {
      handle(call, { projectId, grantId }) {
        const grant = existing(call.store.projectGrants.get(grantId), 'PROJECT-D8JxR', call.orgId);
        refuseIf(grant.projectId !== projectId, 'PROJECT-D8JxR');
        removeProjectGrant(call.store, grant);
        return changedNow(call, grant);
      },
    },
  ),
  listMethod(
    'ListProjectMembers',
    'members',
    wire.listProjectMembersResponse,
    'members',
    ({ userId, roles, ...row }) => ({ userId, roles, details: detailsOf(row) }),
  ),
];
