/** Applications of a project, and how they deviate from OpenID Connect. */
import { addApiAppRequest, addOidcAppRequest, isLoopbackUri } from '../../wire/org-resources.ts';
import * as wire from '../../wire/organization.ts';
import { type Call, management } from '../method.ts';
import { existing, unknownError, refuseIf } from '../errors.ts';
import {
  addApp,
  type AppSettings,
  newAppSecret,
  type Oidc,
  removeApp,
  asStored,
  settingsOf,
} from '../projects.ts';
import type { AppRow } from '../store/rows.ts';
import { addDetails, detailsOf } from '../users/show.ts';
import { changedNow, findProject, listMethod } from './projects.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';
import { errorTexts } from '../error-texts.ts';

const appsPath = '/management/v1/projects/:projectId/apps';

/**
 * Reports whether the service accepts the settings: each response type needs its grant type (one without a name, a
 * number, needs none), and additional origins must be plain origins (Z:internal/domain/application_oidc.go, IsValid).
 * A bulk import does not check this.
 */
function isValid({ responseTypes, grantTypes, additionalOrigins }: Oidc) {
  const code = grantTypes.includes('OIDC_GRANT_TYPE_DEVICE_CODE')
    ? 'OIDC_GRANT_TYPE_DEVICE_CODE'
    : 'OIDC_GRANT_TYPE_AUTHORIZATION_CODE';
  const needed = (type: unknown): Oidc['grantTypes'][number] =>
    type === 'OIDC_RESPONSE_TYPE_CODE' ? code : 'OIDC_GRANT_TYPE_IMPLICIT';
  return (
    responseTypes.every((type) => typeof type === 'number' || grantTypes.includes(needed(type))) &&
    additionalOrigins.every((origin) => originIn(origin) === origin)
  );
}

