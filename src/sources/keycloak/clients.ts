/** Converts a client of a realm into an application of the service, and says which parts of the client do not move. */
import type { Output } from '../../wire/message.ts';
import { type addOidcAppRequest, isLoopbackUri } from '../../wire/org-resources.ts';
import { firstText, isObject, type JsonObject, objectOf } from '../../lib/json-value.ts';
import { formatCounted } from '../../lib/format.ts';
import type { SourceApp } from '../../records/resource.ts';
import { cut, sanitize } from '../../records/text.ts';
import { readTexts } from './fields.ts';

type Client = ReturnType<typeof readParts>;
type OidcSettings = Output<typeof addOidcAppRequest>;

const isOn = (value: unknown) => value === true || value === 'true';

/**
 * When a grant type is used (by a switch or an attribute of the client), the service's grant type, and its response
 * type.
 */
const grants: readonly (readonly [
  isUsed: (client: Client) => boolean,
  grant: OidcSettings['grantTypes'][number],
  response?: OidcSettings['responseTypes'][number],
])[] = [
  [usesCode, 'OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_RESPONSE_TYPE_CODE'],
  [
    ({ raw }) => isOn(raw['implicitFlowEnabled']),
    'OIDC_GRANT_TYPE_IMPLICIT',
    'OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN',
  ],
  [usesDevice, 'OIDC_GRANT_TYPE_DEVICE_CODE', 'OIDC_RESPONSE_TYPE_CODE'],
  [
    (client) =>
      (usesCode(client) || usesDevice(client)) && client.attributes['use.refresh.tokens'] !== 'false',
    'OIDC_GRANT_TYPE_REFRESH_TOKEN',
  ],
  [({ attributes }) => isOn(attributes['standard.token.exchange.enabled']), 'OIDC_GRANT_TYPE_TOKEN_EXCHANGE'],
];

/** Reports whether the client uses the code flow. It is on by default, even for clients that do not need it. */
function usesCode({ raw }: Client) {
  return raw['standardFlowEnabled'] !== false && raw['bearerOnly'] !== true;
}
function usesDevice({ attributes }: Client) {
  return isOn(attributes['oauth2.device.authorization.grant.enabled']);
}

/** Values that mean "not set". Keycloak writes texts, and `{}` for a map without entries. */
const unset: readonly unknown[] = [undefined, null, false, '', 'false', 'any', '{}', '[]'];
const isSet = (value: unknown) =>
  !unset.includes(isObject(value) || Array.isArray(value) ? JSON.stringify(value) : value);

const countOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);

/** Scopes that every realm has. */
const ownScopes = new Set(
  'acr address basic email microprofile-jwt offline_access organization phone profile role_list roles saml_organization service_account web-origins'.split(
    ' ',
  ),
);

type Loss = (client: Client) => string;
const field =
  (what: string, ...names: readonly string[]): Loss =>
  ({ raw }) =>
    names.some((name) => isSet(raw[name])) ? what : '';
const attribute =
  (what: string, names: RegExp): Loss =>
  ({ attributes }) =>
    Object.entries(attributes).some(([name, value]) => names.test(name) && isSet(value)) ? what : '';

/** Settings that an application of either kind cannot have. */
const losses: readonly Loss[] = [
  field('password grant', 'directAccessGrantsEnabled'),
  field('consent', 'consentRequired'),
  ({ raw }) => {
    const mappers = countOf(raw['protocolMappers']);
    return mappers === 0 ? '' : formatCounted(mappers, 'protocol mapper');
  },
  field('login flows of its own', 'authenticationFlowBindingOverrides'),
  field('authorization services', 'authorizationServicesEnabled', 'authorizationSettings'),
  ({ raw }) => {
    const all = [...readTexts(raw['defaultClientScopes']), ...readTexts(raw['optionalClientScopes'])];
    const scopes = all.filter((scope) => !ownScopes.has(scope));
    return scopes.length === 0 ? '' : `client scopes ${scopes.join(', ')}`;
  },
  ({ raw }) => (raw['fullScopeAllowed'] === false ? 'limits on which roles are in its tokens' : ''),
  field('admin URL', 'adminUrl'),
  attribute('CIBA grant', /^oidc\.ciba/),
  attribute('token lifetimes', /lifespan|idle\.timeout/),
  attribute('front-channel logout', /^frontchannel\.logout\.url$/),
  attribute('signature and encryption settings', /signature|signed|encrypt/),
  attribute('pushed authorization requests', /^require\.pushed/),
  attribute('tokens bound to a key', /\.bound\.access\.tokens$/),
  attribute('levels of authentication', /\bacr\b/),
  attribute('login theme', /^login_theme$/),
  // The service always requires PKCE for a public client.
  (client) => (client.isPublic ? '' : attribute('PKCE as a demand', /^pkce/)(client)),
];

