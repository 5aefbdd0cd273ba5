/** Identity providers of an organization: add, list and remove. Field rules: the service's management.proto. */
import { listResponse, details } from './details.ts';
import { idpOwner } from './org-policies.ts';
import {
  type Field,
  type Input,
  type Message,
  choice,
  exclusive,
  flag,
  list,
  message,
  optionalChoice,
  optionalText,
  required,
  ruled,
  shortText,
  text,
  textUpTo,
} from './message.ts';

const options = message('Options', {
  isLinkingAllowed: flag,
  isCreationAllowed: flag,
  isAutoCreation: flag,
  isAutoUpdate: flag,
  autoLinking: choice([
    'AUTO_LINKING_OPTION_UNSPECIFIED',
    'AUTO_LINKING_OPTION_USERNAME',
    'AUTO_LINKING_OPTION_EMAIL',
  ]),
});

export type ProviderOptions = Input<typeof options>;

const client = (secretLength: number) => ({
  clientId: shortText,
  clientSecret: ruled(text, { min: 1, max: secretLength }),
  scopes: list(ruled(text, { min: 1, max: 100 }), { max: 20 }),
  providerOptions: options,
});
/** Fields of providers with an optional name. The service names them itself if it is not set. */
const optionalName = { name: textUpTo(200), ...client(200) };
const endpoints = {
  authorizationEndpoint: shortText,
  tokenEndpoint: shortText,
  userEndpoint: shortText,
};

const tenant = message(
  'zitadel.idp.v1.AzureADTenant',
  exclusive('type', {
    tenantType: optionalChoice([
      'AZURE_AD_TENANT_TYPE_COMMON',
      'AZURE_AD_TENANT_TYPE_ORGANISATIONS',
      'AZURE_AD_TENANT_TYPE_CONSUMERS',
    ]),
    tenantId: optionalText,
  }),
);

/**
 * Describes a kind of provider: the method that adds it, its type, and the field of its settings in a list (`config`). A list
 * leaves out the secret.
 */
function kind<Fields extends ReturnType<typeof client> & { name: Field<string, string | undefined> }>(
  rpc: string,
  type: string,
  config: string,
  fields: Fields & Readonly<Record<string, Field | Message>>,
) {
  const { name: _name, clientSecret: _secret, providerOptions: _options, ...settings } = fields;
  const request = message(`${rpc}Request`, fields as Fields);
  return {
    rpc,
    type: `PROVIDER_TYPE_${type}`,
    config,
    request,
    settings: message('ProviderSettings', settings),
  };
}

/** Kinds of providers, by the last part of the path of the call that adds them. */
export const providerKinds = {
  generic_oidc: kind('AddGenericOIDCProvider', 'OIDC', 'oidc', {
    name: shortText,
    issuer: shortText,
    ...client(1000),
    isIdTokenMapping: flag,
    usePkce: flag,
  }),
  oauth: kind('AddGenericOAuthProvider', 'OAUTH', 'oauth', {
    name: shortText,
    ...client(1000),
    ...endpoints,
    idAttribute: shortText,
    usePkce: flag,
  }),
  google: kind('AddGoogleProvider', 'GOOGLE', 'google', optionalName),
  github: kind('AddGitHubProvider', 'GITHUB', 'github', optionalName),
  github_es: kind('AddGitHubEnterpriseServerProvider', 'GITHUB_ES', 'githubEs', {
    name: shortText,
    ...client(200),
    ...endpoints,
  }),
  gitlab: kind('AddGitLabProvider', 'GITLAB', 'gitlab', optionalName),
  azure: kind('AddAzureADProvider', 'AZURE_AD', 'azureAd', {
    name: shortText,
    ...client(200),
    tenant,
    emailVerified: flag,
  }),
};
export type ProviderKind = keyof typeof providerKinds;

const provider = message('Provider', {
  id: text,
  details,
  state: choice(['IDP_STATE_UNSPECIFIED', 'IDP_STATE_ACTIVE', 'IDP_STATE_INACTIVE', 'IDP_STATE_REMOVED']),
  name: text,
  owner: idpOwner,
  /** `PROVIDER_TYPE_...`; later versions of the service may have more types. */
  type: text,
  config: {
    options,
    ...Object.fromEntries(Object.values(providerKinds).map(({ config, settings }) => [config, settings])),
  },
});

export const listProvidersResponse = listResponse('ListProvidersResponse', provider);

export const getProviderResponse = message('GetProviderByIDResponse', { idp: required(provider) });

export const addProviderResponse = message('AddProviderResponse', { details, id: text });
