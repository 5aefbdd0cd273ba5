/** Organizations and the instance, as the look-ups of all versions show them. */
import type { z } from 'zod';
import { listQuery, objectDetails, textQueryMethod, listResponse } from './details.ts';
import { choice, flag, list, message, text, oneOf } from './message.ts';
import { orgStates } from './org-data.ts';

export const org = message('Org', {
  id: text(),
  details: objectDetails.optional(),
  state: choice(orgStates),
  name: text(),
  primaryDomain: text(),
});

export type Org = z.output<typeof org>;

export const getOrgResponse = message('GetOrgByIDResponse', { org: org.optional() });

const orgQueries = {
  nameQuery: message('OrgNameQuery', { name: text({ max: 200 }), method: textQueryMethod() }).optional(),
  domainQuery: message('OrgDomainQuery', {
    domain: text({ max: 200 }),
    method: textQueryMethod(),
  }).optional(),
  stateQuery: message('OrgStateQuery', { state: choice(orgStates) }).optional(),
  idQuery: message('OrgIDQuery', { id: text({ max: 200 }) }).optional(),
};
const orgQuery = oneOf('zitadel.org.v1.OrgQuery', 'query', orgQueries);
export type OrgQuery = z.output<typeof orgQuery>;

const orgFieldNames = [
  'ORG_FIELD_NAME_UNSPECIFIED',
  'ORG_FIELD_NAME_NAME',
  'ORG_FIELD_NAME_CREATION_DATE',
] as const;

export const listOrgsRequest = message('ListOrgsRequest', {
  query: listQuery.optional(),
  sortingColumn: choice(orgFieldNames),
  queries: list(orgQuery),
});
export type ListOrgsInput = z.input<typeof listOrgsRequest>;
export const listOrgsResponse = listResponse('ListOrgsResponse', org);

const orgStatesV2 = [
  'ORGANIZATION_STATE_UNSPECIFIED',
  'ORGANIZATION_STATE_ACTIVE',
  'ORGANIZATION_STATE_INACTIVE',
  'ORGANIZATION_STATE_REMOVED',
] as const;

export const organization = message('Organization', {
  id: text(),
  details: objectDetails.optional(),
  state: choice(orgStatesV2),
  name: text(),
  primaryDomain: text(),
});

const organizationQueries = {
  nameQuery: message('OrganizationNameQuery', {
    name: text({ max: 200 }),
    method: textQueryMethod(),
  }).optional(),
  domainQuery: message('OrganizationDomainQuery', {
    domain: text({ max: 200 }),
    method: textQueryMethod(),
  }).optional(),
  stateQuery: message('OrganizationStateQuery', { state: choice(orgStatesV2) }).optional(),
  idQuery: message('OrganizationIDQuery', { id: text({ max: 200 }) }).optional(),
  defaultQuery: message('DefaultOrganizationQuery', {}).optional(),
};
const organizationQuery = oneOf('zitadel.org.v2.SearchQuery', 'query', organizationQueries);

export const listOrganizationsRequest = message('ListOrganizationsRequest', {
  query: listQuery.optional(),
  sortingColumn: choice(['ORGANIZATION_FIELD_NAME_UNSPECIFIED', 'ORGANIZATION_FIELD_NAME_NAME']),
  queries: list(organizationQuery),
});
export const listOrganizationsResponse = listResponse('ListOrganizationsResponse', organization);

export const getInstanceResponse = message('GetMyInstanceResponse', {
  instance: message('InstanceDetail', {
    id: text(),
    details: objectDetails.optional(),
    state: choice([
      'STATE_UNSPECIFIED',
      'STATE_CREATING',
      'STATE_RUNNING',
      'STATE_STOPPING',
      'STATE_STOPPED',
    ]),
    name: text(),
    version: text(),
    domains: list(
      message('Domain', {
        details: objectDetails.optional(),
        domain: text(),
        primary: flag(),
        generated: flag(),
      }),
    ),
  }).optional(),
});

export const languagesResponse = message('GetSupportedLanguagesResponse', { languages: list(text()) });
