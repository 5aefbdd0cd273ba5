/** What of an OIDC application differs from OpenID Connect 1.0 (Z:internal/domain/application_oidc.go, GetOIDCV1Compliance). */
import type { AppRow } from './store/rows.ts';
import { errorTexts } from '../wire/service-errors.ts';

type Oidc = NonNullable<AppRow['oidc']>;

/** The problems are said; the application is stored all the same. */
export function complianceOf(oidc: Oidc) {
  const { problems, noneCompliant } = findProblems(oidc);
  const complianceProblems = problems.map((problem) => {
    const key = `Application.OIDC.V1.${problem}`;
    return { key, localizedMessage: errorTexts.get(key) ?? key };
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
    [(code || implicit) && isNative && !http.every(isLoopback), 'Native.RedirectUris.MustBeHttpLocalhost'],
    [code && !implicit && custom && !isNative, 'Code.RedirectUris.CustomOnlyForNative'],
    [isNative && !isOpen, 'Native.AuthMethodType.NotNone'],
    [isUserAgent && !isOpen, 'UserAgent.AuthMethodType.NotNone'],
  ];
  const problems = rules.filter(([holds]) => holds).map(([, problem]) => problem);
  if (problems.length === 0) {
    const isMixed = code && implicit && (http.length > 0 || custom);
    return { noneCompliant: false, problems: isMixed ? ['NotAllCombinationsAreAllowed'] : [] };
  }
  // The service says it twice of all that are not web applications.
  return { noneCompliant: true, problems: ['NotCompliant', ...(isWeb ? [] : ['NotCompliant']), ...problems] };
}

const isLoopback = (uri: string): boolean =>
  /^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?(?:[/?#]|$)/.test(uri);