/** How a confidential client authenticates. Other methods get a secret. */
const authMethods: ReadonlyMap<string, readonly [method: AuthMethod, lost: string]> = new Map([
  ['client-secret', ['BASIC', 'client secret (a new one is issued)']],
  ['client-jwt', ['PRIVATE_KEY_JWT', 'public keys (add a key to the application)']],
]);
type AuthMethod = 'BASIC' | 'PRIVATE_KEY_JWT';

export function readApp(raw: JsonObject, realm: string): SourceApp {
  const clientId = sanitize(firstText(raw, 'clientId'));
  const protocol = firstText(raw, 'protocol') || 'openid-connect';
  const none = (why: string): SourceApp => ({ realm, clientId, app: undefined, lost: [why] });
  if (clientId.trim() === '') return none('it has no client id');
  if (protocol !== 'openid-connect')
    return none(`the import takes no ${protocol.toUpperCase()} applications`);
  if (raw['enabled'] === false) return none('it is disabled, and an application would be active');
  const client = readParts(raw);
  const isService = isOn(raw['serviceAccountsEnabled']);
  const used = grants.filter(([isUsed]) => isUsed(client));
  const responseTypes = [...new Set(used.flatMap(([, , response]) => response ?? []))];
  const hasFlow = responseTypes.length > 0 && !(isService && isMachine(client));
  if (!hasFlow && raw['bearerOnly'] !== true && !isService) {
    return none('it uses the password grant only, which the service does not have');
  }
  const [method, authLost] = client.isPublic ? (['NONE', ''] as const) : authenticationOf(raw);
  const said = [
    authLost,
    isService ? serviceAccount : '',
    ...losses.map((rule) => rule(client)),
    ...client.redirects.lost,
    ...client.logouts.lost,
    ...readTexts(raw['webOrigins'])
      .filter((origin) => origin !== '+' && !isOrigin(origin))
      .map((origin) => `web origin ${cut(origin, maxOfUri)}`),
  ];
  if (!hasFlow) {
    const authMethodType = `API_AUTH_METHOD_TYPE_${method === 'PRIVATE_KEY_JWT' ? method : 'BASIC'}` as const;
    return {
      realm,
      clientId,
      app: { type: 'api', settings: { authMethodType } },
      lost: said.filter(Boolean),
    };
  }
  const appType = typeOf(client);
  const settings = {
    redirectUris: client.redirects.taken,
    responseTypes,
    grantTypes: used.map(([, grant]) => grant),
    appType,
    authMethodType: `OIDC_AUTH_METHOD_TYPE_${method}`,
    postLogoutRedirectUris: client.logouts.taken,
    version: 'OIDC_VERSION_1_0',
    devMode: needsDevMode(client, appType),
    accessTokenType: 'OIDC_TOKEN_TYPE_JWT',
    additionalOrigins: [...new Set(readTexts(raw['webOrigins']).filter(isOrigin))],
    ...backChannel(client),
  } satisfies Partial<OidcSettings>;
  const isRedirected = usesCode(client) || isOn(client.raw['implicitFlowEnabled']);
  if (isRedirected && settings.redirectUris.length === 0) said.push('no redirect URI is left: add one');
  if (settings.devMode) said.push('dev mode is on, because of http redirect URIs');
  return { realm, clientId, app: { type: 'oidc', settings }, lost: said.filter(Boolean) };
}

const serviceAccount =
  'client credentials (they belong to service accounts: --service-accounts=machine-users)';

function authenticationOf(raw: JsonObject): readonly [AuthMethod, string] {
  const type = firstText(raw, 'clientAuthenticatorType') || 'client-secret';
  return authMethods.get(type) ?? ['BASIC', `authentication by ${type} (a client secret is issued)`];
}

/** Reports whether it is a service account whose code flow is only on by default, and useless without a redirect URI. */
const isMachine = (client: Client) =>
  !usesDevice(client) &&
  countOf(client.raw['redirectUris']) === 0 &&
  !isOn(client.raw['implicitFlowEnabled']);

