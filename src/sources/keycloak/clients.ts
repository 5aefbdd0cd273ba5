/** What a client of a realm becomes: an application of the service, and what of the client does not move. */
import { isObject, type JsonObject } from '../../lib/json-value.ts';
import { formatCounted } from '../../lib/quantity.ts';
import type { AppSettings, OidcSettings, SourceApp } from '../../records/application.ts';
import { readTexts } from './fields.ts';

/** What the rules look at. */
interface Client {
  readonly raw: JsonObject;
  readonly attributes: JsonObject;
  readonly isPublic: boolean;
  /** Redirect URIs as the client has them, also those with wildcards. */
  readonly given: readonly string[];
  readonly redirects: SortedUris;
  readonly logouts: SortedUris;
}

interface SortedUris {
  readonly taken: readonly string[];
  /** Why the others are not, with the address. */
  readonly lost: readonly string[];
}

const isOn = (value: unknown): boolean => value === true || value === 'true';

/** Switch of the client or attribute, the grant type of the service, and its response type. */
const grants: readonly (readonly [isUsed: (client: Client) => boolean, grant: string, response?: string])[] =
  [
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
    [
      ({ attributes }) => isOn(attributes['standard.token.exchange.enabled']),
      'OIDC_GRANT_TYPE_TOKEN_EXCHANGE',
    ],
  ];

