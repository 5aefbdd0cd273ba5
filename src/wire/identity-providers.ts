/** Identity providers of an organization: made, listed and removed. Field rules: the service's management.proto. */
import type { z } from 'zod';
import { listResponse, details, textQuery, idQuery, query } from './details.ts';
import {
  choice,
  flag,
  list,
  message,
  oneOf,
  optionalChoice,
  optionalText,
  text,
  shortText,
} from './message.ts';

const owner = () => choice(['IDP_OWNER_TYPE_UNSPECIFIED', 'IDP_OWNER_TYPE_SYSTEM', 'IDP_OWNER_TYPE_ORG']);

const providerQueries = {
  idpIdQuery: idQuery('IDPIDQuery', 'id'),
  idpNameQuery: textQuery('IDPNameQuery', 'name'),
  ownerTypeQuery: message('IDPOwnerTypeQuery', { ownerType: owner() }).optional(),
};
export const listProvidersRequest = message('ListProvidersRequest', {
  query,
  queries: list(oneOf('zitadel.management.v1.ProviderQuery', 'query', providerQueries)),
});

const options = message('Options', {
  isLinkingAllowed: flag(),
  isCreationAllowed: flag(),
  isAutoCreation: flag(),
  isAutoUpdate: flag(),
  autoLinking: choice([
    'AUTO_LINKING_OPTION_UNSPECIFIED',
    'AUTO_LINKING_OPTION_USERNAME',
    'AUTO_LINKING_OPTION_EMAIL',
  ]),
});

export type ProviderOptions = z.input<typeof options>;

const client = (secretLength: number) => ({
  clientId: shortText(),
  clientSecret: text({ min: 1, max: secretLength }),
  scopes: list(text({ min: 1, max: 100 }), { max: 20 }),
  providerOptions: options.optional(),
});
/** Of these the service has a name of its own where none is given. */
const optionalName = () => text({ max: 200 });
const endpoints = {
  authorizationEndpoint: shortText(),
  tokenEndpoint: shortText(),
  userEndpoint: shortText(),
};

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
    name: shortText(),
    issuer: shortText(),
    ...client(1000),
    isIdTokenMapping: flag(),
    usePkce: flag(),
  }),
  oauth: message('AddGenericOAuthProviderRequest', {
    name: shortText(),
    ...client(1000),
    ...endpoints,
    idAttribute: shortText(),
    usePkce: flag(),
  }),
  google: message('AddGoogleProviderRequest', { name: optionalName(), ...client(200) }),
  github: message('AddGitHubProviderRequest', { name: optionalName(), ...client(200) }),
  github_es: message('AddGitHubEnterpriseServerProviderRequest', {
    name: shortText(),
    ...client(200),
    ...endpoints,
  }),
  gitlab: message('AddGitLabProviderRequest', { name: optionalName(), ...client(200) }),
  azure: message('AddAzureADProviderRequest', {
    name: shortText(),
    ...client(200),
    tenant: tenant.optional(),
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

/** The field in which a list has the settings of each kind. */
export const configNames: Readonly<Record<ProviderKind, string>> = {
  generic_oidc: 'oidc',
  oauth: 'oauth',
  google: 'google',
  github: 'github',
  github_es: 'githubEs',
  gitlab: 'gitlab',
  azure: 'azureAd',
};

/** What a list shows of the request: its settings without the secret. */
const settingsOf = (kind: ProviderKind) => {
  const {
    name: _name,
    clientSecret: _secret,
    providerOptions: _options,
    ...settings
  } = addProviderRequests[kind].shape;
  return message('ProviderSettings', settings).optional();
};
const kinds = Object.keys(addProviderRequests) as ProviderKind[];

const provider = message('Provider', {
  id: text(),
  details,
  state: choice(['IDP_STATE_UNSPECIFIED', 'IDP_STATE_ACTIVE', 'IDP_STATE_INACTIVE', 'IDP_STATE_REMOVED']),
  name: text(),
  owner: owner(),
  /** `PROVIDER_TYPE_...`; later versions may know more. */
  type: text(),
  config: message('ProviderConfig', {
    options: options.optional(),
    ...Object.fromEntries(kinds.map((kind) => [configNames[kind], settingsOf(kind)])),
  }).optional(),
});

export const listProvidersResponse = listResponse('ListProvidersResponse', provider);

export const addProviderResponse = message('AddProviderResponse', {
  details,
  id: text(),
});
