/** Organizations and their projects, with roles, grants and applications. */
import { listResponse, details, textQuery, idQuery } from './details.ts';
import { type Input, type Output, text, choice, definedChoice, message, oneOf, list } from './message.ts';
import { orgStates } from './import.ts';
import { apiAppConfig, oidcAppConfig, compliance, projectFields } from './org-resources.ts';

export const org = message('Org', {
  id: text,
  details,
  state: choice(orgStates),
  name: text,
  primaryDomain: text,
});

export type Org = Output<typeof org>;

export const getOrgResponse = message('GetOrgByIDResponse', { org });

export const orgQuery = oneOf('zitadel.org.v1.OrgQuery', 'query', {
  nameQuery: textQuery('OrgNameQuery', 'name'),
  domainQuery: textQuery('OrgDomainQuery', 'domain'),
  stateQuery: message('OrgStateQuery', { state: definedChoice(orgStates) }),
  idQuery: idQuery('OrgIDQuery', 'id'),
});
export type OrgQuery = Output<typeof orgQuery>;
export type OrgQueryInput = Input<typeof orgQuery>;

export const listOrgsResponse = listResponse('ListOrgsResponse', org);

export const addProjectResponse = message('AddProjectResponse', {
  id: text,
  details,
});

export const project = message('Project', {
  ...projectFields,
  id: text,
  details,
  state: choice(['PROJECT_STATE_UNSPECIFIED', 'PROJECT_STATE_ACTIVE', 'PROJECT_STATE_INACTIVE']),
});
export const listProjectsResponse = listResponse('ListProjectsResponse', project);
export const listProjectRolesResponse = listResponse(
  'ListProjectRolesResponse',
  message('Item', {
    key: text,
    details,
    displayName: text,
    group: text,
  }),
);
export const addProjectGrantResponse = message('AddProjectGrantResponse', {
  grantId: text,
  details,
});
export const listProjectGrantsResponse = listResponse(
  'ListProjectGrantsResponse',
  message('Item', {
    grantId: text,
    grantedOrgId: text,
    grantedOrgName: text,
    grantedRoleKeys: list(text),
    state: choice([
      'PROJECT_GRANT_STATE_UNSPECIFIED',
      'PROJECT_GRANT_STATE_ACTIVE',
      'PROJECT_GRANT_STATE_INACTIVE',
    ]),
    projectId: text,
    projectName: text,
    projectOwnerId: text,
    projectOwnerName: text,
    details,
  }),
);
export const listProjectMembersResponse = listResponse(
  'ListProjectMembersResponse',
  message('Item', {
    userId: text,
    details,
    roles: list(text),
  }),
);

/** Response to adding an application of either kind. */
export const addAppResponse = message('AddAppResponse', {
  appId: text,
  details,
  clientId: text,
  clientSecret: text,
  ...compliance,
});
export type AddedApp = Output<typeof addAppResponse>;
export const clientSecretResponse = message('RegenerateClientSecretResponse', {
  clientSecret: text,
  details,
});
const app = message('App', {
  id: text,
  details,
  state: choice(['APP_STATE_UNSPECIFIED', 'APP_STATE_ACTIVE', 'APP_STATE_INACTIVE']),
  name: text,
  oidcConfig: oidcAppConfig,
  apiConfig: apiAppConfig,
});
export const getAppResponse = message('GetAppByIDResponse', { app });
export const listAppsResponse = listResponse('ListAppsResponse', app);
export type ListAppsResponse = Output<typeof listAppsResponse>;