/** The code flow is on by default, also in clients that have no use for it. */
function usesCode({ raw }: Client): boolean {
  return raw['standardFlowEnabled'] !== false && raw['bearerOnly'] !== true;
}
function usesDevice({ attributes }: Client): boolean {
  return isOn(attributes['oauth2.device.authorization.grant.enabled']);
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || Object.keys(Object(value)).length === 0;

const countOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** Scopes that each realm has. */
const ownScopes = new Set(
  'acr address basic email microprofile-jwt offline_access organization phone profile role_list roles saml_organization service_account web-origins'.split(
    ' ',
  ),
);

/** What has no place in an application of either kind. */
const losses: readonly ((client: Client) => string)[] = [
  ({ raw }) => (isOn(raw['directAccessGrantsEnabled']) ? 'password grant' : ''),
  ({ raw }) => (isOn(raw['consentRequired']) ? 'consent' : ''),
  ({ raw }) => {
    const mappers = countOf(raw['protocolMappers']);
    return mappers === 0 ? '' : formatCounted(mappers, 'protocol mapper');
  },
  ({ raw }) => (isEmpty(raw['authenticationFlowBindingOverrides']) ? '' : 'login flows of its own'),
  ({ raw }) =>
    isOn(raw['authorizationServicesEnabled']) || !isEmpty(raw['authorizationSettings'])
      ? 'authorization services'
      : '',
  ({ raw }) => {
    const all = [...readTexts(raw['defaultClientScopes']), ...readTexts(raw['optionalClientScopes'])];
    const scopes = all.filter((scope) => !ownScopes.has(scope));
    return scopes.length === 0 ? '' : `client scopes ${scopes.join(', ')}`;
  },
  ({ raw }) => (raw['fullScopeAllowed'] === false ? 'limits on which roles are in its tokens' : ''),
  ({ raw }) => (isEmpty(raw['adminUrl']) ? '' : 'admin URL'),
  ({ attributes }) => (isOn(attributes['oidc.ciba.grant.enabled']) ? 'CIBA grant' : ''),
  ({ attributes }) =>
    Object.keys(attributes).some((name) => /lifespan|idle\.timeout|max\.lifespan/.test(name))
      ? 'token lifetimes'
      : '',
  ({ attributes }) => (isEmpty(attributes['frontchannel.logout.url']) ? '' : 'front-channel logout'),
  ({ attributes }) =>
    Object.entries(attributes).some(([name, value]) => /signature|signed|encrypt/.test(name) && isSet(value))
      ? 'signature and encryption settings'
      : '',
  ({ attributes }) =>
    isOn(attributes['require.pushed.authorization.requests']) ? 'pushed authorization requests' : '',
  ({ raw, redirects, logouts }) => {
    const origins = readTexts(raw['webOrigins']).filter((origin) => origin !== '+' && !isOrigin(origin));
    return [...redirects.lost, ...logouts.lost, ...origins.map((origin) => `web origin ${origin}`)].join(
      '; ',
    );
  },
];

const isSet = (value: unknown): boolean => !isEmpty(value) && value !== 'false' && value !== 'any';

/** How a confidential client proves who it is; anything else gets a secret. */
const authMethods: Readonly<Record<string, readonly [method: 'BASIC' | 'PRIVATE_KEY_JWT', lost: string]>> = {
  'client-secret': ['BASIC', 'client secret (a new one is issued)'],
  'client-jwt': ['PRIVATE_KEY_JWT', 'public keys (add a key to the application)'],
  'client-secret-jwt': ['BASIC', 'authentication by client-secret-jwt (a client secret is issued)'],
  'client-x509': ['BASIC', 'authentication by client-x509 (a client secret is issued)'],
};

export function readApp(raw: JsonObject, realm: string): SourceApp {
  const clientId = textOf(raw['clientId']);
  const protocol = textOf(raw['protocol']) || 'openid-connect';
  const none = (why: string): SourceApp => ({ realm, clientId, app: undefined, lost: [why] });
  if (clientId === '') return none('it has no client id');
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
  const [method, authLost] = client.isPublic
    ? (['NONE', ''] as const)
    : (authMethods[textOf(raw['clientAuthenticatorType']) || 'client-secret'] ?? otherMethod(raw));
  const common = losses.map((rule) => rule(client));
  if (!hasFlow) {
    const app = toApi(method === 'PRIVATE_KEY_JWT' ? 'PRIVATE_KEY_JWT' : 'BASIC');
    const serviceLost = isService ? serviceAccount : '';
    return { realm, clientId, app, lost: [authLost, serviceLost, ...common].filter(Boolean) };
  }
  const settings: OidcSettings = {
    redirectUris: client.redirects.taken,
    responseTypes,
    grantTypes: used.map(([, grant]) => grant),
    appType: typeOf(client),
    authMethodType: `OIDC_AUTH_METHOD_TYPE_${method}`,
    postLogoutRedirectUris: client.logouts.taken,
    version: 'OIDC_VERSION_1_0',
    devMode: needsDevMode(client),
    accessTokenType: 'OIDC_TOKEN_TYPE_JWT',
    additionalOrigins: [...new Set(readTexts(raw['webOrigins']).filter(isOrigin))],
    ...backChannel(client),
  };
  const needsUri = used.some(([, grant]) => /CODE$|IMPLICIT$/.test(grant) && !grant.includes('DEVICE'));
  const said = [
    authLost,
    isService ? serviceAccount : '',
    ...common,
    needsUri && settings.redirectUris.length === 0 ? 'no redirect URI is left: add one' : '',
    settings.devMode ? 'dev mode is on, because of http redirect URIs' : '',
  ];
  return { realm, clientId, app: { kind: 'oidc', settings }, lost: said.filter(Boolean) };
}

const serviceAccount =
  'client credentials (they belong to service accounts: --service-accounts=machine-users)';

const toApi = (method: 'BASIC' | 'PRIVATE_KEY_JWT'): AppSettings => ({
  kind: 'api',
  settings: { authMethodType: `API_AUTH_METHOD_TYPE_${method}` },
});

const otherMethod = (raw: JsonObject): readonly ['BASIC', string] => [
  'BASIC',
  `authentication by ${textOf(raw['clientAuthenticatorType'])} (a client secret is issued)`,
];

/** A service account whose code flow is on by default, and of no use without a redirect URI. */
const isMachine = (client: Client): boolean =>
  !usesDevice(client) &&
  countOf(client.raw['redirectUris']) === 0 &&
  !isOn(client.raw['implicitFlowEnabled']);

function readParts(raw: JsonObject): Client {
  const attributes = isObject(raw['attributes']) ? raw['attributes'] : {};
  const isPublic = raw['publicClient'] === true;
  const root = textOf(raw['rootUrl']);
  const given = readTexts(raw['redirectUris']);
  const logouts = textOf(attributes['post.logout.redirect.uris']).split('##').filter(Boolean);
  const same = logouts.includes('+') ? given : [];
  const own = logouts.filter((uri) => uri !== '+' && uri !== '-');
  const sort = (uris: readonly string[], what: string): SortedUris =>
    sortUris([...new Set(uris)], { root, what, isPublic });
  // What is not taken as a redirect URI is said once.
  const asLogout = sort([...same, ...own], 'post-logout redirect URI');
  const lost = asLogout.lost.filter((line) => own.some((uri) => line.includes(uri)));
  return {
    raw,
    attributes,
    isPublic,
    given,
    redirects: sort(given, 'redirect URI'),
    logouts: { taken: asLogout.taken, lost },
  };
}

interface UriRules {
  /** Of relative ones. */
  readonly root: string;
  readonly what: string;
  readonly isPublic: boolean;
}

function sortUris(uris: readonly string[], { root, what, isPublic }: UriRules): SortedUris {
  const taken: string[] = [];
  const lost: string[] = [];
  for (const uri of uris) {
    const full = uri.startsWith('/') ? `${root.replace(/\/$/, '')}${uri}` : uri;
    const why = whyNot(full, isPublic);
    if (why === '') taken.push(full);
    else lost.push(`${what} ${uri} ${why}`);
  }
  return { taken, lost };
}

function whyNot(uri: string, isPublic: boolean): string {
  if (uri.includes('*')) return '(a wildcard)';
  if (uri.startsWith('/') || uri.includes('${')) return '(relative, and the client has no root URL)';
  if (!URL.canParse(uri)) return '(no URL)';
  if (!isPublic && !/^https?:/.test(uri)) return '(a scheme of its own, and the client is confidential)';
  return '';
}

const isCustom = (uri: string): boolean => !/^https?:/.test(uri);

function isLoopback(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  return protocol === 'http:' && (hostname === 'localhost' || /^127\.|^\[::1\]$/.test(hostname));
}

/** A client with web origins runs in a browser; else one that only listens on its own machine is installed there. */
function typeOf(client: Client): OidcSettings['appType'] {
  const { raw, isPublic, given, redirects } = client;
  if (!isPublic) return 'OIDC_APP_TYPE_WEB';
  const uris = [...redirects.taken, ...given.filter((uri) => /^[a-z][a-z\d+.-]*:/i.test(uri))];
  const isInstalled = countOf(raw['webOrigins']) === 0 && uris.every(isLoopback);
  return uris.some(isCustom) || (isInstalled && (uris.length > 0 || usesDevice(client)))
    ? 'OIDC_APP_TYPE_NATIVE'
    : 'OIDC_APP_TYPE_USER_AGENT';
}

/** An installed application may use http on its own machine. */
function needsDevMode(client: Client): boolean {
  const isNative = typeOf(client) === 'OIDC_APP_TYPE_NATIVE';
  return client.redirects.taken.some((uri) => uri.startsWith('http:') && !(isNative && isLoopback(uri)));
}

function backChannel({ attributes }: Client): Pick<OidcSettings, 'backChannelLogoutUri'> {
  const uri = textOf(attributes['backchannel.logout.url']);
  return URL.canParse(uri) ? { backChannelLogoutUri: uri } : {};
}

/** Scheme, host and port alone, as the service wants it. */
function isOrigin(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\/[^/?#*\s]+$/i.test(text) && URL.canParse(text);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