/** Returns the parts of a client that the rules use. */
function readParts(raw: JsonObject) {
  const attributes = objectOf(raw['attributes']);
  const isPublic = isOn(raw['publicClient']);
  const given = readTexts(raw['redirectUris']);
  // Keycloak completes a client without this attribute in the same way (K:DefaultExportImportManager.java,
  // createClients).
  const logouts = (firstText(attributes, 'post.logout.redirect.uris') || '+').split('##');
  const own = logouts.filter((uri) => !['', '+', '-'].includes(uri));
  const rules = { root: firstText(raw, 'rootUrl'), isPublic };
  const redirects = sortUris(given, { ...rules, what: 'redirect URI' });
  const ownLogouts = sortUris(own, { ...rules, what: 'post-logout redirect URI' });
  const same = logouts.includes('+') ? redirects.taken : [];
  return {
    raw,
    attributes,
    isPublic,
    /** Redirect URIs of the client, including those with wildcards. */
    given,
    redirects,
    logouts: { taken: [...new Set([...same, ...ownLogouts.taken])], lost: ownLogouts.lost },
  };
}

interface UriRules {
  /** Root URL that completes relative URIs. */
  readonly root: string;
  readonly what: string;
  readonly isPublic: boolean;
}

/** Longest part of a refused address that is shown. */
const maxOfUri = 200;

function sortUris(uris: readonly string[], { root, what, isPublic }: UriRules) {
  const taken = new Set<string>();
  /** The other addresses, and why they are not taken. */
  const lost: string[] = [];
  for (const uri of new Set(uris.map((text) => text.trim()))) {
    const full = uri.startsWith('/') ? `${root.replace(/\/$/, '')}${uri}` : uri;
    const why = whyRefused(full, isPublic);
    if (why === '') taken.add(full);
    else lost.push(`${what} ${cut(uri, maxOfUri)} ${why}`);
  }
  return { taken: [...taken], lost };
}

const content = /^(?:about|blob|data|file|javascript|vbscript):/i;

/** Returns why an address is refused. The service would accept any of them, and send codes and tokens there. */
function whyRefused(uri: string, isPublic: boolean) {
  if (uri.includes('*')) return '(a wildcard)';
  if (uri.startsWith('/') || uri.includes('${')) return '(relative, and the client has no root URL)';
  if (!isUrl(uri)) return '(no URL)';
  if (content.test(uri)) return '(a scheme for content, not for an address)';
  if (!isPublic && isCustom(uri)) return '(a scheme of its own, and the client is confidential)';
  return '';
}

/**
 * Reports whether the text is a URL. Some readers drop blanks, control characters and lone surrogates, others keep
 * them, so these are refused.
 */
const isUrl = (text: string) => !/[\s\p{Cc}\p{Surrogate}]/u.test(text) && URL.canParse(text);

const isCustom = (uri: string) => !/^https?:\/\//.test(uri);

/**
 * Returns the application type. A client with web origins runs in a browser. Otherwise, one that only redirects to its
 * own machine is installed there.
 */
function typeOf(client: Client) {
  const { raw, isPublic, given, redirects } = client;
  if (!isPublic) return 'OIDC_APP_TYPE_WEB';
  const uris = [
    ...redirects.taken,
    ...given.filter((uri) => /^[a-z][a-z\d+.-]*:/i.test(uri) && !content.test(uri)),
  ];
  const isInstalled = countOf(raw['webOrigins']) === 0 && uris.every(isLoopbackUri);
  return uris.some(isCustom) || (isInstalled && (uris.length > 0 || usesDevice(client)))
    ? 'OIDC_APP_TYPE_NATIVE'
    : 'OIDC_APP_TYPE_USER_AGENT';
}

/**
 * Reports whether the application needs dev mode, which allows more than necessary. Without it, the service only
 * redirects to http for a native application on its own machine, and in the code flow of a web application
 * (OIDC:pkg/op/auth_request.go, ValidateAuthReqRedirectURI).
 */
function needsDevMode({ raw, redirects }: Client, appType: ReturnType<typeof typeOf>) {
  if (appType === 'OIDC_APP_TYPE_WEB' && !isOn(raw['implicitFlowEnabled'])) return false;
  const isNative = appType === 'OIDC_APP_TYPE_NATIVE';
  return redirects.taken.some((uri) => uri.startsWith('http:') && !(isNative && isLoopbackUri(uri)));
}

function backChannel({ attributes }: Client) {
  const uri = firstText(attributes, 'backchannel.logout.url');
  return isUrl(uri) ? { backChannelLogoutUri: uri } : {};
}

/**
 * Reports whether the text only has scheme, host and port, as the service requires (Z:internal/api/http/origin.go,
 * IsOrigin).
 */
const isOrigin = (text: string) => /^[a-z][a-z\d+.-]*:\/\/[^/?#*]+$/i.test(text) && isUrl(text);
