/** Converts an identity provider of a realm into the service's call that creates it, and says what does not move. */
import { type JsonObject, objectOf } from '../../lib/json-value.ts';
import { cut, sanitize, trimBlanks } from '../../records/text.ts';
import type { ProviderKind } from '../../wire/identity-providers.ts';
import type { SourceIdp } from '../source.ts';

type Made = readonly [kind: ProviderKind, settings: object] | string;

/** Returns a setting of the provider, or an empty string. */
type Text = (name: string) => string;

const endpoints = (authorizationEndpoint: string, tokenEndpoint: string, userEndpoint: string) => ({
  authorizationEndpoint,
  tokenEndpoint,
  userEndpoint,
});

const tenants: Readonly<Record<string, string>> = {
  '': 'COMMON',
  common: 'COMMON',
  organizations: 'ORGANISATIONS',
  consumers: 'CONSUMERS',
};

/** By the realm's `providerId`, returns the service's kind and settings, or why there are none. */
const kinds: Readonly<Record<string, (text: Text) => Made>> = {
  oidc: makeGeneric,
  'keycloak-oidc': makeGeneric,
  oauth2: makeOauth,
  google: () => ['google', {}],
  // With a base URL, it is a GitHub Enterprise Server (K:social/github/GitHubIdentityProvider.java).
  github: (text) => {
    const base = text('baseUrl').replace(/\/$/, '');
    const api = text('apiUrl').replace(/\/$/, '');
    if (base === '' || base === 'https://github.com') return ['github', {}];
    if (api === '') return 'it is a GitHub Enterprise Server without an API URL';
    const login = `${base}/login/oauth`;
    return ['github_es', endpoints(`${login}/authorize`, `${login}/access_token`, `${api}/user`)];
  },
  gitlab: () => ['gitlab', {}],
  microsoft: (text) => {
    const id = text('tenantId');
    const type = Object.hasOwn(tenants, id) ? tenants[id] : undefined;
    return [
      'azure',
      {
        tenant: type === undefined ? { tenantId: id } : { tenantType: `AZURE_AD_TENANT_TYPE_${type}` },
        emailVerified: text('trustEmail') === 'true',
      },
    ];
  },
  saml: () => 'a SAML provider needs the metadata of the other side, which the realm does not hold',
  apple: () => 'Apple needs a team id, a key id and a private key, which the realm does not hold',
};

function makeGeneric(text: Text): Made {
  const issuer = text('issuer');
  if (issuer === '') return makeOauth(text);
  if (!isWeb.test(issuer)) return 'its issuer is not an http or https address';
  return ['generic_oidc', { issuer, isIdTokenMapping: text('disableUserInfo') === 'true', ...pkce(text) }];
}

function makeOauth(text: Text): Made {
  const urls = ['authorizationUrl', 'tokenUrl', 'userInfoUrl'].map(text);
  const [authorization = '', token = '', user = ''] = urls;
  if (urls.includes('')) {
    return 'it has no issuer, and without one it needs an authorization URL, a token URL and a userinfo URL';
  }
  if (!urls.every((url) => isWeb.test(url))) return 'one of its URLs is not an http or https address';
  const idAttribute = text('userIDClaim') || 'sub';
  return ['oauth', { ...endpoints(authorization, token, user), idAttribute, ...pkce(text) }];
}

/** Only web addresses, because the service would send users and secrets to any address. */
const isWeb = /^https?:\/\/[^\s\p{Cc}]+$/iu;

const pkce = (text: Text) => ({ usePkce: text('pkceEnabled') === 'true' });

/** Settings of the realm that the service does not have. */
const losses: readonly (readonly [isUsed: (text: Text) => boolean, what: string])[] = [
  [(text) => text('hostedDomain') !== '', 'limit to a hosted domain'],
  [(text) => text('linkOnly') === 'true', 'login for linked users only'],
  [(text) => text('storeToken') === 'true', 'stored tokens'],
  [(text) => text('prompt') !== '', 'prompt'],
  [
    (text) => !['', 'first broker login'].includes(text('firstBrokerLoginFlowAlias')),
    'first login flow of its own',
  ],
  [(text) => text('postBrokerLoginFlowAlias') !== '', 'post login flow'],
];

/**
 * Matches a value that is not the secret itself: Keycloak masks secrets in partial exports
 * (ComponentRepresentation.SECRET_VALUE), and may refer to a vault or, as keycloak-config-cli does, to a variable.
 */
const noSecret = /^(?:\*+|\$[({].*[)}])$/;

const maxOfName = 200;

export function readIdp(raw: JsonObject): SourceIdp {
  const config = objectOf(raw['config']);
  // The service trims texts as well (Z:internal/command/org_idp.go).
  const text: Text = (name) => trimBlanks(textOf(config[name] ?? raw[name]));
  const alias = textOf(raw['alias']);
  const name = cut(sanitize(text('displayName') || alias), maxOfName);
  const made = makeIdp(raw, text);
  const found = text('clientSecret');
  const secret = noSecret.test(found) ? '' : found;
  if (typeof made === 'string') return { alias, name, made: undefined, secret: '', lost: [made] };
  const [kind, own] = made;
  const scopes = text('defaultScope').split(/\s+/).filter(Boolean);
  const settings = {
    clientId: text('clientId'),
    ...(scopes.length !== 0 && { scopes }),
    ...own,
    // The service refuses an import with links if the provider does not allow the creation of users.
    providerOptions: {
      isLinkingAllowed: true,
      isCreationAllowed: true,
      isAutoCreation: false,
      isAutoUpdate: text('syncMode') === 'FORCE',
    },
  };
  const lost = losses.filter(([isUsed]) => isUsed(text)).map(([, what]) => what);
  return { alias, name, made: { kind, settings }, secret, lost };
}

function makeIdp(raw: JsonObject, text: Text): Made {
  const kind = text('providerId');
  if (raw['enabled'] === false) return 'it is disabled, and at the service it would be active';
  const make = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  const made = make?.(text) ?? `the service has no kind for ${kind || 'one without a provider id'}`;
  if (typeof made === 'string') return made;
  if (text('clientId') === '') return 'it has no client id';
  if (text('clientAuthMethod') === 'private_key_jwt') return 'it authenticates by private_key_jwt';
  return made;
}

function textOf(value: unknown) {
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : '';
}
