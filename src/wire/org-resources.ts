/** Projects, applications, actions, grants, members, keys, domains and providers, as they are in an export or import. */
import { details } from './details.ts';
import {
  text,
  textUpTo,
  shortText,
  flag,
  bytes,
  durationUpTo,
  timestamp,
  choice,
  definedChoice,
  exclusive,
  required,
  list,
  message,
  ruled,
} from './message.ts';

export const projectFields = {
  name: shortText,
  projectRoleAssertion: flag,
  projectRoleCheck: flag,
  hasProjectCheck: flag,
  privateLabelingSetting: definedChoice([
    'PRIVATE_LABELING_SETTING_UNSPECIFIED',
    'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
    'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
  ]),
};
export const addProjectRequest = message('AddProjectRequest', projectFields);
export const projectItem = message('DataProject', {
  projectId: text,
  project: required(addProjectRequest),
});

export const projectRoleItem = message('AddProjectRoleRequest', {
  projectId: shortText,
  roleKey: shortText,
  displayName: shortText,
  group: textUpTo(200),
});

const apiAuthMethod = definedChoice(['API_AUTH_METHOD_TYPE_BASIC', 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT']);
export const addApiAppRequest = message('AddAPIAppRequest', {
  projectId: shortText,
  name: shortText,
  authMethodType: apiAuthMethod,
});
export const apiAppItem = message('DataAPIApplication', {
  appId: text,
  app: addApiAppRequest,
});
/** Settings of an API application in the list of applications. */
export const apiAppConfig = message('APIConfig', { clientId: text, authMethodType: apiAuthMethod });

const oidcSettings = {
  redirectUris: list(text),
  responseTypes: list(
    choice(['OIDC_RESPONSE_TYPE_CODE', 'OIDC_RESPONSE_TYPE_ID_TOKEN', 'OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN']),
  ),
  grantTypes: list(
    choice([
      'OIDC_GRANT_TYPE_AUTHORIZATION_CODE',
      'OIDC_GRANT_TYPE_IMPLICIT',
      'OIDC_GRANT_TYPE_REFRESH_TOKEN',
      'OIDC_GRANT_TYPE_DEVICE_CODE',
      'OIDC_GRANT_TYPE_TOKEN_EXCHANGE',
    ]),
  ),
  appType: definedChoice(['OIDC_APP_TYPE_WEB', 'OIDC_APP_TYPE_USER_AGENT', 'OIDC_APP_TYPE_NATIVE']),
  authMethodType: definedChoice([
    'OIDC_AUTH_METHOD_TYPE_BASIC',
    'OIDC_AUTH_METHOD_TYPE_POST',
    'OIDC_AUTH_METHOD_TYPE_NONE',
    'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
  ]),
  postLogoutRedirectUris: list(text),
  version: definedChoice(['OIDC_VERSION_1_0']),
  devMode: flag,
  accessTokenType: definedChoice(['OIDC_TOKEN_TYPE_BEARER', 'OIDC_TOKEN_TYPE_JWT']),
  accessTokenRoleAssertion: flag,
  idTokenRoleAssertion: flag,
  idTokenUserinfoAssertion: flag,
  clockSkew: durationUpTo(5),
  additionalOrigins: list(text),
  skipNativeAppSuccessPage: flag,
  backChannelLogoutUri: text,
  loginVersion: message(
    'zitadel.app.v1.LoginVersion',
    exclusive('version', {
      loginV1: message('LoginV1', {}),
      loginV2: message('LoginV2', { baseUri: text }),
    }),
  ),
};

export const addOidcAppRequest = message('AddOIDCAppRequest', {
  projectId: shortText,
  name: shortText,
  ...oidcSettings,
});
export const oidcAppItem = message('DataOIDCApplication', {
  appId: text,
  app: addOidcAppRequest,
});
/** How an application deviates from OpenID Connect. The service stores it anyway. */
export const compliance = {
  noneCompliant: flag,
  complianceProblems: list(message('LocalizedMessage', { key: text, localizedMessage: text })),
};
/** Settings of an OpenID Connect application in the list of applications. */
export const oidcAppConfig = message('OIDCConfig', {
  clientId: text,
  ...oidcSettings,
  ...compliance,
  allowedOrigins: list(text),
});

export const triggerActionsItem = message('SetTriggerActionsRequest', {
  flowType: text,
  triggerType: text,
  actionIds: list(text),
});

export const actionItem = message('DataAction', {
  actionId: text,
  action: message('CreateActionRequest', {
    name: shortText,
    script: ruled(text, { min: 1, maxBytes: 40_000 }),
    timeout: durationUpTo(20),
    allowedToFail: flag,
  }),
});

export const addProjectGrantRequest = message('AddProjectGrantRequest', {
  projectId: shortText,
  grantedOrgId: shortText,
  roleKeys: list(text),
});
export const projectGrantItem = message('DataProjectGrant', {
  grantId: text,
  projectGrant: addProjectGrantRequest,
});

export const userGrantItem = message('AddUserGrantRequest', {
  userId: shortText,
  projectId: shortText,
  projectGrantId: textUpTo(200),
  roleKeys: list(text),
});

export const orgMemberItem = message('AddOrgMemberRequest', { userId: shortText, roles: list(text) });
export const projectMemberItem = message('AddProjectMemberRequest', {
  projectId: shortText,
  userId: shortText,
  roles: list(text),
});
export const projectGrantMemberItem = message('AddProjectGrantMemberRequest', {
  projectId: shortText,
  grantId: shortText,
  userId: shortText,
  roles: list(text),
});

const stylingType = choice(['STYLING_TYPE_UNSPECIFIED', 'STYLING_TYPE_GOOGLE']);
const mappingField = choice([
  'OIDC_MAPPING_FIELD_UNSPECIFIED',
  'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
  'OIDC_MAPPING_FIELD_EMAIL',
]);

export const oidcIdpItem = message('DataOIDCIDP', {
  idpId: text,
  idp: message('AddOrgOIDCIDPRequest', {
    name: shortText,
    stylingType,
    clientId: shortText,
    clientSecret: shortText,
    issuer: shortText,
    scopes: list(text),
    displayNameMapping: mappingField,
    usernameMapping: mappingField,
    autoRegister: flag,
  }),
});

export const jwtIdpItem = message('DataJWTIDP', {
  idpId: text,
  idp: message('AddOrgJWTIDPRequest', {
    name: shortText,
    stylingType,
    jwtEndpoint: shortText,
    issuer: shortText,
    keysEndpoint: shortText,
    headerName: shortText,
    autoRegister: flag,
  }),
});

export const userLinkItem = message('IDPUserLink', {
  userId: text,
  idpId: text,
  idpName: text,
  providedUserId: text,
  providedUserName: text,
  idpType: choice(['IDP_TYPE_UNSPECIFIED', 'IDP_TYPE_OIDC', '', 'IDP_TYPE_JWT']),
});

export const domainItem = message('Domain', {
  orgId: text,
  details,
  domainName: text,
  isVerified: flag,
  isPrimary: flag,
  validationType: choice([
    'DOMAIN_VALIDATION_TYPE_UNSPECIFIED',
    'DOMAIN_VALIDATION_TYPE_HTTP',
    'DOMAIN_VALIDATION_TYPE_DNS',
  ]),
});

export const keyType = choice(['KEY_TYPE_UNSPECIFIED', 'KEY_TYPE_JSON']);
export const appKeyItem = message('DataAppKey', {
  id: text,
  projectId: text,
  appId: text,
  clientId: text,
  type: keyType,
  expirationDate: timestamp,
  publicKey: bytes,
});
export const machineKeyItem = message('DataMachineKey', {
  keyId: text,
  userId: text,
  type: keyType,
  expirationDate: timestamp,
  publicKey: bytes,
});

/** Reports whether a redirect URI reaches only the machine of the user, which the service allows without TLS. */
export function isLoopbackUri(uri: string) {
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  return protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