/** `https://a.example/b` -> `https://a.example`. Undefined if there is no host. */
const originIn = (uri: string) => /^[a-z][a-z\d+.-]*:\/\/[^/?#\s]+/i.exec(uri)?.[0];

function checkOidc(oidc: Oidc) {
  refuseIf(!isValid(oidc), 'PROJECT-1n8df');
  refuseIf(
    oidc.backChannelLogoutUri !== '' && !/^https?:\/\/[^/]/i.test(oidc.backChannelLogoutUri),
    'PROJECT-msNebo',
  );
  const baseUri = oidc.loginVersion?.loginV2?.baseUri ?? '';
  // What Go's URL parser reports.
  if (baseUri.startsWith(':'))
    throw unknownError(`parse ${JSON.stringify(baseUri)}: missing protocol scheme`);
}

function add(call: Call, projectId: string, kind: AppSettings) {
  const project = findProject(call, projectId, 'COMMAND-EbFMN');
  if (kind.oidc !== undefined) checkOidc(asStored(kind.oidc));
  const { app, clientSecret } = addApp(call, project, '', kind);
  return {
    appId: app.id,
    clientId: app.clientId,
    clientSecret,
    details: addDetails(app),
    ...(app.oidc && complianceOf(app.oidc)),
  };
}

function findApp(call: Call, projectId: string, appId: string, errorId: ServiceErrorId) {
  const app = existing(call.store.apps.get(appId), errorId, call.orgId);
  refuseIf(app.projectId !== projectId, errorId);
  return app;
}

const secretMethod = (kind: 'oidc' | 'api', isOtherKind: ServiceErrorId) =>
  management(
    `Regenerate${kind.toUpperCase()}ClientSecret`,
    `POST ${appsPath}/:appId/${kind}_config/_generate_client_secret`,
    'project.app.write',
    {
      response: wire.clientSecretResponse,
      handle(call, { projectId, appId }) {
        const app = findApp(call, projectId, appId, 'COMMAND-2g66f');
        refuseIf(app[kind] === undefined, isOtherKind);
        const { clientSecret } = newAppSecret(call.store, app);
        return { clientSecret, details: changedNow(call, app) };
      },
    },
  );

function showOidc(oidc: Oidc, clientId: string) {
  const origins = [...oidc.redirectUris, ...oidc.additionalOrigins].flatMap((uri) => originIn(uri) ?? []);
  return { ...oidc, clientId, ...complianceOf(oidc), allowedOrigins: [...new Set(origins)] };
}

function show(row: AppRow) {
  const { id, clientId, oidc, api } = row;
  return {
    id,
    details: detailsOf(row),
    state: 'APP_STATE_ACTIVE' as const,
    name: settingsOf(row).name,
    oidcConfig: oidc && showOidc(oidc, clientId),
    apiConfig: api && { ...api, clientId },
  };
}

export const appMethods = [
  management('AddOIDCApp', `POST ${appsPath}/oidc`, 'project.app.write', {
    request: addOidcAppRequest,
    response: wire.addAppResponse,
    handle: (call, app) => add(call, app.projectId, { oidc: app }),
  }),
  management('AddAPIApp', `POST ${appsPath}/api`, 'project.app.write', {
    request: addApiAppRequest,
    response: wire.addAppResponse,
    handle: (call, app) => add(call, app.projectId, { api: app }),
  }),
  listMethod('ListApps', 'apps', wire.listAppsResponse, 'apps', show),
  management('GetAppByID', `GET ${appsPath}/:appId`, 'project.app.read', {
    response: wire.getAppResponse,
    handle({ store, orgId }, { projectId, appId }) {
      const app = existing(store.apps.get(appId), 'QUERY-pCP8P');
      refuseIf(app.projectId !== projectId, 'QUERY-pCP8P');
      return { app: show(existing(app, 'MANAG-SFf2a', orgId)) };
    },
  }),
  management('RemoveApp', `DELETE ${appsPath}/:appId`, 'project.app.delete', {
    handle(call, { projectId, appId }) {
      const app = findApp(call, projectId, appId, 'COMMAND-0po9s');
      removeApp(call.store, app);
      return changedNow(call, app);
    },
  }),
  secretMethod('oidc', 'COMMAND-Ghrh3'),
  secretMethod('api', 'COMMAND-aeH4'),
];

/**
 * Returns how the application deviates from OpenID Connect 1.0. The service stores it nevertheless and reports the
 * deviations (Z:internal/domain/application_oidc.go, GetOIDCV1Compliance).
 */
function complianceOf(oidc: Oidc) {
  const { problems, noneCompliant } = findProblems(oidc);
  const complianceProblems = problems.map((problem) => {
    const key = `Application.OIDC.V1.${problem}`;
    return { key, localizedMessage: errorTexts[key] ?? key };
  });
  return { noneCompliant, complianceProblems };
}

function findProblems({ appType, authMethodType, grantTypes, redirectUris }: Oidc) {
  const [code, implicit, device, refresh] = [
    'AUTHORIZATION_CODE',
    'IMPLICIT',
    'DEVICE_CODE',
    'REFRESH_TOKEN',
  ].map((grant) => grantTypes.some((type) => type === `OIDC_GRANT_TYPE_${grant}`));
  const isWeb = appType === 'OIDC_APP_TYPE_WEB';
  const isNative = appType === 'OIDC_APP_TYPE_NATIVE';
  const isUserAgent = appType === 'OIDC_APP_TYPE_USER_AGENT';
  const isOpen = authMethodType === 'OIDC_AUTH_METHOD_TYPE_NONE';
  const http = redirectUris.filter((uri) => uri.startsWith('http://'));
  const custom = redirectUris.some((uri) => !/^https?:\/\//.test(uri));
  const rules: readonly (readonly [holds: boolean | undefined, problem: string])[] = [
    [redirectUris.length === 0 && (!device || code), 'NoRedirectUris'],
    [!device && refresh && !code, 'GrantType.Refresh.NoAuthCode'],
    [implicit && custom && !(code && isNative), 'Implicit.RedirectUris.CustomNotAllowed'],
    [code && http.length > 0 && isUserAgent, 'Code.RedirectUris.HttpOnlyForWeb'],
    [implicit && !code && http.length > 0 && !isNative, 'Implicit.RedirectUris.HttpNotAllowed'],
    [(code || implicit) && isNative && !http.every(isLoopbackUri), 'Native.RedirectUris.MustBeHttpLocalhost'],
    [code && !implicit && custom && !isNative, 'Code.RedirectUris.CustomOnlyForNative'],
    [isNative && !isOpen, 'Native.AuthMethodType.NotNone'],
    [isUserAgent && !isOpen, 'UserAgent.AuthMethodType.NotNone'],
  ];
  const problems = rules.filter(([holds]) => holds).map(([, problem]) => problem);
  if (problems.length === 0) {
    const isMixed = code && implicit && (http.length > 0 || custom);
    return { noneCompliant: false, problems: isMixed ? ['NotAllCombinationsAreAllowed'] : [] };
  }
  // The service adds it twice, except for web applications.
  return { noneCompliant: true, problems: ['NotCompliant', ...(isWeb ? [] : ['NotCompliant']), ...problems] };
}
