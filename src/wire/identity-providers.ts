/** Identity providers of an organization: made, listed and removed. Field rules: the service's management.proto. */
import type { z } from 'zod';
import { listQuery, objectDetails, listResponse } from './details.ts';
import { choice, embedded, flag, list, message, optionalChoice, optionalText, text } from './message.ts';

export const listProvidersRequest = message('ListProvidersRequest', { query: listQuery.optional() });

const provider = message('Provider', {
  id: text(),
  details: objectDetails.optional(),
  state: choice(['IDP_STATE_UNSPECIFIED', 'IDP_STATE_ACTIVE', 'IDP_STATE_INACTIVE', 'IDP_STATE_REMOVED']),
  name: text(),
  owner: choice(['IDP_OWNER_TYPE_UNSPECIFIED', 'IDP_OWNER_TYPE_SYSTEM', 'IDP_OWNER_TYPE_ORG']),
  /** `PROVIDER_TYPE_...`; later versions may know more. */
  type: text(),
});

export const listProvidersResponse = listResponse('ListProvidersResponse', provider);
export type ListedProvider = z.output<typeof provider>;

export const deleteProviderRequest = message('DeleteProviderRequest', { id: text({ min: 1, max: 200 }) });

const options = message('Options', {
  isLinkingAllowed: flag(),
  isCreationAllowed: flag(),
  isAutoCreation: flag(),
  isAutoUpdate: flag(),
});

const setting = () => text({ min: 1, max: 200 });
const client = (secretLength: number) => ({
  clientId: setting(),
  clientSecret: text({ min: 1, max: secretLength }),
  scopes: list(text({ min: 1, max: 100 }), { max: 20 }),
  providerOptions: embedded(options),
});
/** Of these the service has a name of its own where none is given. */
const optionalName = () => text({ max: 200 });
const endpoints = { authorizationEndpoint: setting(), tokenEndpoint: setting(), userEndpoint: setting() };

const tenant = message(
  'AzureADTenant',
  {
    tenantType: optionalChoice([
      'AZURE_AD_TENANT_TYPE_COMMON',
      'AZURE_AD_TENANT_TYPE_ORGANISATIONS',
      'AZURE_AD_TENANT_TYPE_CONSUMERS',
    ]),
    tenantId: optionalText(),
  },
  {
    fullName: 'zitadel.idp.v1.AzureADTenant',
    oneofs: [{ name: 'type', members: ['tenantType', 'tenantId'] }],
  },
);

/** The last part of the path of the call that makes one, and its request. */
export const addProviderRequests = {
  generic_oidc: message('AddGenericOIDCProviderRequest', {
    name: setting(),
    issuer: setting(),
    ...client(1000),
    isIdTokenMapping: flag(),
    usePkce: flag(),
  }),
  oauth: message('AddGenericOAuthProviderRequest', {
    name: setting(),
    ...client(1000),
    ...endpoints,
    idAttribute: setting(),
    usePkce: flag(),
  }),
  google: message('AddGoogleProviderRequest', { name: optionalName(), ...client(200) }),
  github: message('AddGitHubProviderRequest', { name: optionalName(), ...client(200) }),
  github_es: message('AddGitHubEnterpriseServerProviderRequest', {
    name: setting(),
    ...client(200),
    ...endpoints,
  }),
  gitlab: message('AddGitLabProviderRequest', { name: optionalName(), ...client(200) }),
  azure: message('AddAzureADProviderRequest', {
    name: setting(),
    ...client(200),
    tenant: embedded(tenant),
    emailVerified: flag(),
  }),
} as const;
export type ProviderKind = keyof typeof addProviderRequests;

/** As a list names the type of each kind. */
export const providerTypes: Readonly<Record<ProviderKind, string>> = {
  generic_oidc: 'PROVIDER_TYPE_OIDC',
  oauth: 'PROVIDER_TYPE_OAUTH',
  google: 'PROVIDER_TYPE_GOOGLE',
  github: 'PROVIDER_TYPE_GITHUB',
  github_es: 'PROVIDER_TYPE_GITHUB_ES',
  gitlab: 'PROVIDER_TYPE_GITLAB',
  azure: 'PROVIDER_TYPE_AZURE_AD',
};

export const addProviderResponse = message('AddProviderResponse', {
  details: objectDetails.optional(),
  id: text(),
});
