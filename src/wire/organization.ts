/** Organizations and the instance, as the look-ups of all versions show them. */
import { listResponse, details, textQuery, idQuery } from './details.ts';
import { type Input, type Output, text, choice, message, oneOf } from './message.ts';
import { orgStates } from './org-data.ts';

export const org = message('Org', {
  id: text,
  details,
  state: choice(orgStates),
  name: text,
  primaryDomain: text,
});

export type Org = Output<typeof org>;

export const getOrgResponse = message('GetOrgByIDResponse', { org });

const orgQueries = {
  nameQuery: textQuery('OrgNameQuery', 'name'),
  domainQuery: textQuery('OrgDomainQuery', 'domain'),
  stateQuery: message('OrgStateQuery', { state: choice(orgStates) }),
  idQuery: idQuery('OrgIDQuery', 'id'),
};
export const orgQuery = oneOf('zitadel.org.v1.OrgQuery', 'query', orgQueries);
export type OrgQuery = Output<typeof orgQuery>;
export type OrgQueryInput = Input<typeof orgQuery>;

export const listOrgsResponse = listResponse('ListOrgsResponse', org);
