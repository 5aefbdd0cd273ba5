/** The list of identity providers that an organization can use: its own, and those of the instance. */
import { listDetails, listQuery } from './details.ts';
import { choice, list, message, text } from './message.ts';

export const listProvidersRequest = message('ListProvidersRequest', { query: listQuery.optional() });

const provider = message('Provider', {
  id: text(),
  state: choice(['IDP_STATE_UNSPECIFIED', 'IDP_STATE_ACTIVE', 'IDP_STATE_INACTIVE', 'IDP_STATE_REMOVED']),
  name: text(),
  owner: choice(['IDP_OWNER_TYPE_UNSPECIFIED', 'IDP_OWNER_TYPE_SYSTEM', 'IDP_OWNER_TYPE_ORG']),
});

export const listProvidersResponse = message('ListProvidersResponse', {
  details: listDetails.optional(),
  result: list(provider),
});
