/** Organizations and the instance, as the look-ups of all versions show them. */
import { listResponse, details, textQuery, idQuery, query } from './details.ts';
import { type Output, type Input, text, flag, choice, list, message, oneOf } from './message.ts';
import { orgStates } from './org-data.ts';

export const org = message('Org', {
  id: text,
  details,
  state: choice(orgStates),
  name: text,
  primaryDomain: text,
});

export type Org = Output<typeof org>;

export const getOrgResponse = message('GetOrgByIDResponse', { org: org });

const orgQueries = {
  nameQuery: textQuery('OrgNameQuery', 'name'),
  domainQuery: textQuery('OrgDomainQuery', 'domain'),
  stateQuery: message('OrgStateQuery', { state: choice(orgStates) }),
  idQuery: idQuery('OrgIDQuery', 'id'),
};
const orgQuery = oneOf('zitadel.org.v1.OrgQuery', 'query', orgQueries);
export type OrgQuery = Output<typeof orgQuery>;

const orgFieldNames = [
  'ORG_FIELD_NAME_UNSPECIFIED',
  'ORG_FIELD_NAME_NAME',
  'ORG_FIELD_NAME_CREATION_DATE',
] as const;

export const listOrgsRequest = message('ListOrgsRequest', {
  query,
  sortingColumn: choice(orgFieldNames),
  queries: list(orgQuery),
});
export type ListOrgsInput = Input<typeof listOrgsRequest>;
export const listOrgsResponse = listResponse('ListOrgsResponse', org);

const orgStatesV2 = [
  'ORGANIZATION_STATE_UNSPECIFIED',
  'ORGANIZATION_STATE_ACTIVE',
  'ORGANIZATION_STATE_INACTIVE',
  'ORGANIZATION_STATE_REMOVED',
] as const;

export const organization = message('Organization', {
  id: text,
  details,
  state: choice(orgStatesV2),
  name: text,
  primaryDomain: text,
});

const organizationQueries = {
  nameQuery: textQuery('OrganizationNameQuery', 'name'),
  domainQuery: textQuery('OrganizationDomainQuery', 'domain'),
  stateQuery: message('OrganizationStateQuery', { state: choice(orgStatesV2) }),
  idQuery: idQuery('OrganizationIDQuery', 'id'),
  defaultQuery: message('DefaultOrganizationQuery', {}),
};
const organizationQuery = oneOf('zitadel.org.v2.SearchQuery', 'query', organizationQueries);

export const listOrganizationsRequest = message('ListOrganizationsRequest', {
  query,
  sortingColumn: choice(['ORGANIZATION_FIELD_NAME_UNSPECIFIED', 'ORGANIZATION_FIELD_NAME_NAME']),
  queries: list(organizationQuery),
});
export const listOrganizationsResponse = listResponse('ListOrganizationsResponse', organization);

export const getInstanceResponse = message('GetMyInstanceResponse', {
  instance: message('InstanceDetail', {
    id: text,
    details,
    state: choice([
      'STATE_UNSPECIFIED',
      'STATE_CREATING',
      'STATE_RUNNING',
      'STATE_STOPPING',
      'STATE_STOPPED',
    ]),
    name: text,
    version: text,
    domains: list(
      message('Domain', {
        details,
        domain: text,
        primary: flag,
        generated: flag,
      }),
    ),
  }),
});

export const languagesResponse = message('GetSupportedLanguagesResponse', { languages: list(text) });
